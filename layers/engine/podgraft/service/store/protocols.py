"""The interfaces of stores."""

from typing import Protocol, runtime_checkable

from podgraft.base.deadline import Deadline
from podgraft.core.versions.snapshot import Document, Snapshot, SnapshotSet
from podgraft.core.versions.version_check import NO_CHECK, VersionCheck

from .callers import CallerRegistry


class Store(Protocol):
    """A store of policies and bundles."""

    def snapshot(
        self, injector: str, cluster: str | None, deadline: Deadline | None = None
    ) -> Snapshot:
        """Return the snapshot in force, within the deadline; raises ``StoreError``."""
        ...

    def injectors(self, deadline: Deadline | None = None) -> tuple[str, ...]:
        """Return the names of all stored injectors, within the deadline; raises ``StoreError``."""
        ...


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
