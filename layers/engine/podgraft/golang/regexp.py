r"""Patterns of Go's regexp, compiled by RE2.

Go's package derives from RE2: both have the same syntax, the same leftmost-first match, and run in
linear time. Python's ``re`` is not safe for untrusted patterns and texts. The first pattern imports
RE2. Two differences remain: ``\p{…}`` accepts the names of Go before 1.25, and characters that are
newer than RE2's Unicode tables belong to no class.
"""

import re
from collections.abc import Iterator
from importlib import import_module
from typing import TypeAlias

from podgraft.golang.errors import FunctionError
from podgraft.golang.strconv.quote import can_backquote, quote

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


# RE2's objects have the interface of Python's; google-re2 has no type stubs.
Match: TypeAlias = re.Match[str]
Pattern: TypeAlias = re.Pattern[str]


class PatternError(FunctionError):
    """The pattern is invalid in Go; the message is Go's."""

    def __init__(self, reason: str, fragment: str) -> None:
        super().__init__(f"error parsing regexp: {reason}: `{fragment}`")


def compile_(pattern: str) -> Pattern:
    """regexp.Compile; RE2 caches the last 128 patterns."""
    if not is_valid(pattern):
        start = next(index for index, char in enumerate(pattern) if not is_valid(char))
        raise PatternError("invalid UTF-8", pattern[start:])
    if any(escape[1] == "C" for escape in _ESCAPE.finditer(pattern)):
        raise PatternError("invalid escape sequence", r"\C")  # RE2's "any byte"
    re2 = import_module("re2")
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        raise _to_go_error(pattern, error.args[0].decode()) from error


def must_compile(pattern: str) -> Pattern:
    """regexp.MustCompile."""
    try:
        return compile_(pattern)
    except PatternError as error:
        literal = f"`{pattern}`" if can_backquote(pattern) else quote(pattern)
        raise FunctionError(f"regexp: Compile({literal}): {error}") from error


def _to_go_error(pattern: str, re2_message: str) -> PatternError:
    """Convert RE2's message ``reason: fragment`` to Go's error."""
    reason, _, fragment = re2_message.partition(": ")
    if re2_message == "trailing \\":
        return PatternError("trailing backslash at end of expression", "")
    if re2_message == "invalid UTF-8":  # an unterminated \x{
        return PatternError("invalid escape sequence", pattern[pattern.rindex("\\x{") :])
    if _LOOKBEHIND.match(fragment):
        start = pattern.index(fragment)
        end = pattern.find(">", start) + 1 or len(pattern)
        return PatternError("invalid named capture", pattern[start:end])
    return PatternError(_MESSAGES.get(reason, reason), fragment)


def matches(pattern: Pattern, text: str) -> Iterator[Match]:
    """All matches, without empty matches directly after other matches.

    An invalid UTF-8 byte matches as U+FFFD does. The offsets of matches are offsets in ``text``.
    """
    end = -1
    for match in pattern.finditer(to_runes(text)):
        if match.end() > match.start() or match.start() != end:
            yield match
        end = match.end()


def find_all(pattern: Pattern, text: str) -> Iterator[str]:
    """Regexp.FindAllString: the texts of the matches."""
    return (text[match.start() : match.end()] for match in matches(pattern, text))
