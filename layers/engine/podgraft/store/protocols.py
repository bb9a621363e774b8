"""What the rest of podgraft asks of a store, whatever is behind it."""

from collections.abc import Mapping
from typing import Protocol

from .snapshot import Snapshot
from .tokens import Callers


class Store(Protocol):
    """Where policies and bundles are kept."""

    def snapshot(
        self, injector: str, cluster: str | None, deadline_seconds: float | None = None
    ) -> Snapshot:
        """The snapshot to answer from, got within the deadline; raises ``StoreError``."""
        ...

    def injectors(self) -> tuple[str, ...]:
        """The names of all injectors that are stored."""
        ...


class CallerStore(Protocol):
    """Where it is kept who may call."""

    def callers(self, deadline_seconds: float | None = None) -> Mapping[str, Callers]:
        """The callers of every cluster, got within the deadline; raises ``StoreError``."""
        ...
