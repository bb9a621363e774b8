"""Functions on strings: the standard ones, and cel-go's ext/strings release 2.

Patterns are RE2, as in Go: no pattern can run away.
"""

from itertools import islice
from string import ascii_lowercase, ascii_uppercase

from podgraft.golang import regexp
from podgraft.golang.strconv.quote import NAMED_ESCAPES
from podgraft.golang.strings import split_n, trim_space
from podgraft.kube.cel.cost import (
    copy_cost,
    deep_traversal_cost,
    match_cost,
    result_copy_cost,
    search_cost,
    second_traversal_cost,
    traversal_cost,
)
from podgraft.kube.cel.errors import EvaluationError, ReviewLimitError
from podgraft.kube.cel.extent import MAX_MATCHES, check_text
from podgraft.kube.cel.overloads import function, member, reads_all, reads_text
from podgraft.kube.patch.pointer import escape

from .formatting import format_

_QUOTED = str.maketrans({**NAMED_ESCAPES, "\\": "\\\\", '"': '\\"'})
_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
_UPPER = str.maketrans(ascii_lowercase, ascii_uppercase)


def _char_at(text: str, index: int) -> str:
    _check_range(text, index)
    return text[index : index + 1]


def _check_range(text: str, index: int) -> None:
    if not 0 <= index <= len(text):
        raise EvaluationError(f"index out of range: {index}")


def _index_of(text: str, part: str, start: int = 0) -> int:
    if start < 0:
        raise EvaluationError(f"index out of range: {start}")
    return text.find(part, start) if part else min(start, len(text))


def _last_index_of(text: str, part: str, start: int | None = None) -> int:
    if start is None:
        return text.rfind(part)
    if start < 0:
        raise EvaluationError(f"index out of range: {start}")
    if not part:
        return min(start, len(text))
    return -1 if start >= len(text) else text.rfind(part, 0, start + len(part))


def _substring(text: str, start: int, end: int | None = None) -> str:
    if end is None:
        _check_range(text, start)
        return text[start:]
    if start > end:
        raise EvaluationError(f"invalid substring range. start: {start}, end: {end}")
    _check_range(text, start)
    _check_range(text, end)
    return text[start:end]


def _join(parts: list[str], separator: str = "") -> str:
    if not all(type(part) is str for part in parts):
        raise EvaluationError("no such overload")
    check_text(sum(map(len, parts)) + len(separator) * len(parts))
    return separator.join(parts)


def _replace(text: str, old: str, new: str, limit: int = -1) -> str:
    if len(new) > len(old):
        found = text.count(old)
        check_text(len(text) + (found if limit < 0 else min(found, limit)) * (len(new) - len(old)))
    return text.replace(old, new, limit)


STRINGS = (
    member("contains", "string string -> bool", lambda text, part: part in text, search_cost),
    member("startsWith", "string string -> bool", str.startswith, second_traversal_cost),
    member("endsWith", "string string -> bool", str.endswith, second_traversal_cost),
)

EXTENDED_STRINGS = (
    member("charAt", "string int -> string", _char_at),
    member("indexOf", "string string -> int", _index_of, deep_traversal_cost),
    member("indexOf", "string string int -> int", _index_of, deep_traversal_cost),
    member("lastIndexOf", "string string -> int", _last_index_of, deep_traversal_cost),
    member("lastIndexOf", "string string int -> int", _last_index_of, deep_traversal_cost),
    reads_all(member("join", "list(string) -> string", _join, result_copy_cost)),
    reads_all(member("join", "list(string) string -> string", _join, result_copy_cost)),
    member("lowerAscii", "string -> string", lambda text: text.translate(_LOWER), traversal_cost),
    member("upperAscii", "string -> string", lambda text: text.translate(_UPPER), traversal_cost),
    member("replace", "string string string -> string", _replace, copy_cost),
    member("replace", "string string string int -> string", _replace, copy_cost),
    member("split", "string string -> list(string)", split_n, copy_cost),
    member("split", "string string int -> list(string)", split_n, copy_cost),
    member("substring", "string int -> string", _substring, traversal_cost),
    member("substring", "string int int -> string", _substring, traversal_cost),
    member("trim", "string -> string", trim_space, traversal_cost),
)
FORMATS = (
    reads_all(member("format", "string list(dyn) -> string", format_, traversal_cost)),
    function(
        "strings.quote",
        "string -> string",
        lambda text: f'"{text.translate(_QUOTED)}"',
        traversal_cost,
    ),
)

# Only expressions of mutations have it (library/jsonpatch.go).
JSON_PATCH = (function("jsonpatch.escapeKey", "string -> string", escape, traversal_cost),)


def compile_(pattern: str) -> regexp.Pattern:
    """The pattern, compiled; raises ``EvaluationError`` if Go does not accept it.

    RE2 keeps the last 128 patterns.
    """
    try:
        return regexp.compile_(pattern)
    except regexp.PatternError as error:
        raise EvaluationError(str(error)) from error


def _matches(text: str, pattern: str) -> bool:
    return compile_(pattern).search(text) is not None


def _find(text: str, pattern: str) -> str:
    return next(regexp.find_all(compile_(pattern), text), "")


def _find_all(text: str, pattern: str, limit: int = -1) -> list[str]:
    texts = regexp.find_all(compile_(pattern), text)
    found = list(islice(texts, MAX_MATCHES + 1 if limit < 0 else min(limit, MAX_MATCHES + 1)))
    if len(found) > MAX_MATCHES:
        raise ReviewLimitError(f"finds more than {MAX_MATCHES} matches")
    return found


MATCHES = (
    function("matches", "string string -> bool", _matches, match_cost),
    member("matches", "string string -> bool", _matches, match_cost),
)

REGEX = (
    member("find", "string string -> string", _find, match_cost),
    # Each character can be a match, for which RE2's binding takes five microseconds.
    reads_text(member("findAll", "string string -> list(string)", _find_all, match_cost), 256),
    reads_text(member("findAll", "string string int -> list(string)", _find_all, match_cost), 256),
)
