"""The values of literals: numbers, strings and bytes (cel-go parser/unescape.go)."""

import re
from collections.abc import Callable, Mapping

from podgraft.golang.strconv.atof import parse_float
from podgraft.golang.strconv.atoi import NumError

from .values import INT_MAX, INT_MIN, UINT_MAX, Uint

_ESCAPE = re.compile(
    r"\\(?:(?P<letter>[abfnrtv\"'\\?`])|(?P<octal>[0-3][0-7]{2})"
    r"|[xX](?P<hex>[0-9a-fA-F]{2})|[uU](?P<unicode>[0-9a-fA-F]+))"
)
_LETTERS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_SURROGATES = range(0xD800, 0xE000)
_LAST_CODE_POINT = 0x10FFFF


class LiteralError(Exception):
    """A token that stands for no value, for example an integer of more than 64 bits."""


def read_int(text: str) -> int:
    """Return the value of ``12``, ``-12`` or ``0x1f``."""
    value = _whole_number(text)
    if not INT_MIN <= value <= INT_MAX:
        raise LiteralError("invalid int literal")
    return value


def read_uint(text: str) -> Uint:
    """Return the value of ``12u``."""
    value = _whole_number(text[:-1])
    if value > UINT_MAX:
        raise LiteralError("invalid uint literal")
    return Uint(value)


# More digits than 64 bits have, leading zeros aside; Python refuses to read thousands of them.
_TOO_LONG = 30


def _whole_number(text: str) -> int:
    digits = text.removeprefix("-")
    base = 16 if digits.startswith("0x") else 10
    digits = digits.removeprefix("0x").lstrip("0") or "0"
    value = UINT_MAX + 1 if len(digits) > _TOO_LONG else int(digits, base)
    return -value if text[0] == "-" else value


def read_double(text: str) -> float:
    """Return the value of ``1.5`` or ``-1e3``."""
    try:
        return parse_float(text)
    except NumError as error:
        raise LiteralError("invalid double literal") from error


def read_text(token: str) -> str | bytes:
    """Return the value of a string, or of bytes with the prefix ``b``."""
    is_bytes = token[0] in "bB"
    body = token[1:] if is_bytes else token
    is_raw = body[0] in "rR"
    body = body[1:] if is_raw else body
    quotes = 3 if len(body) >= 6 and body[:3] == body[0] * 3 else 1  # noqa: PLR2004 - both ends
    content = body[quotes:-quotes].replace("\r\n", "\n").replace("\r", "\n")
    if is_bytes:
        return content.encode() if is_raw else _unescape_bytes(content)
    return content if is_raw or "\\" not in content else _ESCAPE.sub(_character, content)


def _character(match: re.Match[str]) -> str:
    if match["letter"]:
        return _LETTERS.get(match["letter"], match["letter"])
    if match["octal"]:
        return chr(int(match["octal"], 8))
    code_point = int(match["hex"] or match["unicode"], 16)
    if code_point in _SURROGATES or code_point > _LAST_CODE_POINT:
        raise LiteralError("invalid unicode code point")
    return chr(code_point)


def _unescape_bytes(content: str) -> bytes:
    parts: list[bytes] = []
    end = 0
    for match in _ESCAPE.finditer(content):
        parts.append(content[end : match.start()].encode())
        end = match.end()
        if match["unicode"]:
            raise LiteralError("unable to unescape string")
        character = _character(match)
        parts.append(character.encode("latin-1"))
    return b"".join((*parts, content[end:].encode()))


# How the tokens of numbers are read.
NUMBERS: Mapping[str, Callable[[str], int | float]] = {
    "INT": read_int,
    "UINT": read_uint,
    "FLOAT": read_double,
}
