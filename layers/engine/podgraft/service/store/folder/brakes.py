"""The brakes of a folder store: ``brake.yaml`` of the folder, and of each injector.

They are read apart from the other files of an injector, so a brake has an effect while those do not
load. Only a policy with a rollout needs this module.
"""

from collections.abc import Mapping
from pathlib import Path

from podgraft.core.versions.brake import parse_brakes
from podgraft.core.versions.candidate import check_candidate
from podgraft.core.versions.errors import StoreError, UnavailableError
from podgraft.core.versions.snapshot import Snapshot
from podgraft.service.store.names import brake_name, file_of

from . import files
from .file_cache import FileCache


class FolderBrakes:
    """The brakes of one injector; *seconds* as for ``FolderStore``."""

    def __init__(self, injector: Path, *, seconds: float = 0.0) -> None:
        names = brake_name(injector.name), brake_name()
        self._paths = tuple(file_of(injector.parent, name) for name in names)
        self._cache = FileCache(self._fingerprint, self._load, seconds)
        self._stopped: frozenset[str] | None = None

    def check_candidate(self, snapshot: Snapshot, denied: Mapping[str, str]) -> Snapshot:
        """Disable the candidate that a brake stops, or all of them if a brake is unreadable."""
        try:
            current = self._cache.current()
        except StoreError:
            return check_candidate(snapshot, frozenset(), denied, is_stale=True)
        if current.value != self._stopped and snapshot.candidate is not None:
            snapshot.candidate.fuse.reset()
        self._stopped = current.value
        return check_candidate(snapshot, current.value, denied, is_stale=current.error is not None)

    def _fingerprint(self) -> object:
        try:
            return tuple(files.fingerprint_file(path) for path in self._paths)
        except OSError as error:
            raise UnavailableError(f"a brake cannot be read: {error.strerror}") from error

    def _load(self) -> frozenset[str]:
        try:
            contents = [files.read_if_present(path) for path in self._paths]
        except OSError as error:
            raise UnavailableError(f"a brake cannot be read: {error.strerror}") from error
        texts = (content.decode(errors="replace") for content in contents if content is not None)
        return parse_brakes(texts)
