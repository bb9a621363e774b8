"""Number constants: the text and its value in each kind of Go number (parse.newNumber).

The use of a constant determines its type: ``1`` can become an int8 or a float32, ``1e3`` an int.
"""

import re
from math import inf, isfinite

from podgraft.golang.strconv.quote import quote, unquote_char

from . import nodes

_BASES = {"0b": 2, "0o": 8, "0x": 16}
_DECIMAL = re.compile(
    r"[+-]?(?=[_.]*[0-9])[0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9][0-9_]*)?", re.ASCII
)
_HEXADECIMAL = re.compile(
    r"[+-]?0[xX](?=[_.]*[0-9a-fA-F])[0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?[pP][+-]?[0-9][0-9_]*",
    re.ASCII,
)
# The text that fmt.Sscan reads as a floating point number without its sign, valid or not.
_SCANNED = (
    r"(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]*)?"
    r"|[0-9_]*(?:\.[0-9_]*)?(?:[eEpP][+-]?[0-9_]*)?)"
)
# An i directly after the sign is the start of Inf.
_PAIR = re.compile(rf"([+-]?{_SCANNED})([+-](?!i){_SCANNED})i")


class NumberError(ValueError):
    """The text is not a number, or the number is too large; the message is Go's."""


def parse_character(literal: str, start: int) -> nodes.Number:
    """Parse ``'x'``: a number of any kind except complex."""
    code = unquote_char(literal)
    end = start + len(literal)
    return nodes.Number(literal, code, code, float(code), None, start=start, end=end)


def parse_complex(text: str, start: int) -> nodes.Number:
    """Parse ``1+2i``."""
    match = _PAIR.fullmatch(text)
    if match is None:
        raise NumberError("syntax error scanning complex number")
    return _complex_node(text, complex(_scan_float(match[1]), _scan_float(match[2])), start)


def parse_number(text: str, start: int) -> nodes.Number:
    """Parse any other number, including imaginary numbers."""
    if text.endswith("i"):
        imaginary = parse_float(text[:-1])
        if imaginary is not None and isfinite(imaginary):
            return _complex_node(text, complex(0, imaginary), start)
    integer, unsigned = _parse_int(text), _parse_uint(text)
    if integer == 0:
        unsigned = 0  # -0 too
    if integer is not None or unsigned is not None:
        value = unsigned if integer is None else integer
        return _number_node(text, integer, unsigned, float(value or 0), start)
    real = parse_float(text)
    if real is None or not isfinite(real):
        raise NumberError(f"illegal number syntax: {quote(text)}")
    if not any(char in ".eEpP" for char in text):
        raise NumberError(f"integer overflow: {quote(text)}")
    return _number_node(text, _exact_int(real), _exact_uint(real), real, start)


def parse_float(text: str) -> float | None:
    """strconv.ParseFloat: infinite if the number is out of range, ``None`` if it is invalid."""
    bare = text.replace("_", "")
    if bare != text and not _has_valid_underscores(text):
        return None
    if _DECIMAL.fullmatch(text):
        return float(bare)
    if not _HEXADECIMAL.fullmatch(text):
        return None
    try:
        return float.fromhex(bare)
    except OverflowError:
        return inf


def _number_node(
    text: str, integer: int | None, unsigned: int | None, real: float, start: int
) -> nodes.Number:
    return nodes.Number(text, integer, unsigned, real, None, start=start, end=start + len(text))


def _complex_node(text: str, value: complex, start: int) -> nodes.Number:
    """A complex constant; also a real number if its imaginary part is 0 (simplifyComplex)."""
    end = start + len(text)
    if value.imag:
        return nodes.Number(text, None, None, None, value, start=start, end=end)
    real = value.real
    return nodes.Number(
        text, _exact_int(real), _exact_uint(real), real, value, start=start, end=end
    )


def _scan_float(text: str) -> float:
    value = parse_float(text)
    if value is None or not isfinite(value):
        problem = "invalid syntax" if value is None else "value out of range"
        raise NumberError(f"strconv.ParseFloat: parsing {quote(text)}: {problem}")
    return value


def _exact_int(value: float) -> int | None:
    return int(value) if value.is_integer() and -(2**63) <= value < 2**63 else None


def _exact_uint(value: float) -> int | None:
    return int(value) if value.is_integer() and 0 <= value < 2**64 else None


def _parse_int(text: str) -> int | None:
    """strconv.ParseInt with base 0."""
    value = _parse_digits(text[1:] if text[:1] in ("+", "-") else text)
    if value is None:
        return None
    value = -value if text.startswith("-") else value
    return value if -(2**63) <= value < 2**63 else None


def _parse_uint(text: str) -> int | None:
    """strconv.ParseUint with base 0."""
    value = _parse_digits(text)
    return value if value is not None and value < 2**64 else None


def _parse_digits(text: str) -> int | None:
    digits, base = text, 10
    if text.startswith("0"):
        prefix_base = _BASES.get(text[:2].lower()) if len(text) > len("0x") else None
        digits, base = (text[2:], prefix_base) if prefix_base else (text[1:], 8)
    bare = digits.replace("_", "")
    if text == "0":
        return 0
    if not (bare.isascii() and bare.isalnum()):
        return None
    if "_" in digits and not _has_valid_underscores(text):
        return None
    try:
        return int(bare, base)
    except ValueError:
        return None


def _has_valid_underscores(text: str) -> bool:
    """underscoreOK: each underscore between digits, or between a prefix and a digit."""
    bare = text.lstrip("+-").lower()
    digits = "0123456789"
    if bare[:2] in _BASES:
        digits += "abcdef" if bare[:2] == "0x" else ""
        bare = "0" + bare[2:]  # a prefix counts as a digit
    return all(
        bare[max(index - 1, 0)] in digits and bare[index + 1 : index + 2] in tuple(digits)
        for index, char in enumerate(bare)
        if char == "_"
    )
