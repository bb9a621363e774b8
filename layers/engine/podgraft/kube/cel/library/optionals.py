"""``optional.of(…)`` and the methods of optionals."""

from collections.abc import Callable
from operator import attrgetter

from podgraft.kube.cel.equality import NO_GO_TYPES, GoTypes
from podgraft.kube.cel.errors import EvaluationError
from podgraft.kube.cel.overloads import function, member, reads_go
from podgraft.kube.cel.values import (
    NANOSECONDS,
    NONE,
    Duration,
    Optional,
    Struct,
    Timestamp,
    Value,
    is_optional,
    text_of,
)

# Go's zero time, the first moment of the year 1.
_ZERO_TIME = -62_135_596_800 * NANOSECONDS


def _of_non_zero(value: Value, go: GoTypes = NO_GO_TYPES) -> Optional:
    match value:
        case _ if go.type_of(value):
            zero = False  # no value of Go is zero there
        case Duration():
            zero = not value.nanoseconds
        case Timestamp():
            zero = value.nanoseconds == _ZERO_TIME
        case Struct():
            zero = not value.fields
        case _:
            zero = not value
    return NONE if zero else Optional(True, value)


def _value(optional: Optional) -> Value:
    if not optional.present:
        raise EvaluationError("optional.none() dereference")
    return optional.value


def _unwrap(optionals: list[Value]) -> list[Value]:
    for value in optionals:
        if not is_optional(value):
            raise EvaluationError(f"value {text_of(value)} is not optional")
    return [optional.value for optional in optionals if optional.present]


def _element(position: int) -> Callable[[list[Value]], Optional]:
    return lambda elements: Optional(True, elements[position]) if elements else NONE


UNWRAPPING = (
    function("optional.unwrap", "list(optional_type(A)) -> list(A)", _unwrap),
    member("unwrapOpt", "list(optional_type(A)) -> list(A)", _unwrap),
)

OPTIONALS = (
    function("optional.of", "A -> optional_type(A)", lambda value: Optional(True, value)),
    reads_go(function("optional.ofNonZeroValue", "A -> optional_type(A)", _of_non_zero)),
    function("optional.none", "-> optional_type(A)", lambda: NONE),
    member("hasValue", "optional_type(A) -> bool", attrgetter("present")),
    member("first", "list(A) -> optional_type(A)", _element(0)),
    member("last", "list(A) -> optional_type(A)", _element(-1)),
    member("value", "optional_type(A) -> A", _value),
)
