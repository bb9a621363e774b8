"""Keeping what a pod's author writes from becoming structure of what a template's author wrote.

Templates write annotation values, names and images into YAML, often without quotes. A value with a
line break, a quote or a colon could then add a container, a volume or a security context. Istio
fixed this for its own templates in 2026; this module settles it for every template:

1. ``Masking`` replaces what YAML could take for syntax by a harmless letter, in every string of the
   pod. A pod without such strings cannot bend anything.
2. The template is rendered again with the masked pod. If the text is the same, the template did not
   read what was masked.
3. Otherwise both texts are parsed, and ``same_structure`` holds if the maps, lists and keys are the
   same, and so is every value that holds no masked text: what the pod's author got is what a
   harmless value of the same shape would have given.

Structure that a template's author takes from a pod on purpose, by decoding JSON or splitting a
list, is the author's own: such functions see the real text, and what comes out of them is masked
again (``transparent``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import ClassVar, TypeAlias

from podgraft.gotemplate import Function
from podgraft.govalue import STRING, GoType, Map, Slice, Text, Value
from podgraft.jsonvalue import JSON, equal

# Letters and numbers in one line, joined by single blanks and inner colons: nothing in it is syntax
# anywhere in YAML. «-» alone would open a list, «---» and «...» would end the document, and no
# scalar may begin with «@».
_WORD = r"[A-Za-z0-9_./+=()@$~-]+(?::[A-Za-z0-9_./+=()@$~-]+)*"
_HARMLESS = re.compile(rf"\*?|(?!---|\.\.\.|-(?: |$)|@){_WORD}(?: (?!-(?: |$)){_WORD})*")
_SYNTAX = re.compile(r"[^A-Za-z0-9_./+=()@$~-]")
_NULLS = frozenset({"null", "Null", "NULL", "~"})
_DIRECTIVES = ("$patch", "$retainKeys", "$setElementOrder", "$deleteFromPrimitiveList")

# What to mask with: printable, and the same in upper and lower case.
_MARKS = "×÷¤¦§¶±¬¿¡"

# Where a string stands: its parent's place, and its key or index there.
Place: TypeAlias = "tuple[Place, str | int] | None"


def steps(place: Place) -> tuple[str | int, ...]:
    """The keys and indices that lead to a place."""
    return () if place is None else (*steps(place[0]), place[1])


class Masked(Text):
    """A masked string that remembers the original and what it was masked with."""

    __slots__ = ("mark", "original")
    type: ClassVar[GoType] = STRING

    mark: str
    original: str


def is_harmless(text: str) -> bool:
    """Whether the text is no YAML syntax, wherever a template may write it.

    >>> is_harmless("hub/proxyv2:1.30 -x"), is_harmless("a: b"), is_harmless("- a"), is_harmless("")
    (True, False, False, True)
    """
    return (
        _HARMLESS.fullmatch(text) is not None
        and text not in _NULLS
        and not text.startswith(_DIRECTIVES)
    )


def mark_for(*texts: str) -> str | None:
    """A letter to mask with that stands in none of the texts."""
    return next((mark for mark in _MARKS if not any(mark in text for text in texts)), None)


@dataclass(slots=True)
class Masking:
    """One walk over JSON. The first ``spared`` strings that need masking stay as they are, which
    is how a culprit is found; ``found`` are all of them, with their places.
    """

    mark: str
    spared: int = 0
    found: list[tuple[str, Place]] = field(default_factory=list[tuple[str, Place]])

    def of(self, value: JSON, place: Place = None) -> JSON:
        """``value`` masked; the very same where nothing in it needs it."""
        match value:
            case str():
                return value if is_harmless(value) else self._text(value, place)
            case dict():
                masked = {
                    self.of(key, (place, key)): self.of(each, (place, key))
                    for key, each in value.items()
                }
                same = all(map(_is, masked, value)) and all(
                    map(_is, masked.values(), value.values())
                )
                return value if same else masked  # type: ignore[return-value] - keys stay strings
            case list():
                elements = [self.of(each, (place, index)) for index, each in enumerate(value)]
                return value if all(map(_is, elements, value)) else elements
            case _:
                return value

    def _text(self, text: str, place: Place) -> str:
        self.found.append((text, place))
        if len(self.found) <= self.spared:
            return text
        replaced = _SYNTAX.sub(self.mark, text)
        if replaced == text or not is_harmless(replaced.replace(self.mark, "x")):
            replaced = self.mark + replaced[1:]  # words, such as null, and a leading dash
        masked = Masked(replaced)
        masked.mark, masked.original = self.mark, text
        return masked


def same_structure(real: JSON, masked: JSON, mark: str) -> bool:
    """Whether ``real`` has the structure of ``masked``, and all values that are not masked."""
    match real, masked:
        case dict(), dict():
            return len(real) == len(masked) and all(
                _same_key(key, other, mark) and same_structure(real[key], masked[other], mark)
                for key, other in zip(real, masked, strict=True)
            )
        case list(), list():
            return len(real) == len(masked) and all(
                same_structure(one, other, mark) for one, other in zip(real, masked, strict=True)
            )
        case _, str() if mark in masked:
            return isinstance(real, str | int | float)
        case _:
            return equal(real, masked)


def transparent(function: Function) -> Function:
    """A function that sees through masks, and whose result is masked again."""

    def call(*arguments: Value) -> Value:
        masked = [each for each in arguments if isinstance(each, Masked)]
        if not masked:
            return function.call(*arguments)
        result = function.call(
            *(each.original if isinstance(each, Masked) else each for each in arguments)
        )
        return _remasked(result, masked[0].mark)

    return replace(function, call=call)


def _remasked(result: Value, mark: str) -> Value:
    match result:
        case Map(raw=raw) if raw is not None:
            return Map(result.type, {key: _remasked(each, mark) for key, each in raw.items()})
        case Slice(raw=raw) if raw is not None:
            return Slice(result.type, [_remasked(each, mark) for each in raw])
        case _:
            return Masking(mark).of(result)


def _same_key(real: str, masked: str, mark: str) -> bool:
    return real == masked or (mark in masked and not real.startswith(_DIRECTIVES))


def _is(left: object, right: object) -> bool:
    return left is right
