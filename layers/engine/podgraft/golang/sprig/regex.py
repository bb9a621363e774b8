"""The regex functions.

For an invalid pattern, the functions with the prefix must fail with the error of regexp.Compile,
and the others with the panic of regexp.MustCompile.
"""

import re
from collections.abc import Callable
from functools import wraps
from itertools import islice
from typing import Concatenate, ParamSpec, TypeVar

from podgraft.golang import regexp
from podgraft.golang.reflect import STRINGS, Slice
from podgraft.golang.regexp import Pattern, PatternError, compile_, matches, must_compile
from podgraft.golang.strconv.quote import merge_escaped_bytes
from podgraft.golang.utf8 import is_digit, is_letter, to_runes

from .failures import check_text_size

P = ParamSpec("P")
T = TypeVar("T")

_META = re.compile(r"[\\.+*?()|\[\]{}^$]")


def match(pattern: str, text: str) -> bool:
    """Whether the text has a match; false for an invalid pattern."""
    try:
        return must_match(pattern, text)
    except PatternError:
        return False


def must_match(pattern: str, text: str) -> bool:
    """Whether the text has a match."""
    return compile_(pattern).search(to_runes(text)) is not None


def _make_pair(
    body: Callable[Concatenate[Pattern, P], T],
) -> tuple[Callable[Concatenate[str, P], T], Callable[Concatenate[str, P], T]]:
    """The function without and with the prefix: they differ in the error of the pattern."""

    @wraps(body)
    def call(pattern: str, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return body(must_compile(pattern), *args, **kwargs)

    @wraps(body)
    def must_call(pattern: str, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return body(compile_(pattern), *args, **kwargs)

    return call, must_call


def _find(pattern: Pattern, text: str) -> str:
    match = pattern.search(to_runes(text))
    return text[match.start() : match.end()] if match else ""


def _find_all(pattern: Pattern, text: str, limit: int) -> Slice:
    """The first ``limit`` matches as []string, nil if there is none; a negative limit means all."""
    found = islice(regexp.find_all(pattern, text), limit if limit >= 0 else None)
    return Slice(STRINGS, [*found] or None)


def _split(pattern: Pattern, text: str, limit: int) -> Slice:
    """Split at the matches into at most ``limit`` parts; a negative limit means all."""
    if limit == 0:
        return Slice(STRINGS, None)
    if pattern.pattern and not text:
        return Slice(STRINGS, [""])
    parts: list[str] = []
    begin = end = 0
    for match in matches(pattern, text):
        if len(parts) == limit - 1:
            break
        end = match.start()
        if match.end():
            parts.append(text[begin:end])
        begin = match.end()
    if end != len(text):
        parts.append(text[begin:])
    return Slice(STRINGS, parts)


def _replace_all(pattern: Pattern, text: str, template: str) -> str:
    """Replace each match by the expanded template."""
    return _replace(pattern, text, _parse_template(pattern, template))


def _replace_all_literal(pattern: Pattern, text: str, replacement: str) -> str:
    """Replace each match by a literal text, without expanding ``$``."""
    return _replace(pattern, text, [replacement])


find, must_find = _make_pair(_find)
find_all, must_find_all = _make_pair(_find_all)
split, must_split = _make_pair(_split)
replace_all, must_replace_all = _make_pair(_replace_all)
replace_all_literal, must_replace_all_literal = _make_pair(_replace_all_literal)


def _replace(pattern: Pattern, text: str, parts: list[str | int]) -> str:
    """Replace each match by texts and groups."""
    out: list[str] = []
    size = end = 0
    for match in matches(pattern, text):
        out.append(text[end : match.start()])
        for part in parts:
            piece = part if isinstance(part, str) else text[slice(*match.span(part))]
            out.append(piece)
            size += len(piece)
        check_text_size(size)
        end = match.end()
    return merge_escaped_bytes("".join([*out, text[end:]]))


def _parse_template(pattern: Pattern, template: str) -> list[str | int]:
    """Parse Regexp.Expand's template: ``$1``, ``${1}``, ``$name``, ``${name}``, and ``$$``.

    A name is as long as possible, and an unknown group is empty: ``$1x`` is the group ``1x``.
    """
    numbers = {str(number): number for number in range(pattern.groups + 1)}
    groups = {**pattern.groupindex, **numbers}
    parts: list[str | int] = []
    end = 0
    while (dollar := template.find("$", end)) >= 0:
        name, after = _parse_reference(template, dollar + 1)
        parts += template[end:dollar], groups.get(name, "") if name else "$"
        end = after
    return [*parts, template[end:]]


def _parse_reference(template: str, start: int) -> tuple[str, int]:
    """The name at ``start`` and its end; an empty name for ``$$`` or a single ``$``."""
    if template.startswith("$", start):
        return "", start + 1
    brace = template.startswith("{", start)
    begin = end = start + brace
    while end < len(template) and _is_name_character(template[end]):
        end += 1
    if end == begin or (brace and not template.startswith("}", end)):
        return "", start
    return template[begin:end], end + brace


def _is_name_character(char: str) -> bool:
    return char == "_" or is_letter(char) or is_digit(char)


def quote_meta(text: str) -> str:
    """regexp.QuoteMeta."""
    return _META.sub(r"\\\g<0>", text)
