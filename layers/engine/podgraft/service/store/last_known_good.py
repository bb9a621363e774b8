"""The last known good version of each injector, in files that all processes of a server share.

A folder has no earlier versions. After each load, the file of an injector is replaced atomically.
It is read only if the files of the store do not load. It contains the same data as the store, so
only its owner can read it. It contains no callers: an old file could restore a revoked token.
"""

import json
import logging
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, TypeAlias

from podgraft.core.versions.errors import StoreError
from podgraft.core.versions.snapshot import Document, SnapshotSet
from podgraft.core.versions.snapshot_loader import load_snapshots
from podgraft.core.versions.version_check import NO_CHECK, VersionCheck

_LOG = logging.getLogger("podgraft.service.store")
_ONLY_BUNDLE = ""  # as a key of JSON
_FileIdentity: TypeAlias = tuple[int, int, int]  # modification time, size, inode


@dataclass(frozen=True, slots=True)
class _Restored:
    """The version that a file loads to, with the identity of the file."""

    identity: _FileIdentity
    snapshots: SnapshotSet | None


class FileLastKnownGoodStore:
    """Last known good versions in a folder. Threads and processes can share it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._restored: dict[str, _Restored] = {}

    def save(self, injector: str, document: Document, snapshots: SnapshotSet) -> None:
        """Replace the file of an injector, unless its content is the same."""
        content = _encode(document)
        path = self._path(injector)
        try:
            identity = _file_identity(path) if path.exists() else None
            if identity is None or path.read_bytes() != content:
                identity = _replace(path, content)
            self._restored[injector] = _Restored(identity, snapshots)
        except OSError as error:
            # The version is in force even if its file cannot be written.
            _LOG.warning(
                "cannot store the last known good version of %s: %s", injector, error.strerror
            )

    def restore(self, injector: str, check: VersionCheck = NO_CHECK) -> SnapshotSet | None:
        """Return the version in the file, compiled once; ``None`` if no version loads.

        A version that this process did not load itself must satisfy *check*. No version with a
        denied bundle is returned.
        """
        path = self._path(injector)
        try:
            identity = _file_identity(path)
            restored = self._restored.get(injector)
            if restored is None or restored.identity != identity:
                restored = _Restored(identity, _load(injector, path.read_bytes(), check))
                self._restored[injector] = restored
        except OSError:
            return None
        snapshots = restored.snapshots
        return None if snapshots and check.find_denial(snapshots.digests) else snapshots

    def _path(self, injector: str) -> Path:
        return self._folder / f"{injector}.json"


def _file_identity(path: Path) -> _FileIdentity:
    status = path.stat()
    return status.st_mtime_ns, status.st_size, status.st_ino


def _replace(path: Path, content: bytes) -> _FileIdentity:
    """Write a file atomically; return its new identity."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = NamedTemporaryFile(dir=path.parent, prefix=".", delete=False)  # noqa: SIM115
    temporary = Path(file.name)
    try:
        with file:
            file.write(content)
        identity = _file_identity(temporary)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)  # a full disk would otherwise fill with parts of files
        raise
    return identity


def _load(injector: str, content: bytes, check: VersionCheck) -> SnapshotSet | None:
    """Load a version; ``None`` if this release of podgraft rejects it."""
    try:
        document = _decode(content)
        return load_snapshots(
            injector,
            document.text,
            document.version,
            lambda digest: document.bundles[digest],
            check=check,
        )
    except (StoreError, ValueError, LookupError, TypeError, AttributeError):
        _LOG.warning("the last known good version of %s does not load", injector)
        return None


def _encode(document: Document) -> bytes:
    bundles = {
        digest or _ONLY_BUNDLE: {name: b64encode(text).decode() for name, text in files.items()}
        for digest, files in document.bundles.items()
    }
    content = {"policy": document.text, "version": document.version, "bundles": bundles}
    return json.dumps(content, sort_keys=True).encode()


def _decode(content: bytes) -> Document:
    document: Any = json.loads(content)
    bundles: dict[str | None, Mapping[str, bytes]] = {
        digest or None: {name: b64decode(text) for name, text in files.items()}
        for digest, files in document["bundles"].items()
    }
    return Document(document["policy"], document["version"], bundles)
