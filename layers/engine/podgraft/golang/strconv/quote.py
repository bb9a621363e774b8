"""Go string and character literals: quote and unquote (strconv/quote.go)."""

import re
from bisect import bisect_right
from functools import cache
from itertools import accumulate

from podgraft.base.tables import read_table


def is_print(char: str) -> bool:
    """Whether Go prints ``char`` without an escape.

    >>> is_print("é"), is_print(chr(0x200B))
    (True, False)
    """
    return " " <= char <= "~" or bisect_right(_boundaries(), ord(char)) % 2 == 1


@cache
def _boundaries() -> list[int]:
    """The code points at which the result changes; the result at 0 is false.

    The table has their distances; ``oracle printable`` (tests/oracle) writes it.
    """
    steps = " ".join(read_table(__file__, "isprint.json")).split()
    return list(accumulate(int(step, 16) for step in steps))


NAMED_ESCAPES = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
}
_MEANT = {named[1]: ord(char) for char, named in NAMED_ESCAPES.items()} | {"\\": ord("\\")}
_HEX_DIGITS = {"x": 2, "u": 4, "U": 8}
MAX_RUNE = 0x10FFFF
MAX_ASCII = 0x7F
_MAX_BYTE = 0xFF
_LAST_OF_FOUR_DIGITS = 0xFFFF
REPLACEMENT = "\ufffd"


# Text that a double-quoted literal contains without an escape. A caller that quotes often can test
# it without a further call.
UNESCAPED = re.compile(r"[ !#-\[\]-~]*")


class LiteralError(ValueError):
    """The literal is invalid in Go (strconv.ErrSyntax)."""

    def __init__(self) -> None:
        super().__init__("invalid syntax")


def quote(text: str, *, ascii_only: bool = False) -> str:
    """strconv.Quote, or QuoteToASCII: ``text`` as a double-quoted Go literal."""
    if UNESCAPED.fullmatch(text):
        return f'"{text}"'
    return f'"{merge_escaped_bytes(text).translate(_Escapes(ascii_only=ascii_only))}"'


class _Escapes(dict[int, str]):
    """The escape of each code point, computed once: a text of an object can have 3 MiB."""

    def __init__(self, *, ascii_only: bool) -> None:
        super().__init__()
        self._ascii_only = ascii_only

    def __missing__(self, code: int) -> str:
        self[code] = _escape(chr(code), '"', self._ascii_only)
        return self[code]


def quote_rune(code: int, *, ascii_only: bool = False) -> str:
    """strconv.QuoteRune, or QuoteRuneToASCII: a code point as a Go character literal."""
    return f"'{_escape(rune_to_str(code), chr(39), ascii_only)}'"


def format_sharp_u(char: str) -> str:
    """%#U: ``U+0078 'x'``."""
    char = REPLACEMENT if is_escaped_byte(char) else char
    return f"U+{ord(char):04X}" + (f" '{char}'" if is_print(char) else "")


def rune_to_str(code: int) -> str:
    """The character of a code point; U+FFFD for an invalid code point."""
    return chr(code) if _is_rune(code) else REPLACEMENT


def merge_escaped_bytes(text: str) -> str:
    """Combine escaped bytes that together are valid UTF-8 into characters."""
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


def can_backquote(text: str) -> bool:
    """strconv.CanBackquote: whether backquotes can enclose ``text`` unchanged."""
    return not any(
        (char < " " and char != "\t") or char in "`\x7f\ufeff" or is_escaped_byte(char)
        for char in text
    )


def is_escaped_byte(char: str) -> bool:
    """Whether ``char`` represents a byte that is not valid UTF-8."""
    return "\udc80" <= char <= "\udcff"


def unquote(literal: str) -> str:
    """strconv.Unquote of a double-quoted or raw literal from the lexer."""
    body = literal[1:-1]
    if literal[0] == "`":
        return body.replace("\r", "")
    if "\\" not in body:
        return body if body.isascii() else _replace_invalid(body)
    parts: list[bytes] = []
    offset = 0
    while offset < len(body):
        code, is_byte, offset = _unescape(body, offset, '"')
        parts.append(bytes((code,)) if is_byte else chr(code).encode())
    return b"".join(parts).decode("utf-8", "surrogateescape")


def unquote_char(literal: str) -> int:
    """The code point of a character constant (strconv.UnquoteChar, as parse.newNumber uses it)."""
    code, _, end = _unescape(literal, 1, "'")
    if literal[end:] != "'":
        raise ValueError(f"malformed character constant: {literal}")
    return code


def _replace_invalid(text: str) -> str:
    return "".join(REPLACEMENT if is_escaped_byte(char) else char for char in text)


def _escape(char: str, quotation: str, ascii_only: bool) -> str:
    """Escape a character for a literal (appendEscapedRune)."""
    code = ord(char)
    if char in (quotation, "\\"):
        return "\\" + char
    if (code <= MAX_ASCII or not ascii_only) and is_print(char):
        return char
    if char in NAMED_ESCAPES:
        return NAMED_ESCAPES[char]
    if code <= MAX_ASCII or is_escaped_byte(char):
        return f"\\x{code & _MAX_BYTE:02x}"
    return f"\\u{code:04x}" if code <= _LAST_OF_FOUR_DIGITS else f"\\U{code:08x}"


def _unescape(text: str, offset: int, quotation: str) -> tuple[int, bool, int]:
    """The code at ``offset``, whether it is a single byte, and the offset of the next code."""
    char = text[offset]
    if char == quotation:
        raise LiteralError
    if char != "\\":
        return ord(REPLACEMENT if is_escaped_byte(char) else char), False, offset + 1
    kind = text[offset + 1 : offset + 2]
    offset += 2
    if kind in _MEANT:
        return _MEANT[kind], False, offset
    if kind == quotation:
        return ord(kind), False, offset
    if kind in _HEX_DIGITS:
        end = offset + _HEX_DIGITS[kind]
        return _parse_code(text[offset:end], 16, end - offset), kind == "x", end
    code = _parse_code(text[offset - 1 : offset + 2], 8, 3)
    if code > _MAX_BYTE:
        raise LiteralError
    return code, True, offset + 2


def _parse_code(digits: str, base: int, count: int) -> int:
    if len(digits) != count or not (digits.isascii() and digits.isalnum()):
        raise LiteralError
    try:
        code = int(digits, base)
    except ValueError:
        raise LiteralError from None
    if not _is_rune(code):
        raise LiteralError
    return code


def _is_rune(code: int) -> bool:
    """Whether ``code`` is a code point and not a surrogate (utf8.ValidRune)."""
    return 0 <= code <= MAX_RUNE and not 0xD800 <= code <= 0xDFFF  # noqa: PLR2004 - Unicode's own
