"""The regex functions. Those named must… say what is wrong with a pattern as regexp.Compile does,
the others as the panic of regexp.MustCompile does.
"""

import re
from itertools import islice

from podgraft.go.reflect import STRINGS, Slice
from podgraft.go.regexp import Pattern, PatternError, compile_, matches, must_compile
from podgraft.go.strconv.quote import merge_escaped_bytes
from podgraft.go.utf8 import is_digit, is_letter, to_runes

from .limits import check_text_size

_META = re.compile(r"[\\.+*?()|\[\]{}^$]")


def match(pattern: str, text: str) -> bool:
    """Whether the text has a match; none has one for a pattern that is wrong."""
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
    found = pattern.search(to_runes(text))
    return text[found.start() : found.end()] if found else ""


def find_all(pattern: str, text: str, limit: int) -> Slice:
    """The first ``limit`` matches, all for a negative limit."""
    return _find_all(must_compile(pattern), text, limit)


def must_find_all(pattern: str, text: str, limit: int) -> Slice:
    """The first ``limit`` matches, all for a negative limit."""
    return _find_all(compile_(pattern), text, limit)


def _find_all(pattern: Pattern, text: str, limit: int) -> Slice:
    """As []string, nil if there is no match."""
    some = islice(matches(pattern, text), limit if limit >= 0 else None)
    return Slice(STRINGS, [text[found.start() : found.end()] for found in some] or None)


def split(pattern: str, text: str, limit: int) -> Slice:
    """What stands between the matches, in ``limit`` parts at most; all for a negative limit."""
    return _split(must_compile(pattern), text, limit)


def must_split(pattern: str, text: str, limit: int) -> Slice:
    """What stands between the matches, in ``limit`` parts at most; all for a negative limit."""
    return _split(compile_(pattern), text, limit)


def _split(pattern: Pattern, text: str, limit: int) -> Slice:
    if limit == 0:
        return Slice(STRINGS, None)
    if pattern.pattern and not text:
        return Slice(STRINGS, [""])
    parts: list[str] = []
    begin = end = 0
    for found in matches(pattern, text):
        if len(parts) == limit - 1:
            break
        end = found.start()
        if found.end():
            parts.append(text[begin:end])
        begin = found.end()
    if end != len(text):
        parts.append(text[begin:])
    return Slice(STRINGS, parts)


def replace_all(pattern: str, text: str, template: str) -> str:
    """The text with every match replaced by the expanded template."""
    compiled = must_compile(pattern)
    return _replace(compiled, text, _parse_template(compiled, template))


def must_replace_all(pattern: str, text: str, template: str) -> str:
    """The text with every match replaced by the expanded template."""
    compiled = compile_(pattern)
    return _replace(compiled, text, _parse_template(compiled, template))


def replace_all_literal(pattern: str, text: str, replacement: str) -> str:
    """The text with every match replaced by a text in which ``$`` means nothing."""
    return _replace(must_compile(pattern), text, [replacement])


def must_replace_all_literal(pattern: str, text: str, replacement: str) -> str:
    """The text with every match replaced by a text in which ``$`` means nothing."""
    return _replace(compile_(pattern), text, [replacement])


def _replace(pattern: Pattern, text: str, parts: list[str | int]) -> str:
    """Each match replaced by texts and groups."""
    out: list[str] = []
    size = end = 0
    for found in matches(pattern, text):
        out.append(text[end : found.start()])
        for part in parts:
            piece = part if isinstance(part, str) else text[slice(*found.span(part))]
            out.append(piece)
            size += len(piece)
        check_text_size(size)
        end = found.end()
    return merge_escaped_bytes("".join([*out, text[end:]]))


def _parse_template(pattern: Pattern, template: str) -> list[str | int]:
    """Regexp.Expand's template: ``$1``, ``${1}``, ``$name``, ``${name}`` and ``$$`` among texts.

    A name is as long as can be, and an unknown one is empty: ``$1x`` is the group ``1x``.
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
    """The name that stands at ``start`` and where it ends; no name for another or a lone ``$``."""
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
