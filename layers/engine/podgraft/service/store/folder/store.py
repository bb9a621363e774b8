"""The store in a folder: policies, bundles, and callers as files, reloaded when they change.

::

    <folder>/<injector>/policy.yaml         optional
    <folder>/<injector>/bundle/…            the manifests
    <folder>/<injector>/bundles/<digest>/…  more bundles, which a policy names as sha256:<digest>
    <folder>/auth/<cluster>.yaml            the callers of a cluster
    <folder>/brake.yaml                     stops all rollouts; also <injector>/brake.yaml
    <folder>/denied.yaml                    digests of bundles that must not load, with reasons

An unreadable file never replaces the loaded version. If the folder of an injector exists without
policy.yaml, the injector has no policy. If auth/ exists without the file of a cluster, the callers
of the cluster are revoked.
"""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from podgraft.base.deadline import Deadline
from podgraft.core import bundle
from podgraft.core.identifiers import is_injector
from podgraft.core.versions.errors import (
    InvalidVersionError,
    NotLoadedError,
    StoreError,
    UnavailableError,
    UnknownInjectorError,
    UntrustedError,
)
from podgraft.core.versions.snapshot import Document, Snapshot, SnapshotSet
from podgraft.core.versions.snapshot_loader import load_snapshots
from podgraft.core.versions.version_check import VersionCheck, parse_denied
from podgraft.service.store.names import DENIED, file_of, policy_name

from . import files
from .file_cache import FileCache
from .files import convert_errors, make_stale

if TYPE_CHECKING:
    from podgraft.core.signing.verifier import Verifier
    from podgraft.service.store.last_known_good import FileLastKnownGoodStore

    from .brakes import FolderBrakes


class FolderStore:
    """Policies and bundles from files; *deferred* as for ``CachedStore``.

    A change is in force after at most *seconds*, plus 0.1 ms per file above 100 files.
    *last_known_good* shares the last version that loaded with other processes. With *verifier*, the
    store verifies the signature of each version.
    """

    def __init__(
        self,
        folder: Path,
        *,
        deferred: bool = False,
        seconds: float = 0.0,
        last_known_good: "FileLastKnownGoodStore | None" = None,
        verifier: "Verifier | None" = None,
    ) -> None:
        self._folder = folder
        self._make_loader = partial(
            _InjectorLoader,
            deferred=deferred,
            seconds=seconds,
            last_known_good=last_known_good,
            verifier=verifier,
        )
        self._injectors: dict[str, _InjectorLoader] = {}

    def snapshot(
        self,
        injector: str,
        cluster: str | None,
        deadline: Deadline | None = None,
        groups: tuple[str, ...] = (),
    ) -> Snapshot:
        """Return the snapshot of the current files; a local disk needs no deadline."""
        del deadline
        loader = self._injectors.get(injector)
        if loader is None:
            loader = self._injectors[injector] = self._open(injector)
        current = loader.cache.current()
        if current.error is not None:
            # The version in force, while the files do not load.
            loader.check_denied(current.value)
        snapshot = current.value.for_cluster(
            cluster, make_stale(current.error) if current.error else None, groups
        )
        return snapshot if snapshot.candidate is None else loader.check_candidate(snapshot)

    def injectors(self, deadline: Deadline | None = None) -> tuple[str, ...]:
        """Return the folders with a valid injector name, and all loaded injectors."""
        del deadline
        loaded = {name for name, each in self._injectors.items() if not each.cache.is_empty}
        try:
            folders = [path for path in self._folder.iterdir() if path.is_dir()]
            names = {path.name for path in folders if is_injector(path.name)}
        except OSError as error:
            if not loaded:
                raise UnavailableError(f"the store cannot be read: {error.strerror}") from error
            names = set[str]()
        return tuple(sorted(names | loaded))

    def _open(self, name: str) -> "_InjectorLoader":
        path = self._folder / name
        loader = self._make_loader(path)
        if not is_injector(name) or not self._exists(path, loader):
            raise UnknownInjectorError(f"injector {name}: the store has no folder of this name")
        return loader

    def _exists(self, path: Path, loader: "_InjectorLoader") -> bool:
        """Whether an injector exists; raises ``UnavailableError`` if the check fails.

        If the store is missing, an injector with a last known good version still exists.
        """
        try:
            with convert_errors(f"injector {path.name}", self._folder):
                self._folder.stat()
                if files.is_present(path):
                    return path.is_dir()
                is_store_missing = files.is_empty(self._folder)
        except UnavailableError:
            if loader.restore() is None:
                raise
            return True
        return is_store_missing and loader.restore() is not None


class _InjectorLoader:
    """Loads the files of one injector, and stores the version for other processes."""

    def __init__(
        self,
        path: Path,
        *,
        deferred: bool,
        seconds: float,
        last_known_good: "FileLastKnownGoodStore | None",
        verifier: "Verifier | None",
    ) -> None:
        self._path = path
        self._deferred = deferred
        self._last_known_good = last_known_good
        self._denied_path = file_of(path.parent, DENIED)
        # A folder has no versions: the highest one that loaded is the oldest one that can load.
        self._check = VersionCheck(subject=f"folder:{path.name}", verifier=verifier)
        self._document: Document | None = None
        self._seconds = seconds

        self._brakes: FolderBrakes | None = None
        self.cache = FileCache(
            self._fingerprint, self.load, seconds, keep=self.keep, restore=self.restore
        )

    def check_candidate(self, snapshot: Snapshot) -> Snapshot:
        """Disable the candidate that a brake or the deny list stops."""
        from .brakes import FolderBrakes  # only a policy with a rollout needs it

        if self._brakes is None:
            self._brakes = FolderBrakes(self._path, seconds=self._seconds)
        return self._brakes.check_candidate(snapshot, self._check.denied)

    def load(self) -> SnapshotSet:
        """Load the current files; raises ``StoreError`` for an invalid version."""
        path, deferred = self._path, self._deferred and self.cache.is_empty
        check = self._refresh_denied()  # first: it is in force even if the policy is unreadable
        text, version = _policy(path)
        bundles: dict[str | None, Mapping[str, bytes]] = {}

        def fetch(digest: str | None) -> Mapping[str, bytes]:
            with convert_errors(f"injector {path.name}", path):
                bundles[digest] = _load_bundle(path, digest)
            return bundles[digest]

        snapshots = load_snapshots(
            path.name, text, version, fetch, parse_lazily=deferred, check=check
        )
        if not deferred:
            from podgraft.core.versions.trial import prove  # no cold start needs it

            prove(path.name, snapshots.values())
        self._document = Document(text, version, bundles)
        self._check = replace(check, oldest=check.find_version(text))
        return snapshots

    def _fingerprint(self) -> object:
        with convert_errors(f"injector {self._path.name}", self._path):
            stats = files.fingerprint(str(self._path))
        with convert_errors("the deny list", self._denied_path):
            denied = files.fingerprint_file(self._denied_path)
        return (*stats, *denied) if denied else stats

    def _read_denied(self) -> Mapping[str, str]:
        with convert_errors("the deny list", self._denied_path):
            content = files.read_if_present(self._denied_path)
        return parse_denied((content or b"").decode(errors="replace"), self._denied_path.name)

    def _refresh_denied(self) -> VersionCheck:
        self._check = replace(self._check, denied=self._read_denied())
        return self._check

    def check_denied(self, snapshots: SnapshotSet) -> None:
        """Raise ``UntrustedError`` for a version with a denied bundle, which was in force.

        The files of the injector did not load, so this reads the deny list. If it is unreadable,
        too, the last one remains.
        """
        with suppress(StoreError):
            self._refresh_denied()
        denial = self._check.find_denial(snapshots.digests)
        if denial is not None:
            raise UntrustedError(f"injector {self._path.name} does not load: {denial}")

    def keep(self, snapshots: SnapshotSet) -> None:
        """Store the version that was loaded last."""
        document, self._document = self._document, None  # releases the memory of its files
        if self._last_known_good and document:
            self._last_known_good.save(self._path.name, document, snapshots)

    def restore(self) -> SnapshotSet | None:
        """Return the version that any process stored last."""
        if self._last_known_good is None:
            return None
        return self._last_known_good.restore(self._path.name, self._check)


def _policy(path: Path) -> tuple[str, str]:
    """Return the text of the policy, empty if it is missing, and its version."""
    with convert_errors(f"injector {path.name}", path):
        content = files.read_if_present(file_of(path.parent, policy_name(path.name)))
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
    """Whether a policy has a line besides comments; an editor can truncate a file first."""
    lines = (line.strip() for line in text.splitlines())
    return any(line and not line.startswith("#") and line != "---" for line in lines)


def _load_bundle(path: Path, digest: str | None) -> Mapping[str, bytes]:
    """Return the only bundle, or the one with this digest."""
    manifests = files.read_manifests(path / "bundle")
    if digest is None:
        return _complete(path.name, manifests)
    if bundle.digest(manifests) == digest:
        return manifests
    further = digest.removeprefix("sha256:")
    manifests_by_digest = files.read_manifests(path / "bundles" / further)
    if manifests_by_digest and bundle.digest(manifests_by_digest) == digest:
        return manifests_by_digest
    actual = f"bundle/ is {bundle.digest(manifests)}, and {further} is not under bundles/"
    raise NotLoadedError(f"injector {path.name} does not load: /bundle: {digest}: {actual}")


def _complete(injector: str, manifests: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """Check that no manifest is empty; an editor can truncate a file before it writes."""
    for name, content in manifests.items():
        if not content.strip():
            location = f"injector {injector} does not load: bundle: {name}"
            raise InvalidVersionError(
                f"{location}: is empty; write the manifest, or delete the file"
            )
    return manifests
