"""addf, subf, mulf, and divf: float64 arithmetic with exact decimals (shopspring)."""

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from functools import partial, reduce

from podgraft.golang.errors import FunctionError
from podgraft.golang.fmt.sprintf import sprint
from podgraft.golang.reflect import Value

from .cast import Cast

_DIVISION_SCALE = 10**16  # decimal.DivisionPrecision


def _to_decimal(cast: Cast, value: Value) -> Fraction:
    """The shortest decimal that parses to the float64 of the value."""
    number = cast.to_float(value)
    if not math.isfinite(number):
        raise FunctionError(f"Cannot create a Decimal from {sprint(number)}")
    return Fraction(repr(number))


def _to_float(decimal: Fraction) -> float:
    """Convert to the nearest float64; integer division rounds correctly."""
    try:
        return float(decimal)
    except OverflowError:
        return -math.inf if decimal < 0 else math.inf


def _quotient(left: Fraction, right: Fraction) -> Fraction:
    """Divide with 16 decimal places; halves round away from zero."""
    if right == 0:
        raise FunctionError("decimal division by 0")
    quotient = left / right
    rounded = math.floor(abs(quotient) * _DIVISION_SCALE + Fraction(1, 2))
    return Fraction(-rounded if quotient < 0 else rounded, _DIVISION_SCALE)


def addf(cast: Cast, *values: Value) -> float:
    """The sum."""
    return _to_float(sum((_to_decimal(cast, value) for value in values), Fraction()))


def add1f(cast: Cast, value: Value) -> float:
    """One more."""
    return addf(cast, value, 1)


def _fold(step: Callable[[Fraction, Fraction], Fraction]) -> Callable[..., float]:
    """A function that combines the first value with each of the others, one after another."""

    def fold(cast: Cast, first: Value, *values: Value) -> float:
        return _to_float(reduce(step, map(partial(_to_decimal, cast), (first, *values))))

    return fold


subf, mulf, divf = map(_fold, (operator.sub, operator.mul, _quotient))
