"""Functions on lists: Kubernetes' own (library/lists.go), and cel-go's ext/lists and ext/sets."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from podgraft.kube.cel.cost import (
    deep_traversal_cost,
    flatten_cost,
    list_cost,
    pairwise_cost,
    sort_cost,
)
from podgraft.kube.cel.equality import NO_GO_TYPES, GoTypes, equal
from podgraft.kube.cel.errors import EvaluationError, no_such_overload_error
from podgraft.kube.cel.overloads import Overload, function, member, reads_all, reads_go
from podgraft.kube.cel.values import (
    NUMBERS,
    Duration,
    Timestamp,
    Uint,
    Value,
    check_int,
    check_key,
    check_uint,
    has_key,
    is_list,
    kind,
    text_of,
)

from .times import check_duration

# In the order in which Kubernetes declares them.
_COMPARABLE = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")
_ZEROS = {"int": 0, "uint": Uint(0), "double": 0.0, "duration": Duration(0)}
_ORDERED: frozenset[type[object]] = frozenset({*NUMBERS, bool, str, bytes, Duration, Timestamp})


def _are_comparable(left: Value, right: Value) -> bool:
    kinds = {kind(left), kind(right)}
    return kinds <= NUMBERS or (len(kinds) == 1 and kinds <= _ORDERED)


def _check_ordered(elements: list[Value]) -> Iterator[Value]:
    """The elements; raises ``EvaluationError`` at one of a type without an order."""
    for element in elements:
        if kind(element) not in _ORDERED:
            raise no_such_overload_error()
        yield element


def _is_sorted(elements: list[Value]) -> bool:
    """Whether no element is greater than the next; what cannot be compared is not greater."""
    return not any(
        _are_comparable(left, right) and left > right
        for left, right in pairwise(_check_ordered(elements))
    )


def _extreme_function(
    name: str, better: Callable[[Value, Value], bool]
) -> Callable[[list[Value]], Value]:
    """The first element that no later one is better than, of those that can be compared."""

    def pick(elements: list[Value]) -> Value:
        if not elements:
            raise EvaluationError(f"{name} called on empty list")
        best, *others = _check_ordered(elements)
        for element in others:
            if _are_comparable(element, best) and better(element, best):
                best = element
        return best

    return pick


def _sum_function(zero: Value) -> Callable[[list[Value]], Value]:
    def add(elements: list[Value]) -> Value:
        if not elements:
            return zero
        total = elements[0]
        for element in elements[1:]:
            if kind(element) is not kind(total):
                raise no_such_overload_error()
            total = _add_element(total, element)
        return _add_element(total, None)

    return add


def _add_element(total: Value, element: Value) -> Value:
    """One step of a sum; ``None`` adds nothing, and checks the type of the total alone."""
    match total:
        case bool():
            raise no_such_overload_error()
        case Uint():
            return check_uint(total + (element or 0))
        case int():
            return check_int(total + (element or 0))
        case float():
            return total + (element or 0.0)
        case Duration():
            return check_duration(total.nanoseconds + (element.nanoseconds if element else 0))
        case _:
            raise no_such_overload_error()


def _positions(elements: list[Value], expected: Value, go: GoTypes) -> Iterator[int]:
    return (i for i, element in enumerate(elements) if equal(element, expected, go))


def _index_of(elements: list[Value], expected: Value, go: GoTypes = NO_GO_TYPES) -> int:
    return next(_positions(elements, expected, go), -1)


def _last_index_of(elements: list[Value], expected: Value, go: GoTypes = NO_GO_TYPES) -> int:
    return max(_positions(elements, expected, go), default=-1)


def _includes(container: Value, expected: Value, go: GoTypes = NO_GO_TYPES) -> bool:
    if is_list(container):
        return _index_of(container, expected, go) >= 0
    return equal(container, expected, go)


def _kubernetes() -> Iterator[Overload]:
    extremes = {"min": operator.lt, "max": operator.gt}
    for name in _COMPARABLE:
        yield member("isSorted", f"list({name}) -> bool", _is_sorted, deep_traversal_cost)
        for extreme, better in extremes.items():
            yield member(
                extreme,
                f"list({name}) -> {name}",
                _extreme_function(extreme, better),
                deep_traversal_cost,
            )
    for name, zero in _ZEROS.items():
        run = _sum_function(zero)
        yield member("sum", f"list({name}) -> {name}", run, deep_traversal_cost)
    for name, find in (("indexOf", _index_of), ("lastIndexOf", _last_index_of)):
        yield reads_go(member(name, "list(A) A -> int", find, deep_traversal_cost))


LISTS = tuple(_kubernetes())
INCLUDES = (reads_go(member("includes", "dyn dyn -> bool", _includes, deep_traversal_cost)),)


def _contains(elements: list[Value], required: list[Value]) -> bool:
    return all(any(equal(element, each) for element in elements) for each in required)


def _equivalent(left: list[Value], right: list[Value]) -> bool:
    return _contains(left, right) and _contains(right, left)


def _intersects(left: list[Value], right: list[Value]) -> bool:
    return any(equal(first, second) for first in left for second in right)


def _equivalent_cost(arguments: Sequence[Value], result: Value) -> int:
    return 2 * pairwise_cost(arguments, result) - 1


SETS = tuple(
    reads_all(function(f"sets.{name}", "list(A) list(A) -> bool", run, cost))
    for name, run, cost in (
        ("contains", _contains, pairwise_cost),
        ("equivalent", _equivalent, _equivalent_cost),
        ("intersects", _intersects, pairwise_cost),
    )
)

# ext/lists.go rejects longer ranges, so one call cannot fill the memory.
_LONGEST_RANGE = 100_000


def _slice(elements: list[Value], start: int, end: int) -> list[Value]:
    if start < 0 or end < 0:
        raise EvaluationError(f"cannot slice({start}, {end}), negative indexes not supported")
    if start > end:
        raise EvaluationError(
            f"cannot slice({start}, {end}), start index must be less than or equal to end index"
        )
    if end > len(elements):
        raise EvaluationError(f"cannot slice({start}, {end}), list is length {len(elements)}")
    return elements[start:end]


def _flatten(elements: list[Value], depth: int = 1) -> list[Value]:
    if depth < 0:
        raise EvaluationError("level must be non-negative")
    flat: list[Value] = []
    for element in elements:
        if is_list(element):
            flat.extend(
                _flatten(element, depth - 1) if depth > 1 else element if depth else [element]
            )
        else:
            flat.append(element)
    return flat


def _range(length: int) -> list[Value]:
    if not 0 <= length <= _LONGEST_RANGE:
        raise EvaluationError(f"lists.range: {length} is not between 0 and {_LONGEST_RANGE}")
    return list(range(length))


def _distinct(elements: list[Value]) -> list[Value]:
    result: list[Value] = []
    for element in elements:
        if not any(equal(element, distinct_element) for distinct_element in result):
            result.append(element)
    return result


def _sort_by(elements: list[Value], keys: list[Value]) -> list[Value]:
    if len(keys) != len(elements):
        raise EvaluationError(f"got {len(keys)} keys for {len(elements)} elements")
    for key in keys:
        if kind(key) is not kind(keys[0]) or kind(key) not in _ORDERED:
            raise EvaluationError("list elements must have the same comparable type")
    order = sorted(range(len(elements)), key=keys.__getitem__)
    return [elements[position] for position in order]


def _sort(elements: list[Value]) -> list[Value]:
    return _sort_by(elements, elements)


EXTENDED_LISTS = (
    member("slice", "list(A) int int -> list(A)", _slice, list_cost),
    reads_all(member("flatten", "list(list(A)) -> list(A)", _flatten, flatten_cost)),
    reads_all(member("flatten", "list(dyn) int -> list(dyn)", _flatten, flatten_cost)),
    function("lists.range", "int -> list(int)", _range, list_cost),
    member("reverse", "list(A) -> list(A)", lambda elements: elements[::-1], list_cost),
    reads_all(member("distinct", "list(A) -> list(A)", _distinct, sort_cost)),
    *(member("sort", f"list({name}) -> list({name})", _sort, sort_cost) for name in _COMPARABLE),
    *(
        member("@sortByAssociatedKeys", f"list(T) list({name}) -> list(T)", _sort_by, sort_cost)
        for name in _COMPARABLE
    ),
)


def _insert(entries: dict[Value, Value], new: Value, *value: Value) -> dict[Value, Value]:
    """The step of ``transformMap`` (a key and its value) and ``transformMapEntry`` (a map).

    Keys must be unique. Only the loop can access ``entries``, so it grows in place. A copy per
    step would make the loop quadratic.
    """
    new_entries = {check_key(new): value[0]} if value else new
    for key in new_entries:
        if has_key(entries, key):
            raise EvaluationError(f"insert failed: key {text_of(key)} already exists")
    entries.update(new_entries)
    return entries


COMPREHENSIONS = (
    function("cel.@mapInsert", "map(A,B) A B -> map(A,B)", _insert),
    function("cel.@mapInsert", "map(A,B) map(A,B) -> map(A,B)", _insert),
)
