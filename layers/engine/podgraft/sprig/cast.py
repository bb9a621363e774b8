"""The conversion of values to numbers: spf13/cast 1.7. An invalid value becomes 0."""

import math
import re

from podgraft.go.fmt.sprintf import sprint
from podgraft.go.reflect import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT,
    INT8,
    INT16,
    INT32,
    INT64,
    STRING,
    UINT,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    Pointer,
    Value,
    type_of,
)

MIN_INT64 = -(1 << 63)
MAX_INT64 = (1 << 63) - 1

_INTEGERS = frozenset((INT, INT8, INT16, INT32, INT64, UINT, UINT8, UINT16, UINT32, UINT64))
_FLOATS = frozenset((FLOAT32, FLOAT64))
# The two named types that cast supports as numbers.
_CALENDAR = frozenset(("time.Month", "time.Weekday"))

# The module re compiles and caches these patterns on first use; few templates need them.
_LEADING_DIGITS = r"([+-]?)0*([0-9]*)"
_OCTAL = r"[+-]?[0-7]+"
# Go's integer literals; a leading 0 without a letter means octal.
_LITERAL = (
    r"([+-]?)(?:(0[xX])((?:_?[0-9a-fA-F])+)|(0[bB])((?:_?[01])+)|(0[oO]?)((?:_?[0-7])+)"
    r"|()((?:0|[1-9](?:_?[0-9])*)))"
)
_BASES = {"0x": 16, "0b": 2, "0o": 8, "0": 8}
# Underscores are allowed between digits, and after the prefix of a hexadecimal number.
_FLOAT = (
    r"[+-]?(?:(?:D\.?(?:D)?|\.D)(?:[eE][+-]?D)?|[iI][nN][fF](?:[iI][nN][iI][tT][yY])?)"
    r"|[nN][aA][nN]".replace("D", r"[0-9](?:_?[0-9])*")
)
_HEX_FLOAT = r"[+-]?0[xX](?:_?H\.?(?:H)?|\.H)[pP][+-]?[0-9](?:_?[0-9])*".replace(
    "H", r"[0-9a-fA-F](?:_?[0-9a-fA-F])*"
)
_ZERO_DECIMAL = r"\.0+\Z"


def wrap_int64(number: int) -> int:
    """Wrap around as Go's int64 arithmetic does."""
    return (number - MIN_INT64 & (1 << 64) - 1) + MIN_INT64


def truncate_to_int64(number: float) -> int:
    """``int64(number)`` as on amd64: the smallest integer on overflow."""
    return int(number) if math.isfinite(number) and _fits_int64(int(number)) else MIN_INT64


def _fits_int64(number: int) -> bool:
    return MIN_INT64 <= number <= MAX_INT64


def parse_int(text: str) -> int | None:
    """strconv.ParseInt with 64 bits and the base of the prefix; None on any error."""
    match = re.fullmatch(_LITERAL, text)
    if match is None:
        return None
    sign, prefix, digits = (group for group in match.groups() if group is not None)
    digits = digits.replace("_", "")
    # int() rejects thousands of digits; 21 digits already overflow an int64.
    number = int(sign + digits, _BASES[prefix.lower()]) if prefix else int(sign + digits[:21])
    return number if _fits_int64(number) else None


def parse_float(text: str) -> float | None:
    """strconv.ParseFloat with 64 bits; None on any error, including overflow."""
    if re.fullmatch(_FLOAT, text):
        number = float(text.replace("_", ""))
        return number if math.isfinite(number) or text[-1:] in "fFyYnN" else None
    if re.fullmatch(_HEX_FLOAT, text):
        try:
            return float.fromhex(text.replace("_", ""))
        except OverflowError:
            return None
    return None


def _dereference(value: Value) -> Value:
    while isinstance(value, Pointer) and value.target is not None:
        value = value.target
    return value


def to_int(value: Value) -> int:
    """cast.ToInt, with an int of 64 bits.

    >>> [to_int(value) for value in ("0x1f", "010", "1_000", "12.00", "1.5", 2.9, True, None, [])]
    [31, 8, 1000, 12, 0, 2, 1, 0, 0]
    """
    value = _dereference(value)
    type_ = type_of(value)
    if type_ in _INTEGERS:
        return wrap_int64(value)
    if type_ in _FLOATS:
        return truncate_to_int64(value)
    if type_ is STRING:
        return parse_int(re.sub(_ZERO_DECIMAL, "", value)) or 0
    if type_ is BOOL:
        return int(value)
    return int(value) if type_ is not None and type_.name in _CALENDAR else 0


def to_int64(value: Value) -> Value:
    """``to_int`` as a Go int64."""
    return INT64.convert(to_int(value))


def to_float(value: Value) -> float:
    """cast.ToFloat64.

    >>> [to_float(value) for value in ("1e3", "0x1p-2", "1e999", "x", 3, True, None)]
    [1000.0, 0.25, 0.0, 0.0, 3.0, 1.0, 0.0]
    """
    value = _dereference(value)
    type_ = type_of(value)
    if type_ is STRING:
        number = parse_float(value)
        return 0.0 if number is None else number
    if type_ in _INTEGERS or type_ in _FLOATS or type_ is BOOL:
        return float(value)
    return float(value) if type_ is not None and type_.name in _CALENDAR else 0.0


def atoi(text: str) -> int:
    """strconv.Atoi without its error: 0 for an invalid number, the nearest int on overflow.

    Digits that overflow a uint64 are an overflow, independent of the following text.
    """
    match = re.match(_LEADING_DIGITS, text)
    number = int(match[1] + (match[2][:21] or "0")) if match else 0
    if match and match.end() < len(text) and abs(number) < 1 << 64:
        return 0
    return min(max(number, MIN_INT64), MAX_INT64)


def to_decimal(value: Value) -> Value:
    """Parse the text of the value as octal digits to an int64; 0 if it is invalid."""
    text = sprint(value)
    number = int(text, 8) if re.fullmatch(_OCTAL, text) else 0
    return INT64.convert(number if _fits_int64(number) else 0)
