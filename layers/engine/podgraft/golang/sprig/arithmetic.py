"""Arithmetic: int64 with overflow, float64, and ranges of integers."""

import math
from collections.abc import Callable, Iterable

from podgraft.golang.errors import FunctionError
from podgraft.golang.reflect import INT, INT64, Slice, Value, slice_of
from podgraft.golang.time import wrap_int64

from .cast import Cast
from .failures import INTEGER_DIVIDE, check_element_count

_INTS = slice_of(INT)
_LARGEST_EXPONENT = 400  # outside the range of float64
_LEAST_MANTISSA = 0.5  # of math.frexp


def _int64(number: int) -> Value:
    return INT64.convert(wrap_int64(number))


def add(cast: Cast, *values: Value) -> Value:
    """The sum."""
    return _int64(sum(map(cast.to_int, values)))


def add1(cast: Cast, value: Value) -> Value:
    """One more."""
    return _int64(cast.to_int(value) + 1)


def sub(cast: Cast, left: Value, right: Value) -> Value:
    """The difference."""
    return _int64(cast.to_int(left) - cast.to_int(right))


def _quotient(left: int, right: int) -> int:
    """Divide with rounding toward zero; Python's division rounds down."""
    if right == 0:
        raise FunctionError(INTEGER_DIVIDE)
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def div(cast: Cast, left: Value, right: Value) -> Value:
    """The quotient, rounded toward zero."""
    return _int64(_quotient(cast.to_int(left), cast.to_int(right)))


def mod(cast: Cast, left: Value, right: Value) -> Value:
    """The remainder, with the sign of ``left``."""
    dividend, divisor = cast.to_int(left), cast.to_int(right)
    return _int64(dividend - divisor * _quotient(dividend, divisor))


def _combine(compute: Callable[[Iterable[int]], int]) -> Callable[..., Value]:
    """A function that computes an int64 from one argument or more."""

    def combine(cast: Cast, first: Value, *values: Value) -> Value:
        return _int64(compute(map(cast.to_int, (first, *values))))

    return combine


mul, max_, min_ = map(_combine, (math.prod, max, min))


def _extreme(infinity: float) -> Callable[..., float]:
    """math.Max or math.Min: first infinity, then NaN, then the order, with -0 less than 0."""
    choose = max if infinity > 0 else min

    def pick(cast: Cast, first: Value, *values: Value) -> float:
        numbers = [*map(cast.to_float, (first, *values))]
        if infinity in numbers:
            return infinity
        if any(map(math.isnan, numbers)):
            return math.nan
        return choose(numbers, key=lambda number: (number, math.copysign(1.0, number)))

    return pick


maxf, minf = _extreme(math.inf), _extreme(-math.inf)


def floor(cast: Cast, value: Value) -> float:
    """math.Floor."""
    return _round_with(math.floor, cast.to_float(value))


def ceil(cast: Cast, value: Value) -> float:
    """math.Ceil."""
    return _round_with(math.ceil, cast.to_float(value))


def _round_with(rounding: Callable[[float], int], number: float) -> float:
    """Round a number; infinity, NaN, and the sign of zero do not change."""
    if not math.isfinite(number):
        return number
    return math.copysign(float(rounding(number)), number)


def round_(cast: Cast, value: Value, places: int, *on: float) -> float:
    """Round up if the fraction is at least ``on`` (.5), else down; round negative numbers down.

    >>> from podgraft.golang.sprig.cast import CASTS
    >>> cast = CASTS["1.10"]
    >>> round_(cast, 123.555, 2), round_(cast, -3.2, 0), round_(cast, 2.3, 0, 0.3)
    (123.56, -4.0, 2.0)
    """
    scale = _power_of_ten(places)
    number = scale * cast.to_float(value)
    fraction = math.modf(number)[0] if math.isfinite(number) else math.nan
    rounded = _round_with(math.ceil if fraction >= (on[0] if on else 0.5) else math.floor, number)
    return _divide(rounded, scale)


def _divide(left: float, right: float) -> float:
    """Divide as IEEE 754 defines it, including division by zero."""
    if right == 0:
        return math.nan if left == 0 or math.isnan(left) else math.copysign(math.inf, left)
    return left / right


def _power_of_ten(exponent: int) -> float:
    """math.Pow(10, exponent) with Go's algorithm, which differs from C's pow in the last bit."""
    if abs(exponent) > _LARGEST_EXPONENT:
        return math.inf if exponent > 0 else 0.0
    mantissa, power = math.frexp(10.0)
    result, scale, remaining = 1.0, 0, abs(exponent)
    while remaining:
        if remaining & 1:
            result *= mantissa
            scale += power
        mantissa *= mantissa
        power *= 2
        if mantissa < _LEAST_MANTISSA:
            mantissa += mantissa
            power -= 1
        remaining >>= 1
    if exponent < 0:
        result, scale = 1 / result, -scale
    try:
        return math.ldexp(result, scale)
    except OverflowError:
        return math.inf


def until(count: int) -> Slice:
    """The integers from 0 to ``count``, which is excluded, as []int."""
    return until_step(0, count, 1 if count >= 0 else -1)


def until_step(start: int, stop: int, step: int) -> Slice:
    """The integers from ``start`` to ``stop`` (excluded) by ``step``; can be empty."""
    return Slice(_INTS, _step_values(start, stop, step))


def _step_values(start: int, stop: int, step: int) -> list[int]:
    """The integers of Go's loop, in which an int that overflows continues at the other end."""
    if not step or (stop >= start) != (step > 0):
        return []
    values: list[int] = []
    while start < stop if step > 0 else start > stop:
        count = -((start - stop) // step)
        check_element_count(len(values) + count)
        values += range(start, stop, step)
        following = values[-1] + step
        start = wrap_int64(following)
        if start == following:
            break
    return values


def seq(*bounds: int) -> str:
    """Numbers with spaces between them, as from the command seq: END, START END, or START STEP END.

    >>> seq(3), seq(2, 0), seq(0, 2, 5)
    ('1 2 3', '2 1 0', '0 2 4')
    """
    match bounds:
        case (end,):
            start, step = 1, 1 if end >= 1 else -1
        case (start, end):
            step = 1 if end >= start else -1
        case (start, step, end):
            if end < start and step > 0:
                return ""
        case _:
            return ""
    stop = wrap_int64(end + (1 if end >= start else -1))
    return " ".join(map(str, _step_values(start, stop, step)))
