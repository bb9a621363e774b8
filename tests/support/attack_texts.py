"""Texts on which a backtracking engine could need more than linear time, made from a pattern.

For each part of a pattern that repeats, a text leads to it, repeats it, and ends with a character
that can make the match fail. ``re`` then tries each other way to divide the repeated text.
"""

import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

_PARSER: Any = import_module("re._parser")
_CODES: Any = import_module("re._constants")
_ENDS = ("", "\0", "!", "+", ",", "\\", "-", ".", ":", '"', " ")
_SAMPLES = (*map(chr, range(32, 127)), *"\t\n\r", "ä")
_CHOICES = 3
_UNBOUNDED = 50
_REPEATS: tuple[Any, ...] = (_CODES.MAX_REPEAT, _CODES.MIN_REPEAT)
Nodes = Any  # the items of a parsed pattern


def make_attacks(pattern: re.Pattern[str], length: int) -> Iterator[str]:
    """Return the texts for a pattern; each has about *length* characters."""
    nodes: Nodes = _PARSER.parse(pattern.pattern, pattern.flags)
    parts = {
        (start, pump)
        for choice in range(_CHOICES)
        for prefix, body in _find_repeats(nodes, "", choice)
        for pump in (_make_text(body, other) for other in range(_CHOICES))
        for start in (prefix, "")
        if pump
    }
    for start, pump in sorted(parts):
        for end in _ENDS:
            yield start + pump * (length // len(pump)) + end


def _find_repeats(nodes: Nodes, prefix: str, choice: int) -> Iterator[tuple[str, Nodes]]:
    """Return what repeats without a small bound, each with a text that leads to it."""
    for code, argument in nodes:
        if code in _REPEATS and argument[1] > _UNBOUNDED:
            yield prefix, argument[2]
        for inner in _list_inner(code, argument):
            yield from _find_repeats(inner, prefix, choice)
        prefix += _make_item(code, argument, choice)


def _list_inner(code: Any, argument: Any) -> list[Nodes]:
    if code in (*_REPEATS, _CODES.POSSESSIVE_REPEAT):
        return [argument[2]]
    if code is _CODES.SUBPATTERN:
        return [argument[3]]
    if code is _CODES.BRANCH:
        return argument[1]
    return [argument] if code is _CODES.ATOMIC_GROUP else []


def _make_text(nodes: Nodes, choice: int) -> str:
    """Return a text that the items match, mostly: *choice* selects one of several."""
    return "".join(_make_item(code, argument, choice) for code, argument in nodes)


def _make_item(code: Any, argument: Any, choice: int) -> str:
    if code is _CODES.LITERAL:
        return chr(argument)
    if code in (_CODES.IN, _CODES.NOT_LITERAL, _CODES.ANY):
        found = [each for each in _SAMPLES if _contains(code, argument, each)]
        return found[choice * 7 % len(found)] if found else "x"
    if code in (*_REPEATS, _CODES.POSSESSIVE_REPEAT):
        return _make_text(argument[2], choice) * max(argument[0], 1 - choice % 2)
    if code is _CODES.BRANCH:
        return _make_text(argument[1][choice % len(argument[1])], choice)
    return "".join(_make_text(each, choice) for each in _list_inner(code, argument))


def _contains(code: Any, argument: Any, character: str) -> bool:
    if code is _CODES.ANY:
        return character != "\n"
    if code is _CODES.NOT_LITERAL:
        return ord(character) != argument
    is_negated = argument[0][0] is _CODES.NEGATE
    return is_negated is not any(_is_member(code, value, character) for code, value in argument)


def _is_member(code: Any, argument: Any, character: str) -> bool:
    if code is _CODES.LITERAL:
        return ord(character) == argument
    if code is _CODES.RANGE:
        return argument[0] <= ord(character) <= argument[1]
    if code is _CODES.CATEGORY:
        name = str(argument).rpartition("_")[2].lower()
        tests = {"digit": r"\d", "space": r"\s", "word": r"\w"}
        is_in = re.match(tests[name], character) is not None
        return is_in is not ("NOT" in str(argument))
    return False
