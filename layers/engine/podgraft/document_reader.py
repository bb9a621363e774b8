"""Reading a document into values: every fault noted at its place, none stops the reading.

A ``Spot`` is one value of the document and where it stands. A reader is a function of a spot: it
returns what it read, or notes a fault and returns ``None``.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from enum import Enum
from typing import TypeVar

from podgraft import jsonvalue
from podgraft.diagnostics import Diagnostic, Severity
from podgraft.jsonvalue import JSON, Object
from podgraft.kube import SelectorError, selectors
from podgraft.lazy_dataclass import dataclass
from podgraft.patch import pointer

T = TypeVar("T")

_MAX_VALUE_CHARACTERS = 60


class JSONType(Enum):
    """A type of values, and how to write one where another was met."""

    TEXT = ("a string", "write a text")
    FLAG = ("true or false", "write true or false, without quotes")
    LIST = ("a list", "write - before each element, or [] for none")
    MAPPING = ("a mapping", "write key: value, one a line, or {} for none")

    def conversion_hint(self, met: JSON) -> str:
        """What to write instead of *met*."""
        # True, 1 and 1.30 are what YAML makes of words that were meant as text.
        quotes = self is JSONType.TEXT and isinstance(met, bool | int | float)
        return "put it in quotes" if quotes else self.value[1]


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """What was found wrong so far. ``tolerated`` are faults that need not stop a review."""

    errors: list[Diagnostic] = field(default_factory=list[Diagnostic])
    warnings: list[Diagnostic] = field(default_factory=list[Diagnostic])


@dataclass(frozen=True, slots=True)
class Cursor:
    """One value and its JSON Pointer."""

    value: JSON
    pointer: str
    diagnostics: Diagnostics

    def add_error(self, problem: str, remedy: str) -> None:
        """Note a fault of this value."""
        self.diagnostics.errors.append(
            Diagnostic(pointer=self.pointer, problem=problem, remedy=remedy)
        )

    def add_warning(self, problem: str, remedy: str) -> None:
        """Note a fault that need not stop a review."""
        self.diagnostics.warnings.append(
            Diagnostic(pointer=self.pointer, problem=problem, remedy=remedy)
        )

    def warn(self, problem: str, remedy: str) -> None:
        """Note a warning, which stops neither a review nor ``policy push``."""
        self.diagnostics.warnings.append(
            Diagnostic(
                pointer=self.pointer, problem=problem, remedy=remedy, severity=Severity.WARNING
            )
        )

    def add_type_error(self, wanted: JSONType) -> None:
        """Note that the value is of another type than wanted."""
        # Without the value: it may be one of the environment, in the wrong form.
        met = f"expected {wanted.value[0]}, got {jsonvalue.describe_type(self.value)}"
        self.add_error(met, wanted.conversion_hint(self.value))

    def child(self, key: str | int, value: JSON) -> "Cursor":
        """A value inside this one."""
        return Cursor(value, f"{self.pointer}/{pointer.escape(str(key))}", self.diagnostics)

    def items(self) -> Iterator["Cursor"] | None:
        """The elements of a list."""
        if not isinstance(self.value, list):
            self.add_type_error(JSONType.LIST)
            return None
        return (self.child(index, value) for index, value in enumerate(self.value))

    def entries(self) -> Mapping[str, "Cursor"] | None:
        """The values of a mapping, by key; null counts as absent."""
        if not isinstance(self.value, dict):
            self.add_type_error(JSONType.MAPPING)
            return None
        return {k: self.child(k, v) for k, v in self.value.items() if v is not None}


class MappingReader:
    """The keys of one mapping, read one by one; ``close`` notes those that nobody asked for."""

    def __init__(self, spot: Cursor) -> None:
        self._spot = spot
        self._entries = spot.entries() or {}
        self._known: list[str] = []

    def read_key(self, key: str, reader: Callable[[Cursor], T | None]) -> T | None:
        """What *reader* makes of the value; ``None`` for an absent key too."""
        self._known.append(key)
        spot = self._entries.get(key)
        return None if spot is None else reader(spot)

    def check_unknown_keys(self) -> None:
        """Note unknown keys; called when every known one was read."""
        given: Object = self._spot.value if isinstance(self._spot.value, dict) else {}
        for key in given:
            if key not in self._known:
                self._spot.child(key, None).add_error("unknown key", _suggest_key(key, self._known))


def parse_string(spot: Cursor) -> str | None:
    """A string."""
    if isinstance(spot.value, str):
        return spot.value
    return spot.add_type_error(JSONType.TEXT)


def parse_bool(spot: Cursor) -> bool | None:
    """A boolean."""
    if isinstance(spot.value, bool):
        return spot.value
    return spot.add_type_error(JSONType.FLAG)


def parse_strings(spot: Cursor) -> tuple[str, ...] | None:
    """A list of strings."""
    items = spot.items()
    if items is None:
        return None
    return tuple(value for value in map(parse_string, items) if value is not None)


def parse_string_map(spot: Cursor) -> Mapping[str, str] | None:
    """A mapping of strings to strings."""
    entries = spot.entries()
    if entries is None:
        return None
    read = {key: parse_string(value) for key, value in entries.items()}
    return {key: value for key, value in read.items() if value is not None}


def parse_selector(spot: Cursor) -> selectors.Selector | None:
    """A LabelSelector; each of its faults is noted at its own place."""
    if not isinstance(spot.value, dict):
        return spot.add_type_error(JSONType.MAPPING)
    try:
        return selectors.compile_(spot.value)
    except SelectorError as error:
        for fault in error.errors:
            replace(spot, pointer=spot.pointer + fault.pointer).add_error(
                fault.problem, fault.remedy
            )
        return None


def format_value(value: JSON) -> str:
    """A value as an error message shows it: as JSON, cut where it is long."""
    printed = jsonvalue.dump(value)
    return (
        printed if len(printed) <= _MAX_VALUE_CHARACTERS else f"{printed[:_MAX_VALUE_CHARACTERS]}…"
    )


def _suggest_key(key: str, known: list[str]) -> str:
    # Imported here: only a faulty document needs it.
    from difflib import get_close_matches

    close = get_close_matches(key, known, n=1)
    return f"did you mean {close[0]}?" if close else f"known: {', '.join(known)}"
