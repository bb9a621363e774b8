"""The regex functions.

For an invalid pattern, the functions with the prefix must fail with the error of regexp.Compile,
and the others with the panic of regexp.MustCompile.
"""

import re
from itertools import islice

from podgraft.golang.reflect import STRINGS, Slice
from podgraft.golang.regexp import Pattern, PatternError, compile_, matches, must_compile
from podgraft.golang.strconv.quote import merge_escaped_bytes
from podgraft.golang.utf8 import is_digit, is_letter, to_runes

from .limits import check_text_size

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


def find(pattern: str, text: str) -> str:
    """The first match."""
    return _find(must_compile(pattern), text)


def must_find(pattern: str, text: str) -> str:
    """The first match."""
    return _find(compile_(pattern), text)


def _find(pattern: Pattern, text: str) -> str:
    match = pattern.search(to_runes(text))
    return text[match.start() : match.end()] if match else ""


def find_all(pattern: str, text: str, limit: int) -> Slice:
    """The first ``limit`` matches; a negative limit means all."""
    return _find_all(must_compile(pattern), text, limit)


def must_find_all(pattern: str, text: str, limit: int) -> Slice:
    """The first ``limit`` matches; a negative limit means all."""
    return _find_all(compile_(pattern), text, limit)


def _find_all(pattern: Pattern, text: str, limit: int) -> Slice:
    """The matches as []string; nil if there is none."""
    selected = islice(matches(pattern, text), limit if limit >= 0 else None)
    return Slice(STRINGS, [text[match.start() : match.end()] for match in selected] or None)


def split(pattern: str, text: str, limit: int) -> Slice:
    """Split at the matches into at most ``limit`` parts; a negative limit means all."""
    return _split(must_compile(pattern), text, limit)


def must_split(pattern: str, text: str, limit: int) -> Slice:
    """Split at the matches into at most ``limit`` parts; a negative limit means all."""
    return _split(compile_(pattern), text, limit)


def _split(pattern: Pattern, text: str, limit: int) -> Slice:
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


def replace_all(pattern: str, text: str, template: str) -> str:
    """Replace each match by the expanded template."""
    compiled = must_compile(pattern)
    return _replace(compiled, text, _parse_template(compiled, template))


def must_replace_all(pattern: str, text: str, template: str) -> str:
    """Replace each match by the expanded template."""
    compiled = compile_(pattern)
    return _replace(compiled, text, _parse_template(compiled, template))


def replace_all_literal(pattern: str, text: str, replacement: str) -> str:
    """Replace each match by a literal text, without expanding ``$``."""
    return _replace(must_compile(pattern), text, [replacement])


def must_replace_all_literal(pattern: str, text: str, replacement: str) -> str:
    """Replace each match by a literal text, without expanding ``$``."""
    return _replace(compile_(pattern), text, [replacement])


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
    groups = pattern.groupindex | {str(number): number for number in range(pattern.groups + 1)}
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
