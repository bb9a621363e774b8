"""Arithmetic, comparison and membership."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator

from podgraft.cel.cost import comparing, joining, scanning
from podgraft.cel.errors import EvaluationError, no_such_overload
from podgraft.cel.overloads import Overload, function
from podgraft.cel.values import (
    Duration,
    Uint,
    Value,
    checked_int,
    checked_uint,
    equal,
    has_key,
    kind,
    kubernetes_type,
)

from .times import checked_duration, checked_timestamp


def _divide(left: int, right: int) -> int:
    if right == 0:
        raise EvaluationError("division by zero")
    quotient = abs(left) // abs(right)
    return checked_int(quotient if (left < 0) == (right < 0) else -quotient)


def _modulo(left: int, right: int) -> int:
    if right == 0:
        raise EvaluationError("modulus by zero")
    remainder = abs(left) % abs(right)
    return -remainder if left < 0 else remainder


def _divide_doubles(left: float, right: float) -> float:
    if right:
        return left / right
    if left == 0 or math.isnan(left):
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1, right)


def _in_map(key: Value, container: dict[Value, Value]) -> bool:
    return has_key(container, key)


def _in_list(element: Value, container: list[Value]) -> bool:
    return any(equal(element, each) for each in container)


def _not(value: bool) -> bool:
    return not value


def _negate(value: int) -> int:
    return checked_int(-value)


def _int_by(operation: Callable[[int, int], int]) -> Callable[[int, int], int]:
    return lambda left, right: checked_int(operation(left, right))


def _uint_by(operation: Callable[[int, int], int]) -> Callable[[int, int], int]:
    return lambda left, right: checked_uint(operation(left, right))


def _duration_by(operation: Callable[[int, int], int]) -> Callable[[Duration, Duration], Duration]:
    return lambda left, right: checked_duration(operation(left.nanoseconds, right.nanoseconds))


def _unequal(left: Value, right: Value) -> bool:
    return not _equal(left, right)


def _equal(left: Value, right: Value) -> bool:
    """``==``; Kubernetes' own types fail against any other type, as cel-go's do there."""
    if kind(left) is not kind(right) and kubernetes_type(left):
        raise no_such_overload()
    return equal(left, right)


def _as_doubles(compare: Callable[[Value, Value], bool]) -> Callable[[Value, Value], bool]:
    return lambda left, right: compare(float(left), float(right))


_COMPARISONS: dict[str, Callable[[Value, Value], bool]] = {
    "_<_": operator.lt,
    "_<=_": operator.le,
    "_>_": operator.gt,
    "_>=_": operator.ge,
}
_ORDERED = ("bool", "int", "uint", "double", "timestamp", "duration")
_NUMBERS = ("int", "uint", "double")


def _comparisons() -> Iterator[Overload]:
    """Kubernetes compares numbers of different types (CrossTypeNumericComparisons)."""
    pairs = [(name, name) for name in _ORDERED]
    pairs += [(left, right) for left in _NUMBERS for right in _NUMBERS if left != right]
    for name, compare in _COMPARISONS.items():
        for left, right in pairs:
            mixed = left != right and "double" in {left, right}
            yield function(
                name, f"{left} {right} -> bool", _as_doubles(compare) if mixed else compare
            )
        for text in ("string", "bytes"):
            yield function(name, f"{text} {text} -> bool", compare, comparing)


COMPARISONS = tuple(_comparisons())

OPERATORS = (
    function("_+_", "int int -> int", _int_by(operator.add)),
    function("_+_", "uint uint -> uint", _uint_by(operator.add)),
    function("_+_", "double double -> double", operator.add),
    function("_+_", "string string -> string", operator.add, joining),
    function("_+_", "bytes bytes -> bytes", operator.add, joining),
    function("_+_", "list(A) list(A) -> list(A)", operator.add),
    function("_+_", "duration duration -> duration", _duration_by(operator.add)),
    function(
        "_+_",
        "timestamp duration -> timestamp",
        lambda t, d: checked_timestamp(t.nanoseconds + d.nanoseconds),
    ),
    function(
        "_+_",
        "duration timestamp -> timestamp",
        lambda d, t: checked_timestamp(t.nanoseconds + d.nanoseconds),
    ),
    function("_-_", "int int -> int", _int_by(operator.sub)),
    function("_-_", "uint uint -> uint", _uint_by(operator.sub)),
    function("_-_", "double double -> double", operator.sub),
    function("_-_", "duration duration -> duration", _duration_by(operator.sub)),
    function(
        "_-_",
        "timestamp duration -> timestamp",
        lambda t, d: checked_timestamp(t.nanoseconds - d.nanoseconds),
    ),
    function(
        "_-_",
        "timestamp timestamp -> duration",
        lambda a, b: checked_duration(a.nanoseconds - b.nanoseconds),
    ),
    function("_*_", "int int -> int", _int_by(operator.mul)),
    function("_*_", "uint uint -> uint", _uint_by(operator.mul)),
    function("_*_", "double double -> double", operator.mul),
    function("_/_", "int int -> int", _divide),
    function("_/_", "uint uint -> uint", lambda a, b: Uint(_divide(a, b))),
    function("_/_", "double double -> double", _divide_doubles),
    function("_%_", "int int -> int", _modulo),
    function("_%_", "uint uint -> uint", lambda a, b: Uint(_modulo(a, b))),
    function("-_", "int -> int", _negate),
    function("-_", "double -> double", operator.neg),
    function("!_", "bool -> bool", _not),
    function("_==_", "A A -> bool", _equal, comparing),
    function("_!=_", "A A -> bool", _unequal, comparing),
    function("@in", "A list(A) -> bool", _in_list, scanning),
    function("@in", "A map(A,B) -> bool", _in_map),
)
