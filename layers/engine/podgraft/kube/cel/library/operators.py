"""Arithmetic, comparison, membership, logic, and access."""

import math
import operator
from collections.abc import Callable, Iterator
from dataclasses import replace

from podgraft.kube.cel.cost import comparison_cost, equality_cost, fixed_cost, join_cost, scan_cost
from podgraft.kube.cel.equality import NO_GO_TYPES, GoTypes, compare, contains, contains_key, equal
from podgraft.kube.cel.errors import EvaluationError
from podgraft.kube.cel.extent import check_text
from podgraft.kube.cel.overloads import (
    UNDECLARED,
    Overload,
    copies_text,
    function,
    member,
    reads_go,
    since,
)
from podgraft.kube.cel.values import Timestamp, Uint, Value, check_int, check_uint

from .times import check_duration, check_timestamp


def _divide(left: int, right: int) -> int:
    if right == 0:
        raise EvaluationError("division by zero")
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


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


def _join(left: list[Value], right: list[Value], go: GoTypes = NO_GO_TYPES) -> list[Value]:
    return go.join(left, right)


def _append(left: str, right: str) -> str:
    check_text(len(left) + len(right))
    return left + right


def _integer_operator(
    check: Callable[[int], int], operation: Callable[[int, int], int]
) -> Callable[[int, int], int]:
    return lambda left, right: check(operation(left, right))


def _of_times(operation: Callable[[int, int], int]) -> Callable[[Value, Value], Value]:
    """An operation on the nanoseconds of two durations or timestamps; its result is a duration."""
    return lambda left, right: check_duration(operation(left.nanoseconds, right.nanoseconds))


def _add_to_time(left: Timestamp, nanoseconds: int) -> Timestamp:
    """The time that many later, with the offset of ``left`` in its text."""
    return check_timestamp(left.nanoseconds + nanoseconds, left.offset)


def _unequal(left: Value, right: Value, go: GoTypes = NO_GO_TYPES) -> bool:
    """``!=``; what cannot be compared is not equal."""
    return not equal(left, right, go)


def _in_list(element: Value, container: list[Value], go: GoTypes = NO_GO_TYPES) -> bool:
    return contains(container, element, go)


def _in_map(key: Value, container: dict[Value, Value], go: GoTypes = NO_GO_TYPES) -> bool:
    return contains_key(container, key, go)


def _as_doubles(order: Callable[[Value, Value], bool]) -> Callable[[Value, Value], bool]:
    def compare_doubles(left: Value, right: Value) -> bool:
        left_double, right_double = float(left), float(right)
        if math.isnan(left_double) or math.isnan(right_double):
            raise EvaluationError("NaN values cannot be ordered")
        return order(left_double, right_double)

    return compare_doubles


_COMPARISONS: dict[str, Callable[[Value, Value], bool]] = {
    "_<_": operator.lt,
    "_<=_": operator.le,
    "_>_": operator.gt,
    "_>=_": operator.ge,
}
_NUMBERS = (
    *(("int", "int"), ("int", "double"), ("int", "uint")),
    *(("uint", "uint"), ("uint", "double"), ("uint", "int")),
    *(("double", "double"), ("double", "int"), ("double", "uint")),
)
_TEXTS = ("string", "bytes")
_OTHERS = (*_TEXTS, "timestamp", "duration")


def _comparisons() -> Iterator[Overload]:
    pairs = (("bool", "bool"), *_NUMBERS, *((name, name) for name in _OTHERS))
    for name, order in _COMPARISONS.items():
        for left, right in pairs:
            run = _as_doubles(order) if "double" in {left, right} else order
            cost = comparison_cost if left in _TEXTS else fixed_cost
            row = function(name, f"{left} {right} -> bool", run, cost)
            row = copies_text(row) if left in _TEXTS else row
            # CrossTypeNumericComparisons
            yield row if left == right else replace(row, since=28)


COMPARISONS = tuple(_comparisons())

OPERATORS = (
    copies_text(function("_+_", "bytes bytes -> bytes", _append, join_cost)),
    function("_+_", "double double -> double", operator.add),
    function("_+_", "duration duration -> duration", _of_times(operator.add)),
    function("_+_", "duration timestamp -> timestamp", lambda a, b: _add_to_time(b, a.nanoseconds)),
    function("_+_", "timestamp duration -> timestamp", lambda a, b: _add_to_time(a, b.nanoseconds)),
    function("_+_", "int int -> int", _integer_operator(check_int, operator.add)),
    reads_go(function("_+_", "list(A) list(A) -> list(A)", _join)),
    copies_text(function("_+_", "string string -> string", _append, join_cost)),
    function("_+_", "uint uint -> uint", _integer_operator(check_uint, operator.add)),
    function("_-_", "double double -> double", operator.sub),
    function("_-_", "duration duration -> duration", _of_times(operator.sub)),
    function("_-_", "int int -> int", _integer_operator(check_int, operator.sub)),
    function(
        "_-_", "timestamp duration -> timestamp", lambda a, b: _add_to_time(a, -b.nanoseconds)
    ),
    function("_-_", "timestamp timestamp -> duration", _of_times(operator.sub)),
    function("_-_", "uint uint -> uint", _integer_operator(check_uint, operator.sub)),
    function("_*_", "double double -> double", operator.mul),
    function("_*_", "int int -> int", _integer_operator(check_int, operator.mul)),
    function("_*_", "uint uint -> uint", _integer_operator(check_uint, operator.mul)),
    function("_/_", "double double -> double", _divide_doubles),
    function("_/_", "int int -> int", _integer_operator(check_int, _divide)),
    function("_/_", "uint uint -> uint", lambda a, b: Uint(_divide(a, b))),
    function("_%_", "int int -> int", _modulo),
    function("_%_", "uint uint -> uint", lambda a, b: Uint(_modulo(a, b))),
    function("-_", "double -> double", operator.neg),
    function("-_", "int -> int", lambda value: check_int(-value)),
    *since(
        UNDECLARED,
        (function("-_", "duration -> duration", lambda d: check_duration(-d.nanoseconds)),),
    ),
    function("!_", "bool -> bool", operator.not_),
    reads_go(function("_==_", "A A -> bool", compare, equality_cost)),
    reads_go(function("_!=_", "A A -> bool", _unequal, comparison_cost)),
    reads_go(function("@in", "A list(A) -> bool", _in_list, scan_cost)),
    replace(function("@in", "A map(A,B) -> bool", _in_map), reads_go=True),
)


# The evaluator runs these functions itself: they do not evaluate all arguments, or access a value.
def _never(*_arguments: Value) -> Value:
    raise AssertionError("the evaluator runs this function itself")


def _function(name: str, signature: str) -> Overload:
    return function(name, signature, _never)


LOGIC = (
    _function("_&&_", "bool bool -> bool"),
    _function("_||_", "bool bool -> bool"),
    _function("_?_:_", "bool A A -> A"),
    _function("@not_strictly_false", "bool -> bool"),
)
ACCESS = (
    _function("_[_]", "list(A) int -> A"),
    _function("_[_]", "map(A,B) A -> B"),
)
OPTIONAL_ACCESS = (
    _function("_[_]", "optional_type(list(V)) int -> optional_type(V)"),
    _function("_[_]", "optional_type(map(K,V)) K -> optional_type(V)"),
    _function("_?._", "dyn string -> optional_type(V)"),
    _function("_[?_]", "list(V) int -> optional_type(V)"),
    _function("_[?_]", "optional_type(list(V)) int -> optional_type(V)"),
    _function("_[?_]", "map(K,V) K -> optional_type(V)"),
    _function("_[?_]", "optional_type(map(K,V)) K -> optional_type(V)"),
    member("or", "optional_type(V) optional_type(V) -> optional_type(V)", _never),
    member("orValue", "optional_type(V) V -> V", _never),
)
