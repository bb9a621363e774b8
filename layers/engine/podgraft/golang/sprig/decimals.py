"""addf, subf, mulf, and divf: float64 arithmetic with exact decimals (shopspring)."""

import math
from dataclasses import dataclass

from podgraft.golang.errors import FunctionError
from podgraft.golang.fmt.sprintf import sprint
from podgraft.golang.reflect import Value

from .cast import Cast

_DIVISION_PLACES = 16  # decimal.DivisionPrecision


@dataclass(frozen=True, slots=True)
class _Decimal:
    """``value * 10**exponent``."""

    value: int
    exponent: int

    def rescale(self, exponent: int) -> int:
        """The value for an exponent that is not larger."""
        return self.value * 10 ** (self.exponent - exponent)


def _to_decimal(cast: Cast, value: Value) -> _Decimal:
    """The shortest decimal that parses to the float64 of the value."""
    number = cast.to_float(value)
    if not math.isfinite(number):
        raise FunctionError(f"Cannot create a Decimal from {sprint(number)}")
    mantissa, _, exponent = repr(number).partition("e")
    integer, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    return _Decimal(int(integer + fraction), int(exponent or 0) - len(fraction))


def _to_float(decimal: _Decimal) -> float:
    """Convert to the nearest float64; integer division rounds correctly."""
    try:
        if decimal.exponent >= 0:
            return float(decimal.rescale(0))
        return decimal.value / 10**-decimal.exponent
    except OverflowError:
        return -math.inf if decimal.value < 0 else math.inf


def _sum(left: _Decimal, right: _Decimal, sign: int) -> _Decimal:
    exponent = min(left.exponent, right.exponent)
    return _Decimal(left.rescale(exponent) + sign * right.rescale(exponent), exponent)


def _quotient(left: _Decimal, right: _Decimal) -> _Decimal:
    """Divide with 16 decimal places; halves round away from zero."""
    if right.value == 0:
        raise FunctionError("decimal division by 0")
    exponent = min(left.exponent + _DIVISION_PLACES, right.exponent)
    dividend = abs(left.value) * 10 ** (left.exponent + _DIVISION_PLACES - exponent)
    divisor = abs(right.rescale(exponent))
    rounded = (2 * dividend + divisor) // (2 * divisor)
    sign = 1 if (left.value < 0) == (right.value < 0) else -1
    return _Decimal(sign * rounded, -_DIVISION_PLACES)


def addf(cast: Cast, *values: Value) -> float:
    """The sum."""
    return _sum_terms(cast, 0.0, values, 1)


def add1f(cast: Cast, value: Value) -> float:
    """One more."""
    return _sum_terms(cast, value, (1,), 1)


def subf(cast: Cast, first: Value, *values: Value) -> float:
    """Subtract all other values from the first."""
    return _sum_terms(cast, first, values, -1)


def _sum_terms(cast: Cast, first: Value, values: tuple[Value, ...], sign: int) -> float:
    """Add all other values to the first, or subtract them."""
    result = _to_decimal(cast, first)
    for value in values:
        result = _sum(result, _to_decimal(cast, value), sign)
    return _to_float(result)


def mulf(cast: Cast, first: Value, *values: Value) -> float:
    """The product."""
    result = _to_decimal(cast, first)
    for value in values:
        factor = _to_decimal(cast, value)
        result = _Decimal(result.value * factor.value, result.exponent + factor.exponent)
    return _to_float(result)


def divf(cast: Cast, first: Value, *values: Value) -> float:
    """Divide the first value by all others, one after another."""
    result = _to_decimal(cast, first)
    for value in values:
        result = _quotient(result, _to_decimal(cast, value))
    return _to_float(result)
