"""Text and numbers of a pod, each with a twin that does not depend on the pod.

A template that is rendered with such values takes the same branches and writes the same text as
with plain ones. The twins show what the text is made of: a twin consists of the template's own text
and of *tokens*, which replace the text of the pod. See ``texttemplate/run/taint_flow.py`` for the functions.
"""  # noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeAlias

from podgraft.lazy_re import lazy_compile

from .types import GoType, Value
from .values import STRING

# The address of a string: the address of its parent, and its key or index there.
Place: TypeAlias = "tuple[Place, str | int] | None"

# Letters and digits, so that escaping and quoting leave a token as it is.
_TOKEN = lazy_compile(r"xPz([0-9]{6})zPx|73137([0-9]{6})73137")
_MAX_SLOTS = 999_999
_MAX_SOURCES = 8


class TaintedText(str):
    """A string of the pod, or derived from one."""

    __slots__ = ("slots", "sources", "twin", "type")

    slots: Slots
    sources: tuple[int, ...]
    twin: str
    type: GoType


class TaintedInt(int):
    """An integer that was computed from text of the pod."""

    slots: Slots
    sources: tuple[int, ...]
    twin: int
    type: GoType


class TaintedFloat(float):
    """A floating point number that was computed from text of the pod."""

    slots: Slots
    sources: tuple[int, ...]
    twin: float
    type: GoType


Tainted: TypeAlias = TaintedText | TaintedInt | TaintedFloat
TAINTED = frozenset((TaintedText, TaintedInt, TaintedFloat))


class TooManySlotsError(Exception):
    """The template derives too many values from the pod."""

    def __str__(self) -> str:
        return f"derives more than {_MAX_SLOTS} values from the object"


class Slots:
    """The tokens of one rendering.

    ``texts`` are the texts that the tokens replace, none where that is not known; the ``escaped``
    ones may be written in another way between other text. ``roots`` are the strings of the pod,
    each with its place.
    """

    def __init__(self) -> None:
        self.emissions: list[tuple[str, str]] = []  # what actions wrote, and its twin
        # The sources of the latest result that is nil or empty and so carries no taint.
        self.emptied: tuple[int, ...] = ()
        self.texts: list[str | None] = []
        self.escaped: set[int] = set()
        self.sources: list[tuple[int, ...]] = []
        self.roots: list[tuple[str, Place]] = []

    def root(self, text: str, place: Place) -> str:
        """A string of the pod; an empty one can carry nothing."""
        if not text:
            return text
        return self.text(text, self.source(text, place))

    def source(self, text: str, place: Place) -> tuple[int, ...]:
        """A source by itself."""
        self.roots.append((text, place))
        return (len(self.roots) - 1,)

    def text(self, text: str, sources: tuple[int, ...], type_: GoType = STRING) -> TaintedText:
        """A text with a token of its own."""
        return self.with_twin(text, self._token(text, sources), sources, type_)

    def with_twin(
        self, text: str, twin: str, sources: tuple[int, ...], type_: GoType = STRING
    ) -> TaintedText:
        """A text with a twin of tokens and of the template's own text."""
        value = TaintedText(text)
        value.slots, value.sources, value.twin, value.type = self, sources, twin, type_
        return value

    def number(self, number: float, sources: tuple[int, ...], type_: GoType) -> Value:
        """A number with a token of its own."""
        value: Value = TaintedInt(number) if isinstance(number, int) else TaintedFloat(number)
        twin = int(f"73137{self._slot(None, sources):06d}73137")
        value.slots, value.sources, value.type = self, sources, type_
        value.twin = twin if isinstance(number, int) else float(twin)
        return value

    def loosened(self, twin: str, *, faithful: bool) -> str:
        """The twin of a text that is not the twin filled in.

        Its tokens replace any text. If ``faithful``, a token by itself replaces its own text.
        """
        return _TOKEN.sub(lambda found: self._loosened(found[0], faithful=faithful), twin)

    def fill(self, twin: str) -> str | None:
        """The text that the twin replaces; none if a token of it replaces any text."""
        slots = self.slots_of(twin)
        if None in (self.texts[slot] for slot in slots):
            return None
        if not self.escaped.isdisjoint(slots) and not self.is_token(twin):
            return None
        return _TOKEN.sub(self._filling, twin)

    def slots_of(self, twin: str) -> list[int]:
        """The slots of all tokens in the twin."""
        slots = (self._of(found) for found in _TOKEN.finditer(twin))
        return [slot for slot in slots if slot is not None]

    def sources_of(self, twin: str) -> tuple[int, ...]:
        """The strings of the pod that the twin is derived from."""
        return unite(self.sources[slot] for slot in self.slots_of(twin))

    def is_token(self, twin: str) -> bool:
        """Whether the twin is one token and no more."""
        found = _TOKEN.fullmatch(twin)
        return found is not None and self._of(found) is not None

    def _loosened(self, token: str, *, faithful: bool) -> str:
        slots = self.slots_of(token)
        if not slots:
            return token
        loose = self._token(self.texts[slots[0]] if faithful else None, self.sources[slots[0]])
        self.escaped.add(len(self.texts) - 1)
        return loose

    def _filling(self, found: re.Match[str]) -> str:
        slot = self._of(found)
        return found[0] if slot is None else self.texts[slot] or ""

    def _of(self, found: re.Match[str]) -> int | None:
        slot = int(found[1] or found[2])
        return slot if slot < len(self.texts) else None

    def _token(self, text: str | None, sources: tuple[int, ...]) -> str:
        return f"xPz{self._slot(text, sources):06d}zPx"

    def _slot(self, text: str | None, sources: tuple[int, ...]) -> int:
        if len(self.texts) >= _MAX_SLOTS:
            raise TooManySlotsError
        self.texts.append(text)
        self.sources.append(sources)
        return len(self.texts) - 1


def unite(sources: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    """The first sources of several values, each once."""
    found: dict[int, None] = {}
    for each in sources:
        for source in each:
            found[source] = None
            if len(found) == _MAX_SOURCES:
                return tuple(found)
    return tuple(found)
