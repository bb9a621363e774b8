"""The interfaces of stores; that of versions is ``core/versions/store.py``."""

from typing import Protocol, runtime_checkable

from podgraft.base.deadline import Deadline
from podgraft.core.versions.snapshot import Document, SnapshotSet
from podgraft.core.versions.version_check import NO_CHECK, VersionCheck

from .callers import CallerRegistry


@runtime_checkable
class CachingStore(Protocol):
    """A store that caches what it read for some seconds."""

    def expire(self) -> None:
        """Let the next request read again."""
        ...


class CallerStore(Protocol):
    """A store of callers."""

    def callers(self, deadline: Deadline | None = None) -> CallerRegistry:
        """Return the callers of every cluster, within the deadline; raises ``StoreError``."""
        ...


class LastKnownGoodStore(Protocol):
    """A store of the last known good version, shared by processes."""

    def save(self, injector: str, document: Document, snapshots: SnapshotSet) -> None:
        """Store a version that loaded; logs an error if that fails."""
        ...

    def restore(self, injector: str, check: VersionCheck = NO_CHECK) -> SnapshotSet | None:
        """Return the version that was stored last; ``None`` if none satisfies *check*."""
        ...
