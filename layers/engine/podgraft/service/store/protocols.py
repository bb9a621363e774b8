"""The interfaces of stores; that of versions is ``core/versions/snapshot.py``."""

from typing import Protocol, runtime_checkable

from podgraft.base.deadline import Deadline

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
