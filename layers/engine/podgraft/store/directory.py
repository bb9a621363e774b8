"""A folder as store: policies, bundles and callers as files, reloaded when they change.

::

    <folder>/<injector>/policy.yaml         optional
    <folder>/<injector>/bundle/…            the manifests
    <folder>/<injector>/bundles/<digest>/…  more bundles, which a policy names as sha256:<digest>
    <folder>/auth/<cluster>.yaml            who may call for a cluster (tokens.py)
"""

import os
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from podgraft import bundle, kubeyaml

from . import tokens
from .book import Book, Pages
from .deadline import Deadline
from .errors import NotLoadedError, StoreError, UnavailableError, UnknownInjectorError
from .names import is_name
from .reloading import Reloading
from .snapshot import Snapshot, Snapshots, Stale, load
from .tokens import Callers, TokensError


class DirectoryStore:
    """Policies and bundles from files; ``deferred`` as for ``CachedStore``.

    Changes of the files are seen after ``seconds`` at the latest.
    """

    def __init__(self, folder: Path, *, deferred: bool = False, seconds: float = 0.0) -> None:
        self._folder = folder
        self._deferred = deferred
        self._seconds = seconds
        self._injectors: dict[str, Reloading[Snapshots]] = {}

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
        return current.value.of(cluster, _stale(current.error) if current.error else None)

    def injectors(self) -> tuple[str, ...]:
        """The folders that can be injectors."""
        return tuple(sorted(path.name for path in self._folder.iterdir() if _is_injector(path)))

    def _injector(self, name: str) -> Reloading[Snapshots]:
        path = self._folder / name
        if not is_name(name) or not path.is_dir():
            raise UnknownInjectorError(f"injector {name}: the store has no folder of this name")

        def snapshots() -> Snapshots:
            return _snapshots(path, deferred=self._deferred and reloading.empty)

        reloading = Reloading(lambda: _fingerprint(str(path)), snapshots, self._seconds)
        return reloading


class DirectoryCallers:
    """Who may call, by cluster, from files; ``seconds`` as for ``DirectoryStore``."""

    def __init__(self, folder: Path, *, seconds: float = 0.0) -> None:
        path = folder / "auth"
        self._path = path
        self._pages = Pages()
        self._reloading = Reloading(
            lambda: _fingerprint(str(path)), self._book, seconds, settled=_readable
        )

    def callers(self, deadline: Deadline | None = None) -> Book:
        """All callers of all clusters; a local disk needs no deadline."""
        del deadline
        return self._reloading.current().value

    def _book(self) -> Book:
        read = {path.stem: _callers(path) for path in sorted(self._path.glob("*.yaml"))}
        pages = self._pages = self._pages.turned(read)
        stale = {cluster: _stale(kept.problem) for cluster, kept in pages.kept.items()}
        return Book(pages.callers, stale, pages.unread)


def _is_injector(path: Path) -> bool:
    return is_name(path.name) and path.is_dir()


def _snapshots(path: Path, *, deferred: bool) -> Snapshots:
    try:
        document = path / "policy.yaml"
        text = document.read_bytes() if document.exists() else b""
        version = f"sha256:{sha256(text).hexdigest()[:12]}" if text else "none"

        def fetch(digest: str | None) -> Mapping[str, bytes]:
            return _bundle(path, digest)

        snapshots = load(path.name, text.decode(), version, fetch, deferred=deferred)
    except UnicodeDecodeError as error:
        raise NotLoadedError(f"injector {path.name} does not load: policy: {error}") from error
    except OSError as error:
        raise UnavailableError(f"injector {path.name} cannot be read: {error.strerror}") from error
    if not deferred:
        from .proving import prove  # no cold start needs it

        prove(path.name, snapshots)
    return snapshots


def _bundle(path: Path, digest: str | None) -> Mapping[str, bytes]:
    """The only bundle, or the one with this digest."""
    files = _files(path / "bundle")
    if digest is None or bundle.digest(files) == digest:
        return files
    further = path / "bundles" / digest.removeprefix("sha256:")
    found = _files(further)
    if found and bundle.digest(found) == digest:
        return found
    met = f"bundle/ is {bundle.digest(files)}, and {further.name} is not under bundles/"
    raise NotLoadedError(f"injector {path.name} does not load: /bundle: {digest}: {met}")


def _files(folder: Path) -> dict[str, bytes]:
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    return {
        name: path.read_bytes()
        for name, path in paths.items()
        if bundle.is_manifest(name) and path.is_file()
    }


def _callers(path: Path) -> Callers | StoreError:
    """One cluster's callers, or why they are not known."""
    try:
        return tokens.parse(kubeyaml.load(path.read_text()))
    except (TokensError, UnicodeDecodeError) as error:
        return NotLoadedError(f"auth/{path.name} does not load: {error}")
    except kubeyaml.NotYAMLError as error:
        # What is wrong there may quote a key, and so what should be kept nowhere.
        place = f"line {error.line} column {error.column}"
        return NotLoadedError(f"auth/{path.name} does not load: not YAML at {place}")
    except OSError as error:
        return UnavailableError(f"auth/{path.name} cannot be read: {error.strerror}")


def _readable(book: Book) -> bool:
    """Whether all of it says what the files say; what could not be read may be the next time."""
    kept = all(stale.refused for stale in book.stale.values())
    return kept and not any(isinstance(e, UnavailableError) for e in book.unread.values())


def _stale(error: StoreError) -> Stale:
    return Stale(str(error), isinstance(error, NotLoadedError))


def _fingerprint(folder: str) -> tuple[tuple[str, int, int, int], ...]:
    """What changes when any file under the folder does; a system call a file."""
    return tuple(sorted(_marks(folder)))


def _marks(folder: str) -> Iterator[tuple[str, int, int, int]]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir():
                    yield from _marks(entry.path)
                else:
                    status = entry.stat()
                    yield entry.path, status.st_mtime_ns, status.st_size, status.st_ino
    except FileNotFoundError:
        return  # of a folder that is not there nothing can be read either
