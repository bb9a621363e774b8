"""Keeping what a pod's author writes from becoming structure of what a template's author wrote.

Templates write annotation values, names and images into YAML, often without quotes. A value with a
line break, a quote or a colon could then add a container, a volume or a security context. Istio
fixed this for its own templates in 2026; this module settles it for every template:

1. ``Masking`` replaces what YAML could take for syntax by a letter, in every string of the pod that
   the template can read. A pod without such strings cannot bend anything.
2. The template is rendered again with the masked pod. If the text is the same, the template did not
   read what was masked.
3. Otherwise it is rendered once more, masked with another letter. What differs between the two
   harmless texts is what the pod's author may write. ``same_structure`` holds if the real text has
   the maps, lists and keys of the harmless ones, and all values in which those agree.

Structure that a template's author takes from a pod on purpose, by decoding JSON or splitting a
list, is the author's own: such functions see the real text, and what comes out of them is masked
again (``transparent``). Decoders also make syntax of letters; where a template has one, strings
that decode to syntax are masked as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field, replace
from functools import lru_cache
from operator import is_not
from typing import ClassVar, TypeAlias

from podgraft.gotemplate import Function
from podgraft.govalue import STRING, GoType, Map, Slice, Text, Value
from podgraft.jsonvalue import JSON, equal
from podgraft.patterns import lazy
from podgraft.records import dataclass

# Letters and numbers in one line, joined by single blanks and inner colons: nothing in it is syntax
# anywhere in YAML. «-» alone would open a list, «---» and «...» would end the document, and no
# scalar may begin with «@».
_WORD = r"[A-Za-z0-9_./+=()@$~-]+(?::[A-Za-z0-9_./+=()@$~-]+)*"
_HARMLESS = lazy(rf"\*?|(?!---|\.\.\.|-(?: |$)|@){_WORD}(?: (?!-(?: |$)){_WORD})*")
_SYNTAX = lazy(r"[^A-Za-z0-9_./+=()@$~-]")
_ANYTHING = lazy(r"[\s\S]")
_NULLS = frozenset({"null", "Null", "NULL", "~"})
_DIRECTIVES = ("$patch", "$retainKeys", "$setElementOrder", "$deleteFromPrimitiveList")

# What to mask with, in two rehearsals: letters that no word of Istio's ends in.
FILLS = ("Q", "Z")

# Functions that make text of letters; templates that name one are looked at more closely.
DECODERS = ("b64dec", "b32dec")

# Where a string stands: its parent's place, and its key or index there.
Place: TypeAlias = "tuple[Place, str | int] | None"


def steps(place: Place) -> tuple[str | int, ...]:
    """The keys and indices that lead to a place."""
    return () if place is None else (*steps(place[0]), place[1])


class Masked(Text):
    """A masked string that remembers the original and what masked it."""

    __slots__ = ("masking", "original")
    type: ClassVar[GoType] = STRING

    masking: Masking
    original: str


def is_harmless(text: str) -> bool:
    """Whether the text is no YAML syntax, wherever a template may write it.

    >>> is_harmless("hub/proxyv2:1.30 -x"), is_harmless("a: b"), is_harmless("- a"), is_harmless("")
    (True, False, False, True)
    """
    return _remembered(text) if len(text) <= _LONGEST_WORD else _judged(text)


def _judged(text: str) -> bool:
    return (
        _HARMLESS.fullmatch(text) is not None
        and text not in _NULLS
        and not text.startswith(_DIRECTIVES)
    )


# Field names and the words of a cluster's pods come again and again; long texts are values, which
# are not kept.
_LONGEST_WORD = 64
_remembered = lru_cache(maxsize=4096)(_judged)


@dataclass(slots=True)
class Masking:
    """One walk over JSON. The first ``spared`` strings that need masking stay as they are, which
    is how a culprit is found; ``found`` are all of them, with their places.

    ``decoded`` says that the template has decoders.
    """

    fill: str
    decoded: bool = False
    spared: int = 0
    found: list[tuple[str, Place]] = field(default_factory=list[tuple[str, Place]])

    def of(self, value: JSON, place: Place = None) -> JSON:
        """``value`` masked; the very same where nothing in it needs it."""
        match value:
            case str():
                return self._text(value, place) if self._needed(value) else value
            case dict():
                return self._object(value, place)
            case list():
                elements = [self.of(each, (place, index)) for index, each in enumerate(value)]
                return elements if any(map(is_not, elements, value)) else value
            case _:
                return value

    def _object(self, value: dict[str, JSON], place: Place) -> JSON:
        keys = [self._text(key, (place, key)) if self._needed(key) else key for key in value]
        values = [self.of(each, (place, key)) for key, each in value.items()]
        if any(map(is_not, keys, value)) or any(map(is_not, values, value.values())):
            return dict(zip(keys, values, strict=True))
        return value

    def _needed(self, text: str) -> bool:
        return not is_harmless(text) or (
            self.decoded and not all(map(is_harmless, _decodings(text)))
        )

    def _text(self, text: str, place: Place) -> str:
        self.found.append((text, place))
        if len(self.found) <= self.spared:
            return text
        # Whatever is left of a text could still be decoded.
        replaced = (_ANYTHING if self.decoded else _SYNTAX).sub(self._filled, text)
        if replaced == text or not is_harmless(replaced):
            replaced = self.fill + replaced[1:]  # words, such as null, and leading dashes
        masked = Masked(replaced)
        masked.masking, masked.original = replace(self, spared=0, found=[]), text
        return masked

    def _filled(self, found: re.Match[str]) -> str:
        """As many letters as the character has bytes, which is what Go counts."""
        return self.fill * len(found[0].encode("utf-8", "surrogatepass"))


def same_structure(real: JSON, first: JSON, second: JSON) -> bool:
    """Whether ``real`` has the structure that two harmless values agree on, and their values."""
    match real, first, second:
        case dict(), dict(), dict():
            return len(real) == len(first) == len(second) and all(
                _same_key(*keys) and same_structure(real[keys[0]], first[keys[1]], second[keys[2]])
                for keys in zip(real, first, second, strict=True)
            )
        case list(), list(), list():
            return len(real) == len(first) == len(second) and all(
                map(same_structure, real, first, second)
            )
        case _ if equal(first, second):
            return equal(real, first)
        case _:
            return all(isinstance(each, str | int | float) for each in (real, first, second))


def transparent(function: Function) -> Function:
    """A function that sees through masks, and whose result is masked again."""

    def call(*arguments: Value) -> Value:
        masked = [each for each in arguments if isinstance(each, Masked)]
        if not masked:
            return function.call(*arguments)
        result = function.call(
            *(each.original if isinstance(each, Masked) else each for each in arguments)
        )
        return _remasked(result, masked[0].masking)

    return replace(function, call=call)


def _remasked(result: Value, masking: Masking) -> Value:
    match result:
        case Map(raw=raw) if raw is not None:
            return Map(result.type, {key: _remasked(each, masking) for key, each in raw.items()})
        case Slice(raw=raw) if raw is not None:
            return Slice(result.type, [_remasked(each, masking) for each in raw])
        case _:
            return masking.of(result)


def _same_key(real: str, first: str, second: str) -> bool:
    """Whether a key is the template's, or the pod's and no directive of a merge."""
    return real == first if first == second else not real.startswith(_DIRECTIVES)


def _decodings(text: str) -> Iterator[str]:
    """What the decoders make of the text, where that is text again."""
    from base64 import b32decode, b64decode  # most templates have no use for it

    for decode in (b64decode, b32decode):
        try:
            yield decode(text).decode()
        except ValueError:
            continue
