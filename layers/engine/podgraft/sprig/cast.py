"""Any value as a number: spf13/cast 1.7 over Go's strconv. What does not convert is 0."""

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
# The two named types that cast knows; any other named type is none of its numbers.
_CALENDAR = frozenset(("time.Month", "time.Weekday"))

# The module re compiles and keeps a pattern when it is first used; few templates use any.
_LEADING_DIGITS = r"([+-]?)0*([0-9]*)"
_OCTAL = r"[+-]?[0-7]+"
# Go's integer literals; a leading 0 alone means octal.
_LITERAL = (
    r"([+-]?)(?:(0[xX])((?:_?[0-9a-fA-F])+)|(0[bB])((?:_?[01])+)|(0[oO]?)((?:_?[0-7])+)"
    r"|()((?:0|[1-9](?:_?[0-9])*)))"
)
_BASES = {"0x": 16, "0b": 2, "0o": 8, "0": 8}
# Underscores may stand between digits, and after the prefix of a hexadecimal number.
_FLOAT = (
    r"[+-]?(?:(?:D\.?(?:D)?|\.D)(?:[eE][+-]?D)?|[iI][nN][fF](?:[iI][nN][iI][tT][yY])?)"
    r"|[nN][aA][nN]".replace("D", r"[0-9](?:_?[0-9])*")
)
_HEX_FLOAT = r"[+-]?0[xX](?:_?H\.?(?:H)?|\.H)[pP][+-]?[0-9](?:_?[0-9])*".replace(
    "H", r"[0-9a-fA-F](?:_?[0-9a-fA-F])*"
)
_ZERO_DECIMAL = r"\.0+\Z"


def wrap_int64(number: int) -> int:
    """The int64 that Go's arithmetic would leave."""
    return (number - MIN_INT64 & (1 << 64) - 1) + MIN_INT64


def truncate_to_int64(number: float) -> int:
    """``int64(number)`` as amd64 computes it: the least integer for all that does not fit."""
    return int(number) if math.isfinite(number) and _fits_int64(int(number)) else MIN_INT64


def _fits_int64(number: int) -> bool:
    return MIN_INT64 <= number <= MAX_INT64


def parse_int(text: str) -> int | None:
    """strconv.ParseInt to 64 bits, the base by the literal's prefix; None on any error."""
    found = re.fullmatch(_LITERAL, text)
    if found is None:
        return None
    sign, prefix, digits = (group for group in found.groups() if group is not None)
    digits = digits.replace("_", "")
    # int() refuses thousands of decimal digits; 21 are too many for an int64 already.
    number = int(sign + digits, _BASES[prefix.lower()]) if prefix else int(sign + digits[:21])
    return number if _fits_int64(number) else None


def parse_float(text: str) -> float | None:
    """strconv.ParseFloat to 64 bits; None on any error, too large included."""
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
    """cast.ToInt, which is cast.ToInt64 where int has 64 bits.

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
    """strconv.Atoi without its error: 0 for no number, the nearest int for one too large.

    Digits beyond a uint64 are too large whatever follows them.
    """
    found = re.match(_LEADING_DIGITS, text)
    number = int(found[1] + (found[2][:21] or "0")) if found else 0
    if found and found.end() < len(text) and abs(number) < 1 << 64:
        return 0
    return min(max(number, MIN_INT64), MAX_INT64)


def to_decimal(value: Value) -> Value:
    """The value's text read as octal digits, an int64; 0 if it is none."""
    text = sprint(value)
    number = int(text, 8) if re.fullmatch(_OCTAL, text) else 0
    return INT64.convert(number if _fits_int64(number) else 0)
