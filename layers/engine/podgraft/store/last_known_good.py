"""The last version of each injector that loaded, in files that all processes of a server share.

A folder has no earlier versions to fall back to. The file of an injector is replaced atomically
after each load, and read only if the store's own files do not load. It contains what the store
contains, so only the owner can read it. Callers are not kept: that could revive a revoked token.
"""

import json
import logging
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, TypeAlias

from .errors import StoreError
from .snapshot import Document, SnapshotSet, load_snapshots

_LOG = logging.getLogger("podgraft.store")
_ONLY_BUNDLE = ""  # as a key of JSON
_Mark: TypeAlias = tuple[int, int, int]  # modification time, size, inode


@dataclass(frozen=True, slots=True)
class _Restored:
    """What a file loads to, by the file's identity."""

    mark: _Mark
    snapshots: SnapshotSet | None


class FileLastGood:
    """A ``LastGood`` in a folder. Threads and processes may share it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._restored: dict[str, _Restored] = {}

    def save(self, injector: str, document: Document, snapshots: SnapshotSet) -> None:
        """Replace the file of an injector, unless it is the same."""
        content = _encode(document)
        path = self._path(injector)
        try:
            mark = _mark(path) if path.exists() else None
            if mark is None or path.read_bytes() != content:
                mark = _replace(path, content)
            self._restored[injector] = _Restored(mark, snapshots)
        except OSError as error:
            # The version that loaded is in force all the same.
            _LOG.warning("cannot keep the last good version of %s: %s", injector, error.strerror)

    def restore(self, injector: str) -> SnapshotSet | None:
        """The version in the file, compiled once; ``None`` if there is none that loads."""
        path = self._path(injector)
        try:
            mark = _mark(path)
            restored = self._restored.get(injector)
            if restored is None or restored.mark != mark:
                restored = _Restored(mark, _load(injector, path.read_bytes()))
                self._restored[injector] = restored
        except OSError:
            return None
        return restored.snapshots

    def _path(self, injector: str) -> Path:
        return self._folder / f"{injector}.json"


def _mark(path: Path) -> _Mark:
    status = path.stat()
    return status.st_mtime_ns, status.st_size, status.st_ino


def _replace(path: Path, content: bytes) -> _Mark:
    """Write a file atomically; the mark that it has from then on."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
        file.write(content)
    mark = _mark(Path(file.name))
    Path(file.name).replace(path)
    return mark


def _load(injector: str, content: bytes) -> SnapshotSet | None:
    """Load a kept version; another release of podgraft can refuse what this file contains."""
    try:
        document = _decode(content)
        return load_snapshots(
            injector, document.text, document.version, lambda digest: document.bundles[digest]
        )
    except (StoreError, ValueError, LookupError, TypeError, AttributeError):
        _LOG.warning("the kept version of %s does not load", injector)
        return None


def _encode(document: Document) -> bytes:
    bundles = {
        digest or _ONLY_BUNDLE: {name: b64encode(text).decode() for name, text in files.items()}
        for digest, files in document.bundles.items()
    }
    kept = {"policy": document.text, "version": document.version, "bundles": bundles}
    return json.dumps(kept, sort_keys=True).encode()


def _decode(content: bytes) -> Document:
    kept: Any = json.loads(content)
    bundles: dict[str | None, Mapping[str, bytes]] = {
        digest or None: {name: b64decode(text) for name, text in files.items()}
        for digest, files in kept["bundles"].items()
    }
    return Document(kept["policy"], kept["version"], bundles)
