"""Anchors and aliases, with go-yaml's limit for the expansion of aliases."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from yaml.events import Event, NodeEvent, ScalarEvent

from podgraft.base.jsonvalue import JSON


class Anchor(Struct):
    """The target of an anchor: a value, or the event of a scalar, which has another value as a key.

    ``size`` is the number of nodes that an alias repeats; 0 until the value is complete.
    """

    value: JSON | ScalarEvent = None
    size: int = 0

    @classmethod
    def from_scalar(cls, event: ScalarEvent) -> Anchor:
        """The anchor of one scalar."""
        return cls(ScalarEvent(None, event.tag, event.implicit, event.value, event.start_mark), 1)

    def set_value(self, value: JSON, size: int) -> None:
        """Set the complete value."""
        self.value = value
        self.size = size


class Expansion:
    """The share of a document from aliases: ``decodeCount`` and ``aliasCount`` of decode.go.

    An alias itself is cheap, because values are shared. To print the expanded value is expensive.
    """

    __slots__ = ("aliased", "decoded")

    def __init__(self) -> None:
        self.decoded = 1  # the document itself
        self.aliased = 0

    def count_events(self, next_event: Callable[[], Event]) -> Callable[[], Event]:
        """Wrap ``next_event`` to count all nodes."""

        def count() -> Event:
            event = next_event()
            if isinstance(event, NodeEvent):
                self.decoded += 1
            return event

        return count

    def add_alias(self, size: int) -> bool:
        """Count an alias to ``size`` nodes. Return whether the document exceeds go-yaml's limit."""
        self.decoded += size
        self.aliased += size
        few = self.aliased <= _ALWAYS_ALIASED or self.decoded <= _ALWAYS_DECODED
        return not few and self.aliased / self.decoded > _max_alias_ratio(self.decoded)


def _max_alias_ratio(decoded: int) -> float:
    """The limit: 99 % of the nodes of small documents, decreasing to 10 % for large ones."""
    excess = min(max(decoded - _LOW, 0) / (_HIGH - _LOW), 1.0)
    return 0.99 - 0.89 * excess


_ALWAYS_ALIASED, _ALWAYS_DECODED = 100, 1000
_LOW, _HIGH = 400_000, 4_000_000  # nodes
