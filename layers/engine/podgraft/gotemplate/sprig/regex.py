r"""Regular expressions: Go's regexp, by way of RE2.

RE2 is what Go's package was modelled on: the same syntax, the same leftmost-first choice, and time
linear in the text, which Python's ``re`` cannot promise for patterns and texts of others. It is
imported when a template first uses it. Differences that remain: ``\p{…}`` takes the names that Go
took before 1.25, and characters younger than RE2's Unicode tables have no class.
"""

import re
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import islice
from typing import Protocol, cast

from podgraft.gotemplate.errors import FunctionError
from podgraft.gotemplate.functions import Function
from podgraft.gotemplate.quoting import can_backquote, quote
from podgraft.govalue import INT, STRING, STRINGS, GoType, Slice, Value

from .bounds import check_text
from .runes import decoded, encoded, is_digit, is_letter, is_valid, runes


class _Match(Protocol):
    """A match, as much of it as is used; google-re2 has no types of its own."""

    def start(self) -> int: ...

    def end(self) -> int: ...

    def span(self, group: int) -> tuple[int, int]: ...


class _Pattern(Protocol):
    """A compiled pattern, as much of it as is used."""

    @property
    def pattern(self) -> str: ...

    @property
    def groups(self) -> int: ...

    @property
    def groupindex(self) -> dict[str, int]: ...

    def search(self, text: str) -> _Match | None: ...

    def finditer(self, text: str) -> Iterator[_Match]: ...


_MESSAGES = {
    "missing )": "missing closing )",
    "missing ]": "missing closing ]",
    "bad repetition operator": "invalid nested repetition operator",
    "no argument for repetition operator": "missing argument to repetition operator",
    "invalid repetition size": "invalid repeat count",
    "invalid named capture group": "invalid named capture",
    "invalid perl operator": "invalid or unsupported Perl syntax",
}
_META = re.compile(r"[\\.+*?()|\[\]{}^$]")
_LOOKBEHIND = re.compile(r"\(\?<[=!]")
_ESCAPE = re.compile(r"\\Q.*?(?:\\E|\Z)|\\(.)", re.DOTALL)


class _SyntaxError(FunctionError):
    """The pattern is none of Go's; the text is Go's."""

    def __init__(self, reason: str, culprit: str) -> None:
        super().__init__(f"error parsing regexp: {reason}: `{culprit}`")


def _compiled(pattern: str) -> _Pattern:
    """regexp.Compile; RE2 keeps the last 128."""
    if not is_valid(pattern):
        start = next(at for at, char in enumerate(pattern) if not is_valid(char))
        raise _SyntaxError("invalid UTF-8", pattern[start:])
    if any(found[1] == "C" for found in _ESCAPE.finditer(pattern)):
        raise _SyntaxError("invalid escape sequence", r"\C")  # any byte, which Go does not have
    re2 = import_module("re2")
    options = re2.Options()
    options.log_errors = False
    try:
        return cast(_Pattern, re2.compile(pattern, options))
    except re2.error as error:
        raise _syntax_error(pattern, error.args[0].decode()) from error


def _syntax_error(pattern: str, told: str) -> _SyntaxError:
    """What Go says where RE2 says ``reason: culprit``."""
    reason, _, culprit = told.partition(": ")
    if told == "trailing \\":
        return _SyntaxError("trailing backslash at end of expression", "")
    if told == "invalid UTF-8":  # a \\x{ that does not end
        return _SyntaxError("invalid escape sequence", pattern[pattern.rindex("\\x{") :])
    if _LOOKBEHIND.match(culprit):
        start = pattern.index(culprit)
        end = pattern.find(">", start) + 1 or len(pattern)
        return _SyntaxError("invalid named capture", pattern[start:end])
    return _SyntaxError(_MESSAGES.get(reason, reason), culprit)


def _must(pattern: str) -> _Pattern:
    """regexp.MustCompile."""
    try:
        return _compiled(pattern)
    except _SyntaxError as error:
        shown = f"`{pattern}`" if can_backquote(pattern) else quote(pattern)
        raise FunctionError(f"regexp: Compile({shown}): {error}") from error


def _matches(pattern: _Pattern, text: str) -> Iterator[_Match]:
    """All matches, but no empty one right after another.

    Bytes that are no UTF-8 match as U+FFFD does; the places of matches are those in ``text``.
    """
    end = -1
    for match in pattern.finditer(runes(text)):
        if match.end() > match.start() or match.start() != end:
            yield match
        end = match.end()


def _find(pattern: _Pattern, text: str) -> str:
    found = pattern.search(runes(text))
    return text[found.start() : found.end()] if found else ""


def _find_all(pattern: _Pattern, text: str, limit: int) -> Slice:
    """The first ``limit`` matches as []string, all for a negative limit; nil if there is none."""
    matches = islice(_matches(pattern, text), limit if limit >= 0 else None)
    return Slice(STRINGS, [text[match.start() : match.end()] for match in matches] or None)


def _split(pattern: _Pattern, text: str, limit: int) -> Slice:
    """What stands between the matches, ``limit`` parts at most; all for a negative limit."""
    if limit == 0:
        return Slice(STRINGS, None)
    if pattern.pattern and not text:
        return Slice(STRINGS, [""])
    parts: list[str] = []
    begin = end = 0
    for match in _matches(pattern, text):
        if len(parts) == limit - 1:
            break
        end = match.start()
        if match.end():
            parts.append(text[begin:end])
        begin = match.end()
    if end != len(text):
        parts.append(text[begin:])
    return Slice(STRINGS, parts)


def _replaced(pattern: _Pattern, text: str, replacement: list[str | int]) -> str:
    """The text with each match replaced by texts and groups."""
    out: list[str] = []
    size = end = 0
    for match in _matches(pattern, text):
        out.append(text[end : match.start()])
        for part in replacement:
            piece = part if isinstance(part, str) else text[slice(*match.span(part))]
            out.append(piece)
            size += len(piece)
        check_text(size)
        end = match.end()
    return decoded(encoded("".join([*out, text[end:]])))


def _expansion(pattern: _Pattern, template: str) -> list[str | int]:
    """Regexp.Expand's template: ``$1``, ``${1}``, ``$name``, ``${name}`` and ``$$`` among texts.

    A name is as long as can be, and an unknown one is empty: ``$1x`` is the group ``1x``.
    """
    groups = pattern.groupindex | {str(number): number for number in range(pattern.groups + 1)}
    parts: list[str | int] = []
    rest = template
    while "$" in rest:
        before, _, rest = rest.partition("$")
        parts.append(before)
        name, length = _reference(rest)
        if name:
            parts.append(groups.get(name, ""))
        else:
            parts.append("$")
        rest = rest[length:]
    return [*parts, rest]


def _reference(text: str) -> tuple[str, int]:
    """The name that ``text`` begins with, and its length; no name of length 1 for another ``$``."""
    if text.startswith("$"):
        return "", 1
    start = end = int(text.startswith("{"))
    while end < len(text) and (text[end] == "_" or is_letter(text[end]) or is_digit(text[end])):
        end += 1
    name = text[start:end]
    if start and text[end : end + 1] != "}":
        return "", 0
    return (name, end + start) if name else ("", 0)


def regex_match(pattern: str, text: str) -> bool:
    """Whether the text has a match; none has one for a pattern that is wrong."""
    try:
        return must_regex_match(pattern, text)
    except _SyntaxError:
        return False


def must_regex_match(pattern: str, text: str) -> bool:
    """Whether the text has a match."""
    return _compiled(pattern).search(runes(text)) is not None


def _both(name: str, call: Callable[..., Value], *parameters: GoType) -> dict[str, Function]:
    """A function by the name, failing as regexp.MustCompile does, and its twin named must…."""

    def plain(pattern: str, *arguments: Value) -> Value:
        return call(_must(pattern), *arguments)

    def must(pattern: str, *arguments: Value) -> Value:
        return call(_compiled(pattern), *arguments)

    return {
        name: Function(plain, parameters),
        f"must{name[0].upper()}{name[1:]}": Function(must, parameters),
    }


def _replace_all(pattern: _Pattern, text: str, replacement: str) -> str:
    return _replaced(pattern, text, _expansion(pattern, replacement))


def _replace_all_literal(pattern: _Pattern, text: str, replacement: str) -> str:
    return _replaced(pattern, text, [replacement])


def regex_quote_meta(text: str) -> str:
    """regexp.QuoteMeta."""
    return _META.sub(r"\\\g<0>", text)


FUNCTIONS = {
    "regexMatch": Function(regex_match, (STRING, STRING)),
    "mustRegexMatch": Function(must_regex_match, (STRING, STRING)),
    "regexQuoteMeta": Function(regex_quote_meta, (STRING,)),
    **_both("regexFind", _find, STRING, STRING),
    **_both("regexFindAll", _find_all, STRING, STRING, INT),
    **_both("regexSplit", _split, STRING, STRING, INT),
    **_both("regexReplaceAll", _replace_all, STRING, STRING, STRING),
    **_both("regexReplaceAllLiteral", _replace_all_literal, STRING, STRING, STRING),
}
