"""Anchors and the aliases that repeat them, with go-yaml's guard against alias bombs."""

from __future__ import annotations

from collections.abc import Callable

from yaml.events import Event, NodeEvent, ScalarEvent

from podgraft.jsonvalue import JSON
from podgraft.lazy_dataclass import dataclass


@dataclass(slots=True)
class Anchor:
    """What an anchor names: a value, or a scalar's event, which means another thing as a key.

    ``size`` is the number of nodes that an alias repeats, 0 while the value is still being read.
    """

    value: JSON | ScalarEvent = None
    size: int = 0

    @classmethod
    def from_scalar(cls, event: ScalarEvent) -> Anchor:
        """The anchor of one scalar."""
        return cls(ScalarEvent(None, event.tag, event.implicit, event.value, event.start_mark), 1)

    def set_value(self, value: JSON, size: int) -> None:
        """The value is complete."""
        self.value = value
        self.size = size


class Expansion:
    """How much of a document comes from aliases: ``decodeCount`` and ``aliasCount`` of decode.go.

    Here an alias costs nothing, since values are shared; whoever prints them pays.
    """

    __slots__ = ("aliased", "decoded")

    def __init__(self) -> None:
        self.decoded = 1  # the document itself
        self.aliased = 0

    def count_events(self, next_event: Callable[[], Event]) -> Callable[[], Event]:
        """``next_event``, every node on its way counted."""

        def count() -> Event:
            event = next_event()
            if isinstance(event, NodeEvent):
                self.decoded += 1
            return event

        return count

    def add_alias(self, size: int) -> bool:
        """Count one alias to ``size`` nodes, and tell whether that is more than go-yaml allows."""
        self.decoded += size
        self.aliased += size
        few = self.aliased <= _ALWAYS_ALIASED or self.decoded <= _ALWAYS_DECODED
        return not few and self.aliased / self.decoded > _max_alias_ratio(self.decoded)


def _max_alias_ratio(decoded: int) -> float:
    """99 % of the nodes of small documents, falling to 10 % for large ones."""
    over = min(max(decoded - _LOW, 0) / (_HIGH - _LOW), 1.0)
    return 0.99 - 0.89 * over


_ALWAYS_ALIASED, _ALWAYS_DECODED = 100, 1000
_LOW, _HIGH = 400_000, 4_000_000  # nodes
