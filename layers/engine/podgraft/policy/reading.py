"""Reading a document into values: every fault noted at its place, none stops the reading.

A ``Spot`` is one value of the document and where it stands. A reader is a function of a spot: it
returns what it read, or notes a fault and returns ``None``.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from enum import Enum
from typing import TypeVar

from podgraft import jsonvalue
from podgraft.diagnostics import Severity
from podgraft.jsonvalue import JSON, Object
from podgraft.kube import SelectorError, selectors
from podgraft.patch import pointer
from podgraft.records import dataclass

from .errors import Fault

T = TypeVar("T")

_SHOWN_CHARACTERS = 60


class Wanted(Enum):
    """A type of values, and how to write one where another was met."""

    TEXT = ("a string", "write a text")
    FLAG = ("true or false", "write true or false, without quotes")
    LIST = ("a list", "write - before each element, or [] for none")
    MAPPING = ("a mapping", "write key: value, one a line, or {} for none")

    def remedy(self, met: JSON) -> str:
        """What to write instead of *met*."""
        # True, 1 and 1.30 are what YAML makes of words that were meant as text.
        quotes = self is Wanted.TEXT and isinstance(met, bool | int | float)
        return "put it in quotes" if quotes else self.value[1]


@dataclass(frozen=True, slots=True)
class Notes:
    """What was found wrong so far. ``tolerated`` are faults that need not stop a review."""

    faults: list[Fault] = field(default_factory=list[Fault])
    tolerated: list[Fault] = field(default_factory=list[Fault])


@dataclass(frozen=True, slots=True)
class Spot:
    """One value and its JSON Pointer."""

    value: JSON
    path: str
    notes: Notes

    def fault(self, problem: str, remedy: str) -> None:
        """Note a fault of this value."""
        self.notes.faults.append(Fault(self.path, problem, remedy))

    def tolerate(self, problem: str, remedy: str) -> None:
        """Note a fault that need not stop a review."""
        self.notes.tolerated.append(Fault(self.path, problem, remedy))

    def warn(self, problem: str, remedy: str) -> None:
        """Note a warning, which stops neither a review nor ``policy push``."""
        self.notes.tolerated.append(Fault(self.path, problem, remedy, Severity.WARNING))

    def expected(self, wanted: Wanted) -> None:
        """Note that the value is of another type than wanted."""
        # Without the value: it may be one of the environment, in the wrong form.
        met = f"expected {wanted.value[0]}, got {jsonvalue.kind(self.value)}"
        self.fault(met, wanted.remedy(self.value))

    def under(self, key: str | int, value: JSON) -> "Spot":
        """A value inside this one."""
        return Spot(value, f"{self.path}/{pointer.escape(str(key))}", self.notes)

    def items(self) -> Iterator["Spot"] | None:
        """The elements of a list."""
        if not isinstance(self.value, list):
            self.expected(Wanted.LIST)
            return None
        return (self.under(index, value) for index, value in enumerate(self.value))

    def entries(self) -> Mapping[str, "Spot"] | None:
        """The values of a mapping, by key; null counts as absent."""
        if not isinstance(self.value, dict):
            self.expected(Wanted.MAPPING)
            return None
        return {k: self.under(k, v) for k, v in self.value.items() if v is not None}


class Keys:
    """The keys of one mapping, read one by one; ``close`` notes those that nobody asked for."""

    def __init__(self, spot: Spot) -> None:
        self._spot = spot
        self._entries = spot.entries() or {}
        self._known: list[str] = []

    def read(self, key: str, reader: Callable[[Spot], T | None]) -> T | None:
        """What *reader* makes of the value; ``None`` for an absent key too."""
        self._known.append(key)
        spot = self._entries.get(key)
        return None if spot is None else reader(spot)

    def close(self) -> None:
        """Note unknown keys; called when every known one was read."""
        given: Object = self._spot.value if isinstance(self._spot.value, dict) else {}
        for key in given:
            if key not in self._known:
                self._spot.under(key, None).fault("unknown key", _suggestion(key, self._known))


def text(spot: Spot) -> str | None:
    """A string."""
    if isinstance(spot.value, str):
        return spot.value
    return spot.expected(Wanted.TEXT)


def flag(spot: Spot) -> bool | None:
    """A boolean."""
    if isinstance(spot.value, bool):
        return spot.value
    return spot.expected(Wanted.FLAG)


def texts(spot: Spot) -> tuple[str, ...] | None:
    """A list of strings."""
    items = spot.items()
    if items is None:
        return None
    return tuple(value for value in map(text, items) if value is not None)


def text_map(spot: Spot) -> Mapping[str, str] | None:
    """A mapping of strings to strings."""
    entries = spot.entries()
    if entries is None:
        return None
    read = {key: text(value) for key, value in entries.items()}
    return {key: value for key, value in read.items() if value is not None}


def selector(spot: Spot) -> selectors.Selector | None:
    """A LabelSelector; each of its faults is noted at its own place."""
    if not isinstance(spot.value, dict):
        return spot.expected(Wanted.MAPPING)
    try:
        return selectors.compile_(spot.value)
    except SelectorError as error:
        for fault in error.faults:
            replace(spot, path=spot.path + fault.path).fault(fault.problem, fault.remedy)
        return None


def shown(value: JSON) -> str:
    """A value as an error message shows it: as JSON, cut where it is long."""
    printed = jsonvalue.dump(value)
    return printed if len(printed) <= _SHOWN_CHARACTERS else f"{printed[:_SHOWN_CHARACTERS]}…"


def _suggestion(key: str, known: list[str]) -> str:
    # Imported here: only a faulty document needs it.
    from difflib import get_close_matches

    close = get_close_matches(key, known, n=1)
    return f"did you mean {close[0]}?" if close else f"known: {', '.join(known)}"
