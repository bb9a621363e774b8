"""What the rest of podgraft asks of a store, whatever is behind it."""

from typing import Protocol

from podgraft.deadline import Deadline

from .callers import CallerRegistry
from .snapshot import Document, Snapshot, SnapshotSet


class Store(Protocol):
    """Where policies and bundles are kept."""

    def snapshot(
        self, injector: str, cluster: str | None, deadline: Deadline | None = None
    ) -> Snapshot:
        """The snapshot to answer from, got within the deadline; raises ``StoreError``."""
        ...

    def injectors(self) -> tuple[str, ...]:
        """The names of all injectors that are stored."""
        ...


class CallerStore(Protocol):
    """Where it is kept who may call."""

    def callers(self, deadline: Deadline | None = None) -> CallerRegistry:
        """The callers of every cluster, got within the deadline; raises ``StoreError``."""
        ...


class LastGood(Protocol):
    """Where the last version that loaded is kept, for processes that did not load it."""

    def save(self, injector: str, document: Document, snapshots: SnapshotSet) -> None:
        """Keep a version that loaded; a failure to do so is logged."""
        ...

    def restore(self, injector: str) -> SnapshotSet | None:
        """The version that was kept last, if there is one."""
        ...
