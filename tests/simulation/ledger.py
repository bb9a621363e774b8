"""What happened in a run. The laws read it, and it imports nothing of podgraft."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a run, at a virtual time, in a lane such as ``env/2``."""

    time: float
    lane: str
    kind: str
    facts: dict[str, Any]

    def line(self) -> str:
        """Return the event as a line of JSON; two equal runs have equal lines."""
        facts = {key: value for key, value in self.facts.items() if not key.startswith("_")}
        return json.dumps(
            {"t": round(self.time, 6), "lane": self.lane, "kind": self.kind, **facts},
            sort_keys=True,
            default=str,
        )


@dataclass(frozen=True, slots=True)
class Violation:
    """A law that does not hold, and what happened."""

    time: float
    law: str
    text: str


@dataclass(slots=True)
class Ledger:
    """All events. A watcher gets each event when it happens, and can report a violation."""

    clock: Callable[[], float]
    keeps: bool = True  # a fleet has too many events
    events: list[Event] = field(default_factory=list[Event])
    violations: list[Violation] = field(default_factory=list[Violation])
    watchers: list[Callable[[Event], None]] = field(default_factory=list[Callable[[Event], None]])

    def add(self, lane: str, kind: str, **facts: Any) -> Event:
        """Record an event, and let the laws judge it."""
        event = Event(self.clock(), lane, kind, facts)
        if self.keeps:
            self.events.append(event)
        for watch in self.watchers:
            watch(event)
        return event

    def violate(self, law: str, text: str) -> None:
        """Record a violation."""
        self.violations.append(Violation(self.clock(), law, text))
