"""A folder as store: policies, bundles and callers as files, reloaded when they change.

::

    <folder>/<injector>/policy.yaml         optional
    <folder>/<injector>/bundle/…            the manifests
    <folder>/<injector>/bundles/<digest>/…  more bundles, which a policy names as sha256:<digest>
    <folder>/auth/<cluster>.yaml            who may call for a cluster (tokens.py)

A file that is missing or unreadable never replaces what was loaded: only a policy.yaml that was
deleted from its folder means that there is no policy, and only a file that was deleted from an
existing auth/ revokes the callers of its cluster.
"""

import os
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from time import monotonic

from podgraft import bundle, yaml
from podgraft.deadline import Deadline
from podgraft.review_context import Staleness
from podgraft.store import caller_document
from podgraft.store.caller_document import Callers, TokensError
from podgraft.store.callers import CallerDocuments, CallerRegistry
from podgraft.store.errors import (
    InvalidVersionError,
    NotLoadedError,
    StoreError,
    UnavailableError,
    UnknownInjectorError,
)
from podgraft.store.names import is_name
from podgraft.store.protocols import LastGood
from podgraft.store.snapshot import Document, Snapshot, SnapshotSet, load_snapshots

from . import files
from .file_cache import FileCache


class FolderStore:
    """Policies and bundles from files; ``deferred`` as for ``CachedStore``.

    Changes of the files are seen after ``seconds`` at the latest, and of more than 100 files after
    0.1 ms for each. ``last_good`` keeps the last
    version that loaded for other processes: without it, it ends with this one.
    """

    def __init__(
        self,
        folder: Path,
        *,
        deferred: bool = False,
        seconds: float = 0.0,
        last_good: LastGood | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._clock = clock
        self._folder = folder
        self._deferred = deferred
        self._seconds = seconds
        self._last_good = last_good
        self._injectors: dict[str, FileCache[SnapshotSet]] = {}

    def snapshot(
        self, injector: str, cluster: str | None, deadline: Deadline | None = None
    ) -> Snapshot:
        """The snapshot of the files as they are; a local disk needs no deadline."""
        del deadline
        reloading = self._injectors.get(injector)
        if reloading is None:
            reloading = self._injector(injector)
            self._injectors[injector] = reloading
        current = reloading.current()
        return current.value.for_cluster(
            cluster, _make_stale(current.error) if current.error else None
        )

    def injectors(self) -> tuple[str, ...]:
        """The folders that can be injectors, and those that were loaded before."""
        loaded = {name for name, reloading in self._injectors.items() if not reloading.is_empty}
        try:
            found = {path.name for path in self._folder.iterdir() if _is_injector(path)}
        except OSError as error:
            if not loaded:
                raise UnavailableError(f"the store cannot be read: {error.strerror}") from error
            found = set[str]()
        return tuple(sorted(found | loaded))

    def _injector(self, name: str) -> FileCache[SnapshotSet]:
        path = self._folder / name
        loading = _Loading(path, self._last_good)
        if not is_name(name) or not self._exists(path, loading):
            raise UnknownInjectorError(f"injector {name}: the store has no folder of this name")

        def fingerprint() -> object:
            with _unavailable(f"injector {name}", path):
                return files.fingerprint(str(path))

        def snapshots() -> SnapshotSet:
            return loading.load(deferred=self._deferred and reloading.is_empty)

        reloading = FileCache(fingerprint, snapshots, self._seconds, self._clock, keeper=loading)
        return reloading

    def _exists(self, path: Path, loading: "_Loading") -> bool:
        """Whether there is such an injector; raises ``UnavailableError`` if nothing can tell.

        If the store is gone, that proves nothing about an injector that was kept.
        """
        try:
            with _unavailable(f"injector {path.name}", self._folder):
                self._folder.stat()
                if files.is_present(path):
                    return path.is_dir()
                gone = _is_empty(self._folder)
        except UnavailableError:
            if loading.restore() is None:
                raise
            return True
        return gone and loading.restore() is not None


class _Loading:
    """Loads the files of one injector, and keeps what loaded for other processes."""

    def __init__(self, path: Path, last_good: LastGood | None) -> None:
        self._path = path
        self._last_good = last_good
        self._document: Document | None = None

    def load(self, *, deferred: bool) -> SnapshotSet:
        """The files as they are: the only place where they are accepted or refused."""
        path = self._path
        text, version = _policy(path)
        bundles: dict[str | None, Mapping[str, bytes]] = {}

        def fetch(digest: str | None) -> Mapping[str, bytes]:
            with _unavailable(f"injector {path.name}", path):
                bundles[digest] = _load_bundle(path, digest)
            return bundles[digest]

        snapshots = load_snapshots(path.name, text, version, fetch, parse_lazily=deferred)
        if not deferred:
            from podgraft.store.trial import prove  # no cold start needs it

            prove(path.name, snapshots)
        self._document = Document(text, version, bundles)
        return snapshots

    def keep(self, snapshots: SnapshotSet) -> None:
        """Keep what was loaded last."""
        document, self._document = self._document, None  # its files are not needed any more
        if self._last_good and document:
            self._last_good.save(self._path.name, document, snapshots)

    def restore(self) -> SnapshotSet | None:
        """What any process kept last."""
        return self._last_good.restore(self._path.name) if self._last_good else None


class FolderCallers:
    """Who may call, by cluster, from files; ``seconds`` as for ``DirectoryStore``.

    Callers are never restored from another process: that could revive a revoked token.
    """

    def __init__(self, folder: Path, *, seconds: float = 0.0) -> None:
        self._folder = folder
        self._path = folder / "auth"
        self._pages: CallerDocuments | None = None
        self._reloading = FileCache(
            self._fingerprint, self._load_registry, seconds, settled=_is_stable
        )

    def callers(self, deadline: Deadline | None = None) -> CallerRegistry:
        """All callers of all clusters; a local disk needs no deadline.

        Raises ``UnavailableError`` if auth/ is unreadable and nothing was loaded.
        """
        del deadline
        current = self._reloading.current()
        book = current.value
        if current.error is None:
            return book
        every = dict.fromkeys(book.callers, _make_stale(current.error))
        return replace(book, stale={**every, **book.stale})

    def _fingerprint(self) -> object:
        with _unavailable("callers", self._path):
            return "new" if self._is_new() else files.fingerprint(str(self._path))

    def _is_new(self) -> bool:
        """Whether no caller was ever stored, as far as this process knows."""
        return self._pages is None and not files.is_present(self._path)

    def _load_registry(self) -> CallerRegistry:
        with _unavailable("callers", self._path):
            if self._is_new():
                return _empty_registry(self._folder)
            paths = sorted(path for path in self._path.iterdir() if _is_document(path))
        read = {path.stem: _load_callers(path) for path in paths}
        pages = self._pages = (self._pages or CallerDocuments()).merge(read)
        stale = {
            cluster: _make_stale(kept.problem) for cluster, kept in pages.last_known_good.items()
        }
        return CallerRegistry(pages.callers, stale, pages.load_errors)


def _empty_registry(folder: Path) -> CallerRegistry:
    """The callers of a store without auth/."""
    if not _is_empty(folder):
        return CallerRegistry({})
    return CallerRegistry(
        {}, missing=UnavailableError(f"the store is empty: {folder.name}; restore it")
    )


def _is_empty(folder: Path) -> bool:
    """Whether nothing is visible in the store: so does the folder of a disk look that is gone."""
    return all(path.name.startswith(".") for path in folder.iterdir())


@contextmanager
def _unavailable(what: str, folder: Path) -> Generator[None]:
    """Convert every ``OSError``: the name of the file tells the operator where to look."""
    try:
        yield
    except OSError as error:
        place = _relative(error.filename and str(error.filename), folder)
        raise UnavailableError(f"{what} cannot be read: {error.strerror} ({place})") from error


def _relative(path: str | None, folder: Path) -> str:
    """A path as an operator knows it: below the folder of the store."""
    return folder.name if path is None else os.path.relpath(path, folder.parent)


def _is_injector(path: Path) -> bool:
    return is_name(path.name) and path.is_dir()


def _is_document(path: Path) -> bool:
    """Whether a file of auth/ is a cluster's; editors lock ``x.yaml`` by a link ``.#x.yaml``."""
    return path.suffix == ".yaml" and not path.name.startswith(".")


def _policy(path: Path) -> tuple[str, str]:
    """The text of the policy, empty if there is none, and its version."""
    with _unavailable(f"injector {path.name}", path):
        content = files.read_if_present(path / "policy.yaml")
    if content is None:
        return "", "none"
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise NotLoadedError(f"injector {path.name} does not load: policy: {error}") from error
    if not _has_content(text):
        remedy = "write {} for a policy that sets nothing, or delete the file"
        raise InvalidVersionError(
            f"injector {path.name} does not load: policy.yaml: is empty; {remedy}"
        )
    return text, f"sha256:{sha256(content).hexdigest()[:12]}"


def _has_content(text: str) -> bool:
    """Whether a line is left without comments: a file that is being rewritten may have none yet."""
    lines = (line.strip() for line in text.splitlines())
    return any(line and not line.startswith("#") and line != "---" for line in lines)


def _load_bundle(path: Path, digest: str | None) -> Mapping[str, bytes]:
    """The only bundle, or the one with this digest."""
    manifests = files.read_manifests(path / "bundle")
    if digest is None:
        return _complete(path.name, manifests)
    if bundle.digest(manifests) == digest:
        return manifests
    further = digest.removeprefix("sha256:")
    found = files.read_manifests(path / "bundles" / further)
    if found and bundle.digest(found) == digest:
        return found
    met = f"bundle/ is {bundle.digest(manifests)}, and {further} is not under bundles/"
    raise NotLoadedError(f"injector {path.name} does not load: /bundle: {digest}: {met}")


def _complete(injector: str, manifests: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """The manifests, none of them empty: a file that is being rewritten is so at first."""
    for name, content in manifests.items():
        if not content.strip():
            place = f"injector {injector} does not load: bundle: {name}"
            raise InvalidVersionError(f"{place}: is empty; write the manifest, or delete the file")
    return manifests


def _load_callers(path: Path) -> Callers | StoreError:
    """One cluster's callers, or why they are not known."""
    try:
        text = path.read_text()
        if not text.strip():
            remedy = "write the callers, or delete the file to revoke them all"
            return NotLoadedError(f"auth/{path.name} does not load: is empty; {remedy}")
        return caller_document.parse_callers(yaml.load(text))
    except (TokensError, UnicodeDecodeError) as error:
        return NotLoadedError(f"auth/{path.name} does not load: {error}")
    except yaml.NotYAMLError as error:
        # What is wrong there may quote a key, and so what should be kept nowhere.
        place = f"line {error.line} column {error.column}"
        return NotLoadedError(f"auth/{path.name} does not load: not YAML at {place}")
    except OSError as error:
        return UnavailableError(f"auth/{path.name} cannot be read: {error.strerror}")


def _is_stable(book: CallerRegistry) -> bool:
    """Whether all of it says what the files say; what could not be read may be the next time."""
    if book.missing is not None:
        return False
    kept = all(stale.is_invalid for stale in book.stale.values())
    return kept and not any(isinstance(e, UnavailableError) for e in book.load_errors.values())


def _make_stale(error: StoreError) -> Staleness:
    return Staleness(str(error), isinstance(error, NotLoadedError))
