"""The conversion of values to numbers, as in each release of spf13/cast.

sprig leaves the release of cast to the program that imports it, so each Istio release has its own
(``core/injectors/istio/release_names.json``). An invalid value becomes 0.
"""

import math
import re
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from podgraft.golang.fmt.sprintf import sprint
from podgraft.golang.reflect import (
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
    GoType,
    Kind,
    Value,
    dereference,
    type_of,
)
from podgraft.golang.strconv import atoi as integers
from podgraft.golang.strconv.atof import parse_float
from podgraft.golang.strconv.atoi import parse_int, parse_or_none
from podgraft.golang.time import wrap_int64

MIN_INT64 = -(1 << 63)
MAX_INT64 = (1 << 63) - 1

_BASIC_TYPES = frozenset(
    {
        *(INT, INT8, INT16, INT32, INT64, UINT, UINT8, UINT16, UINT32, UINT64),
        *(FLOAT32, FLOAT64, STRING, BOOL),
    }
)
# The two named types that cast supports as numbers.
_CALENDAR = frozenset(("time.Month", "time.Weekday"))

# The module re compiles and caches these patterns on first use; few templates need them.
_ZERO_FRACTION = r"\.0+\Z"
_DECIMAL = r"([+-]?[0-9]*)\.[0-9]*"
# The kinds of named types that cast 1.10 converts to the unnamed type.
_BASIC_KINDS = frozenset(type_.kind for type_ in _BASIC_TYPES)


def truncate_to_int64(number: float) -> int:
    """``int64(number)`` as on amd64: the smallest integer on overflow."""
    return int(number) if math.isfinite(number) and MIN_INT64 <= number <= MAX_INT64 else MIN_INT64


def _trim_fraction(text: str) -> str:
    """Remove the fraction of a decimal number; an integer part without digits becomes 0."""
    match = re.fullmatch(_DECIMAL, text)
    if match is None:
        return text
    return f"{match[1]}0" if match[1] in ("", "+", "-") else match[1]


class Cast(msgspec.Struct, frozen=True):
    """The conversions of some releases of cast.

    ``trim_fraction`` removes the part of a text that these releases ignore in an integer.
    ``converts_calendar`` is whether time.Month and time.Weekday are numbers, and
    ``converts_named`` whether values of all named types are.
    """

    trim_fraction: Callable[[str], str]
    converts_calendar: bool = True
    converts_named: bool = False

    def to_int(self, value: Value) -> int:
        """cast.ToInt, with an int of 64 bits.

        >>> texts = ("0x1f", "010", "1_000", "12.00", "1.5")
        >>> [CASTS["1.10"].to_int(text) for text in texts], CASTS["1.5"].to_int("1.5")
        ([31, 8, 1000, 12, 1], 0)
        """
        match self._to_basic(value):
            case str(text):
                return parse_or_none(parse_int, self.trim_fraction(text), 0) or 0
            case float(number):
                return truncate_to_int64(number)
            case number:
                return wrap_int64(number)

    def to_float(self, value: Value) -> float:
        """cast.ToFloat64.

        >>> [CASTS["1.10"].to_float(value) for value in ("1e3", "0x1p-2", "1e999", "x", 3, None)]
        [1000.0, 0.25, 0.0, 0.0, 3.0, 0.0]
        """
        basic = self._to_basic(value)
        number = parse_or_none(parse_float, basic) if isinstance(basic, str) else float(basic)
        return 0.0 if number is None else number

    def _to_basic(self, value: Value) -> str | int | float:
        """The value as a value of Python; 0 for a type that is not converted."""
        value = dereference(value)
        type_ = type_of(value)
        if type_ is None or not (type_ in _BASIC_TYPES or self._converts(type_)):
            return 0
        if type_.kind is Kind.STRING:
            return str(value)
        if type_.kind is Kind.BOOL:
            return bool(value)
        return float(value) if type_.kind in (Kind.FLOAT32, Kind.FLOAT64) else int(value)

    def _converts(self, type_: GoType) -> bool:
        """Whether a named type is converted as the unnamed type of its kind."""
        if self.converts_named:
            return type_.kind in _BASIC_KINDS
        return self.converts_calendar and type_.name in _CALENDAR


# The first release of cast from which each behavior is in all releases up to the next one.
CASTS: Final[Mapping[str, Cast]] = {
    "1.3": Cast(lambda text: text, converts_calendar=False),
    "1.5": Cast(lambda text: re.sub(_ZERO_FRACTION, "", text)),
    "1.10": Cast(_trim_fraction, converts_named=True),
}


def to_int64(cast: Cast, value: Value) -> Value:
    """The value as a Go int64."""
    return INT64.convert(cast.to_int(value))


atoi = integers.atoi


def to_decimal(value: Value) -> Value:
    """Parse the text of the value as octal digits to an int64; 0 if it is invalid."""
    return INT64.convert(parse_or_none(parse_int, sprint(value), 8) or 0)
