r"""Patterns of Go's regexp, compiled by RE2.

RE2 is what Go's package was modelled on: the same syntax, the same leftmost-first choice, and time
linear in the text, which Python's ``re`` cannot promise for patterns and texts of others. It is
imported when the first pattern is met. Differences that remain: ``\p{…}`` takes the names that Go
took before 1.25, and characters younger than RE2's Unicode tables have no class.
"""

import re
from collections.abc import Iterator
from importlib import import_module
from typing import Protocol, cast

from podgraft.go.errors import FunctionError
from podgraft.go.strconv.quote import can_backquote, quote

from .utf8 import is_valid, to_runes

_MESSAGES = {
    "missing )": "missing closing )",
    "missing ]": "missing closing ]",
    "bad repetition operator": "invalid nested repetition operator",
    "no argument for repetition operator": "missing argument to repetition operator",
    "invalid repetition size": "invalid repeat count",
    "invalid named capture group": "invalid named capture",
    "invalid perl operator": "invalid or unsupported Perl syntax",
}
_LOOKBEHIND = re.compile(r"\(\?<[=!]")
_ESCAPE = re.compile(r"\\Q.*?(?:\\E|\Z)|\\(.)", re.DOTALL)


class Match(Protocol):
    """A match, as much of it as is used; google-re2 has no types of its own."""

    def start(self) -> int:
        """Where it begins."""
        ...

    def end(self) -> int:
        """Where it ends."""
        ...

    def group(self, number: int) -> str | None:
        """The text of a group; nothing for one that took no part."""
        ...

    def span(self, group: int) -> tuple[int, int]:
        """Where a group begins and ends; -1 for one that took no part."""
        ...


class Pattern(Protocol):
    """A compiled pattern, as much of it as is used."""

    @property
    def pattern(self) -> str:
        """Its text."""
        ...

    @property
    def groups(self) -> int:
        """How many groups it has."""
        ...

    @property
    def groupindex(self) -> dict[str, int]:
        """The numbers of the named groups."""
        ...

    def search(self, text: str) -> Match | None:
        """The first match."""
        ...

    def finditer(self, text: str) -> Iterator[Match]:
        """All matches, empty ones right after others too."""
        ...


class PatternError(FunctionError):
    """The pattern is none of Go's; the message is Go's."""

    def __init__(self, reason: str, culprit: str) -> None:
        super().__init__(f"error parsing regexp: {reason}: `{culprit}`")


def compile_(pattern: str) -> Pattern:
    """regexp.Compile; RE2 keeps the last 128."""
    if not is_valid(pattern):
        start = next(at for at, char in enumerate(pattern) if not is_valid(char))
        raise PatternError("invalid UTF-8", pattern[start:])
    if any(found[1] == "C" for found in _ESCAPE.finditer(pattern)):
        raise PatternError("invalid escape sequence", r"\C")  # any byte, which Go does not have
    re2 = import_module("re2")
    options = re2.Options()
    options.log_errors = False
    try:
        return cast(Pattern, re2.compile(pattern, options))
    except re2.error as error:
        raise _to_go_error(pattern, error.args[0].decode()) from error


def must_compile(pattern: str) -> Pattern:
    """regexp.MustCompile."""
    try:
        return compile_(pattern)
    except PatternError as error:
        shown = f"`{pattern}`" if can_backquote(pattern) else quote(pattern)
        raise FunctionError(f"regexp: Compile({shown}): {error}") from error


def _to_go_error(pattern: str, re2_message: str) -> PatternError:
    """What Go says where RE2 says ``reason: culprit``."""
    reason, _, culprit = re2_message.partition(": ")
    if re2_message == "trailing \\":
        return PatternError("trailing backslash at end of expression", "")
    if re2_message == "invalid UTF-8":  # a \x{ that does not end
        return PatternError("invalid escape sequence", pattern[pattern.rindex("\\x{") :])
    if _LOOKBEHIND.match(culprit):
        start = pattern.index(culprit)
        end = pattern.find(">", start) + 1 or len(pattern)
        return PatternError("invalid named capture", pattern[start:end])
    return PatternError(_MESSAGES.get(reason, reason), culprit)


def matches(pattern: Pattern, text: str) -> Iterator[Match]:
    """All matches, but no empty one right after another.

    Bytes that are no UTF-8 match as U+FFFD does; the places of matches are those in ``text``.
    """
    end = -1
    for match in pattern.finditer(to_runes(text)):
        if match.end() > match.start() or match.start() != end:
            yield match
        end = match.end()
