"""Tainted values: text and numbers of a pod, each with a masked value.

A template takes the same branches and writes the same text with tainted values as with plain
values. A masked value does not depend on the pod: it consists of constant text of the template and
of *placeholders*, which replace the text of the pod. ``golang/texttemplate/run/taint_flow.py``
propagates taint through functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

from .types import GoType, Value
from .values import STRING

# The address of a string: the address of its parent, and its key or index there.
Address: TypeAlias = "tuple[Address, str | int] | None"

# Letters and digits, so escaping and quoting do not change a placeholder.
_PLACEHOLDER = re.compile(r"xPz([0-9]{6})zPx|73137([0-9]{6})73137")
# The characters of a placeholder, and others for each of them.
_OTHER_CHARACTERS = str.maketrans("xPz0123456789", "kRv5678901234")
_MAX_PLACEHOLDERS = 999_999
_MAX_SOURCES = 8


class TaintedText(str):
    """A string of the pod, or derived from one."""

    __slots__ = ("masked_value", "registry", "sources", "type")

    registry: PlaceholderRegistry
    sources: tuple[int, ...]
    masked_value: str
    type: GoType


class TaintedInt(int):
    """An integer that was computed from text of the pod."""

    registry: PlaceholderRegistry
    sources: tuple[int, ...]
    masked_value: int
    type: GoType


class TaintedFloat(float):
    """A floating point number that was computed from text of the pod."""

    registry: PlaceholderRegistry
    sources: tuple[int, ...]
    masked_value: float
    type: GoType


Tainted: TypeAlias = TaintedText | TaintedInt | TaintedFloat
TAINTED = frozenset((TaintedText, TaintedInt, TaintedFloat))


class TooManyPlaceholdersError(Exception):
    """The template derives too many values from the pod."""

    def __str__(self) -> str:
        return f"derives more than {_MAX_PLACEHOLDERS} values from the object"


class PlaceholderRegistry:
    """The placeholders of one rendering.

    ``texts`` are the texts that the placeholders replace, ``None`` if unknown. The ``escaped``
    placeholders can have another form between other text. The ``positions`` replace positions in
    a list of the pod. ``roots`` are the strings of the pod, each with its address.
    """

    def __init__(self) -> None:
        self.emissions: list[tuple[str, str]] = []  # the output of actions, and its masked text
        # The sources of the latest result without taint because it is nil or empty.
        self.last_empty_sources: tuple[int, ...] = ()
        self.texts: list[str | None] = []
        self.escaped: set[int] = set()
        self.positions: set[int] = set()
        self.sources: list[tuple[int, ...]] = []
        self.roots: list[tuple[str, Address]] = []

    def taint_string(self, text: str, address: Address) -> str:
        """Taint a string of the pod; an empty string carries no taint."""
        if not text:
            return text
        return self.make_text(text, self.add_source(text, address))

    def add_source(self, text: str, address: Address) -> tuple[int, ...]:
        """Add a string of the pod as a source."""
        self.roots.append((text, address))
        return (len(self.roots) - 1,)

    def make_text(self, text: str, sources: tuple[int, ...], type_: GoType = STRING) -> TaintedText:
        """Make a text with a new placeholder."""
        return self.make_masked_text(text, self._make_placeholder(text, sources), sources, type_)

    def make_masked_text(
        self, text: str, masked_text: str, sources: tuple[int, ...], type_: GoType = STRING
    ) -> TaintedText:
        """Make a text with a masked text of placeholders and constant text."""
        value = TaintedText(text)
        value.registry, value.sources, value.type = self, sources, type_
        value.masked_value = masked_text
        return value

    def make_number(
        self, number: float, sources: tuple[int, ...], type_: GoType, text: str | None = None
    ) -> Value:
        """Make a number with a new placeholder; ``text`` is its only form, if it has one."""
        value: Value = TaintedInt(number) if isinstance(number, int) else TaintedFloat(number)
        masked_number = int(f"73137{self._allocate_id(text, sources):06d}73137")
        value.registry, value.sources, value.type = self, sources, type_
        value.masked_value = masked_number if isinstance(number, int) else float(masked_number)
        return value

    def make_position(self, position: int, sources: tuple[int, ...], type_: GoType) -> Value:
        """Make the position of an element in a list that text of the pod contains."""
        value = self.make_number(position, sources, type_)
        self.positions.add(len(self.texts) - 1)
        return value

    def is_position(self, masked_text: str) -> bool:
        """Whether a masked text is a single position."""
        return self.is_placeholder(masked_text) and self.positions.issuperset(
            self.placeholder_ids(masked_text)
        )

    def loosen(self, masked_text: str, *, faithful: bool) -> str:
        """Return a masked text with new placeholders, which can replace any text.

        If ``faithful``, a placeholder without other text around it replaces its original text.
        """
        return _PLACEHOLDER.sub(
            lambda match: self._loosen_placeholder(match[0], faithful=faithful), masked_text
        )

    def unmask(
        self, masked_text: str, read: Callable[[str], str | None] | None = None
    ) -> str | None:
        """The text that a masked text replaces; ``None`` if a placeholder can replace any text.

        ``read`` returns what YAML reads for the text of a placeholder; ``None`` for no text.
        """
        ids = self.placeholder_ids(masked_text)
        if None in (self.texts[number] for number in ids):
            return None
        if not self.escaped.isdisjoint(ids) and not self.is_placeholder(masked_text):
            return None
        texts = {number: self.texts[number] or "" for number in ids}
        if read is not None:
            for number, text in texts.items():
                text_read = read(text)
                if text_read is None:
                    return None
                texts[number] = text_read
        return _PLACEHOLDER.sub(
            lambda match: texts.get(int(match[1] or match[2]), match[0]), masked_text
        )

    def placeholder_ids(self, masked_text: str) -> list[int]:
        """The ids of all placeholders in a masked text."""
        return [number for number, _ in self.find_placeholders(masked_text)]

    def find_placeholders(self, masked_text: str) -> list[tuple[int, int]]:
        """The ids of all placeholders in a masked text, each with its position."""
        found = (
            (self._find_id(match), match.start()) for match in _PLACEHOLDER.finditer(masked_text)
        )
        return [(number, position) for number, position in found if number is not None]

    def find_constants(self, masked_text: str) -> list[str]:
        """The constant text before, between, and after the placeholders of a masked text."""
        separated = _PLACEHOLDER.sub(
            lambda match: match[0] if self._find_id(match) is None else "\0", masked_text
        )
        return separated.split("\0")

    def sources_of(self, masked_text: str) -> tuple[int, ...]:
        """The strings of the pod from which a masked text derives."""
        return merge_sources(self.sources[number] for number in self.placeholder_ids(masked_text))

    def is_placeholder(self, masked_text: str) -> bool:
        """Whether a masked text is a single placeholder."""
        match = _PLACEHOLDER.fullmatch(masked_text)
        return match is not None and self._find_id(match) is not None

    def change_placeholders(self, masked_text: str) -> str:
        """Return a masked text with another text for each placeholder: no character is the same."""
        return _PLACEHOLDER.sub(
            lambda match: (
                match[0] if self._find_id(match) is None else match[0].translate(_OTHER_CHARACTERS)
            ),
            masked_text,
        )

    def _loosen_placeholder(self, placeholder: str, *, faithful: bool) -> str:
        ids = self.placeholder_ids(placeholder)
        if not ids:
            return placeholder
        loosened = self._make_placeholder(
            self.texts[ids[0]] if faithful else None, self.sources[ids[0]]
        )
        self.escaped.add(len(self.texts) - 1)
        return loosened

    def _find_id(self, match: re.Match[str]) -> int | None:
        number = int(match[1] or match[2])
        return number if number < len(self.texts) else None

    def _make_placeholder(self, text: str | None, sources: tuple[int, ...]) -> str:
        return f"xPz{self._allocate_id(text, sources):06d}zPx"

    def _allocate_id(self, text: str | None, sources: tuple[int, ...]) -> int:
        if len(self.texts) >= _MAX_PLACEHOLDERS:
            raise TooManyPlaceholdersError
        self.texts.append(text)
        self.sources.append(sources)
        return len(self.texts) - 1


def merge_sources(sources: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    """The first eight sources of several values, without duplicates."""
    merged: dict[int, None] = {}
    for group in sources:
        for source in group:
            merged[source] = None
            if len(merged) == _MAX_SOURCES:
                return tuple(merged)
    return tuple(merged)
