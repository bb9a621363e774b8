"""Readers of an operator's document that report all errors in one run, each with its location.

A ``Cursor`` is one value of the document with its JSON Pointer. A reader is a function of a cursor:
it returns the parsed value, or adds an error and returns ``None``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from podgraft.base import jsonvalue
from podgraft.base.diagnostics import Diagnostic, find_similar
from podgraft.base.jsonvalue import JSON, Object
from podgraft.kube import SelectorError, selectors
from podgraft.kube.patch import pointer

T = TypeVar("T")
TextT = TypeVar("TextT", bound=str)

_MAX_VALUE_CHARACTERS = 60


class JSONType(Enum):
    """A type of value, with its remedy for a value of another type."""

    TEXT = ("a string", "write a string")
    FLAG = ("true or false", "write true or false, without quotes")
    LIST = ("a list", "write - before each element, or [] for none")
    MAPPING = ("a mapping", "write key: value, one a line, or {} for none")

    def conversion_hint(self, value: JSON) -> str:
        """The remedy for a value of another type."""
        # YAML reads the unquoted strings yes, 1, and 1.30 as a boolean and as numbers.
        quotes = self is JSONType.TEXT and isinstance(value, bool | int | float)
        return "put it in quotes" if quotes else self.value[1]


class Diagnostics(Struct, frozen=True):
    """The errors and warnings found so far. A warning does not stop a review."""

    errors: list[Diagnostic] = field(default_factory=list[Diagnostic])
    warnings: list[Diagnostic] = field(default_factory=list[Diagnostic])


class Cursor(Struct, frozen=True):
    """One value and its JSON Pointer."""

    value: JSON
    pointer: str
    diagnostics: Diagnostics

    def add_error(self, problem: str, remedy: str) -> None:
        """Add an error of this value."""
        self.diagnostics.errors.append(self._diagnose(problem, remedy))

    def refuse(self, remedy: str) -> None:
        """Add an error that shows this value."""
        self.add_error(f"got {format_value(self.value)}", remedy)

    def add_key_error(self, key: str, problem: str, remedy: str) -> None:
        """Add an error of a key of this mapping, which can be missing."""
        self.child(key, None).add_error(problem, remedy)

    def add_warning(self, problem: str, remedy: str) -> None:
        """Add an error that does not stop a review."""
        self.diagnostics.warnings.append(self._diagnose(problem, remedy))

    def warn(self, problem: str, remedy: str) -> None:
        """Add a warning, which stops neither a review nor ``podgraft push``."""
        self.diagnostics.warnings.append(self._diagnose(problem, remedy).as_warning())

    def _diagnose(self, problem: str, remedy: str) -> Diagnostic:
        return Diagnostic(problem, remedy, pointer=self.pointer)

    def add_type_error(self, expected: JSONType) -> None:
        """Add an error: the value does not have the expected type."""
        # The message omits the value, which can be a misplaced environment value.
        problem = f"expected {expected.value[0]}, got {jsonvalue.describe_type(self.value)}"
        self.add_error(problem, expected.conversion_hint(self.value))

    def child(self, key: str | int, value: JSON) -> "Cursor":
        """The cursor of a value inside this one."""
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
    """Reads the keys of one mapping; ``check_unknown_keys`` reports the remaining keys."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._entries = cursor.entries() or {}
        self._known_keys: list[str] = []

    @property
    def raw(self) -> Object:
        """The mapping as written; empty for another value."""
        return self._cursor.value if isinstance(self._cursor.value, dict) else {}

    def read_key(self, key: str, reader: Callable[[Cursor], T | None]) -> T | None:
        """Return the value that *reader* parses; ``None`` if the key is absent."""
        self._known_keys.append(key)
        cursor = self._entries.get(key)
        return None if cursor is None else reader(cursor)

    def read_text(self, key: str) -> str:
        """Return a string; an empty one if the key is absent."""
        return self.read_key(key, parse_string) or ""

    def read_choice(self, key: str, choices: Iterable[TextT]) -> TextT | None:
        """Return the one of some texts, or of the members of an enum, that is the value."""

        def parse(cursor: Cursor) -> TextT | None:
            chosen = next((each for each in choices if each == cursor.value), None)
            return chosen or cursor.refuse(describe_choices(choices))

        return self.read_key(key, parse)

    def require(self, key: str, remedy: str, *, problem: str = "is missing") -> None:
        """Add an error if the value of a key is absent or empty."""
        if not self.raw.get(key):
            self._cursor.add_key_error(key, problem, remedy)

    def check_unknown_keys(self) -> None:
        """Add an error for each key that was not read."""
        for key in self.raw:
            if key not in self._known_keys:
                remedy = suggest_key(key, self._known_keys)
                self._cursor.add_key_error(key, "unknown key", remedy)


def describe_choices(choices: Iterable[str]) -> str:
    """The remedy for another value than some: ``use a or b``, ``use a, b, or c``."""
    *others, last = choices
    return f"use {', '.join(others)}{',' * (len(others) > 1)} or {last}"


def parse_string(cursor: Cursor) -> str | None:
    """A string."""
    if isinstance(cursor.value, str):
        return cursor.value
    return cursor.add_type_error(JSONType.TEXT)


def parse_bool(cursor: Cursor) -> bool | None:
    """A boolean."""
    if isinstance(cursor.value, bool):
        return cursor.value
    return cursor.add_type_error(JSONType.FLAG)


def make_list_parser(
    read: Callable[[Cursor], T | None],
) -> Callable[[Cursor], tuple[T, ...] | None]:
    """Return a reader of lists, without the elements that are invalid."""

    def parse_list(cursor: Cursor) -> tuple[T, ...] | None:
        items = cursor.items()
        if items is None:
            return None
        return tuple(value for value in map(read, items) if value is not None)

    return parse_list


def make_map_parser(
    read: Callable[[Cursor], T | None], check_name: Callable[[str, Cursor], None] | None = None
) -> Callable[[Cursor], Mapping[str, T] | None]:
    """Return a reader of mappings, without the values that are invalid.

    ``check_name`` adds errors and warnings of a key.
    """

    def parse_map(cursor: Cursor) -> Mapping[str, T] | None:
        entries = cursor.entries()
        if entries is None:
            return None
        if check_name is not None:
            for name, value in entries.items():
                check_name(name, value)
        values = {key: read(value) for key, value in entries.items()}
        return {key: value for key, value in values.items() if value is not None}

    return parse_map


parse_strings = make_list_parser(parse_string)
parse_string_map = make_map_parser(parse_string)


def parse_mapping(cursor: Cursor) -> Object | None:
    """A mapping."""
    if isinstance(cursor.value, dict):
        return cursor.value
    return cursor.add_type_error(JSONType.MAPPING)


def make_text_parser(
    is_valid: Callable[[str], object], remedy: str, normalize: Callable[[str], str] = str
) -> Callable[[Cursor], str | None]:
    """Return a reader of strings that are valid, in their normal form."""

    def parse_text(cursor: Cursor) -> str | None:
        if isinstance(cursor.value, str) and is_valid(cursor.value):
            return normalize(cursor.value)
        return cursor.refuse(remedy)

    return parse_text


def make_integer_parser(low: int, high: float, remedy: str) -> Callable[[Cursor], int | None]:
    """Return a reader of integers from ``low`` to ``high``."""

    def parse_integer(cursor: Cursor) -> int | None:
        value = cursor.value
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        return cursor.refuse(remedy)

    return parse_integer


def parse_selector(cursor: Cursor) -> selectors.Selector | None:
    """A LabelSelector; each of its errors has its own JSON Pointer."""
    if not isinstance(cursor.value, dict):
        return cursor.add_type_error(JSONType.MAPPING)
    try:
        return selectors.compile_(cursor.value)
    except SelectorError as error:
        for diagnostic in error.errors:
            replace(cursor, pointer=cursor.pointer + diagnostic.pointer).add_error(
                diagnostic.problem, diagnostic.remedy
            )
        return None


def format_value(value: JSON) -> str:
    """Format a value for an error message: as JSON, truncated to 60 characters."""
    printed = jsonvalue.dump(value)
    return (
        printed if len(printed) <= _MAX_VALUE_CHARACTERS else f"{printed[:_MAX_VALUE_CHARACTERS]}…"
    )


def suggest_key(key: str, known_keys: list[str]) -> str:
    """Return the remedy for an unknown key: a similar key, or all keys."""
    close = find_similar(key, known_keys)
    return f"did you mean {close}?" if close else f"supported keys: {', '.join(known_keys)}"
