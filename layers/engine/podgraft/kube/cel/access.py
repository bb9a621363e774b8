"""Reads of fields and elements, and what each step of them costs.

A chain of reads is one access: its name costs a unit, and so does each step.
"""

from collections.abc import Callable, Collection, Mapping
from functools import partial

from .activation import Evaluate, Frame
from .cost import IDENT, SELECT
from .equality import GoTypes, check_go_key, equal
from .errors import EvaluationError
from .syntax import Call, Constant, Ident, ListOf, MapOf, Node, Select
from .values import (
    INT_MAX,
    INT_MIN,
    NONE,
    NUMBERS,
    LazyMap,
    Optional,
    Struct,
    Uint,
    Value,
    check_key,
    check_qualifier,
    has_key,
    is_lazy,
    is_list,
    is_map,
    is_optional,
    kind,
    text_of,
    type_name,
)


def is_access(node: Node) -> bool:
    """Whether a node is one access, of which the next step is a part."""
    match node:
        case Call(function="_?_:_"):
            return True
        case _:
            return is_path(node)


def is_path(node: Node) -> bool:
    """Whether a node is a name, or an access of a field or element."""
    match node:
        case Ident() | Select(test=False):
            return True
        case Call(function=function):
            return function in ACCESSES
        case _:
            return False


def reads_element(node: Node, scope: Collection[str]) -> bool:
    """Whether a node reads an element of ``variables`` or of a literal, which may be an optional.

    A further step does not look into such an optional: only the value that an access starts with,
    and what an optional step found, are unwrapped. Objects contain no optionals.
    """
    match node:
        case Select(operand=operand) | Call(function="_[_]", arguments=(operand, _)):
            return _starts_plain(operand, scope)
        case _:
            return False


def _starts_plain(node: Node, scope: Collection[str]) -> bool:
    match node:
        case Select(operand=operand, test=False) | Call(function="_[_]", arguments=(operand, _)):
            return _starts_plain(operand, scope)
        case Ident(name=name):
            return name == "variables" and name not in scope
        case _:
            return isinstance(node, ListOf | MapOf | Constant)


def hide_optional(evaluate: Evaluate) -> Evaluate:
    """An element that no step looks into where it is an optional."""

    def evaluate_element(frame: Frame) -> Value:
        value = evaluate(frame)
        return _HIDDEN if is_optional(value) else value

    return evaluate_element


# A value without fields and elements.
_HIDDEN = LazyMap((), lambda name: name)


def charge_access(evaluate: Evaluate) -> Evaluate:
    """An access that starts with a value: it costs a unit, as a name does."""

    def evaluate_charged(frame: Frame) -> Value:
        frame.meter.spent += IDENT
        return evaluate(frame)

    return evaluate_charged


def select_field(operand: Evaluate, field: str) -> Evaluate:
    """``operand.field``."""

    def evaluate(frame: Frame) -> Value:
        value = operand(frame)
        if value is NONE:
            return value
        if is_optional(value):
            return _find_element(frame, value, field)
        frame.meter.spent += SELECT
        if is_map(value) and field in value:
            return value[field]
        if is_lazy(value) or isinstance(value, Struct):
            found = value.select(field) if isinstance(value, Struct) else value.find(field)
            if found.present:
                return found.value
        _check_no_list(value)
        raise EvaluationError(f"no such key: {field}")

    return evaluate


def _member(container: Value, key: Value, go: GoTypes) -> Value:
    """Return the element under a key or index; a missing one raises the error of cel-go."""
    if is_map(container):
        check_go_key(container, key, go)
        if has_key(container, check_key(key)):
            return container[key]
    elif is_list(container):
        index = _index_of(key)
        if not 0 <= index < len(container):
            raise EvaluationError(f"index out of bounds: {index}")
        check_go_key(container, key, go)
        return container[index]
    raise EvaluationError(f"no such key: {text_of(key)}")


def _find(container: Value, key: Value, go: GoTypes) -> Optional:
    """The element under a key or index as an optional; what has no elements has none."""
    if is_optional(container):
        inner = container.value
        return NONE if not container.present or is_optional(inner) else _find(inner, key, go)
    if is_map(container):
        check_go_key(container, key, go)
        return Optional(True, container[key]) if has_key(container, key) else NONE
    if is_lazy(container) or isinstance(container, Struct):
        return container.find(key)
    if is_list(container):
        index = _index_of(key)
        if not 0 <= index < len(container):
            return NONE
        check_go_key(container, key, go)
        return Optional(True, container[index])
    return NONE


def _index_of(key: Value) -> int:
    if kind(key) not in NUMBERS:
        raise EvaluationError(f"unsupported index type '{type_name(key)}' in list")
    if not INT_MIN <= key <= INT_MAX or int(key) != key:  # also for NaN
        raise EvaluationError(f"unsupported index value {text_of(key)} in list")
    return int(key)


def _find_element(frame: Frame, value: Value, key: Value) -> Optional:
    """The element; the step costs nothing where there is none."""
    found = _find(value, key, frame.go)
    frame.meter.spent += SELECT * found.present
    return found


def has_field(operand: Evaluate, field: str) -> Evaluate:
    """``has(operand.field)``: the operand costs no name, the tested step costs."""

    def evaluate(frame: Frame) -> Value:
        value = operand(frame)
        if is_optional(value):
            return _find_element(frame, value, field).present
        frame.meter.spent += SELECT
        if is_lazy(value) or isinstance(value, Struct):
            return value.find(field).present
        _check_no_list(value)
        return is_map(value) and field in value

    return evaluate


def _check_no_list(value: Value) -> None:
    """Refuse the field of a list; other values without fields have none."""
    if is_list(value):
        raise EvaluationError("unsupported index type 'string' in list")


def _index(container: Evaluate, key: Evaluate, *, finds: bool = False) -> Evaluate:
    def evaluate(frame: Frame) -> Value:
        value = container(frame)
        if value is NONE:
            return value
        index = key(frame)
        if finds or is_optional(value):
            check_qualifier(index)
            return _find_element(frame, value, index)
        frame.meter.spent += SELECT
        check_qualifier(index)
        return _member(value, index, frame.go)

    return evaluate


ACCESSES: Mapping[str, Callable[[Evaluate, Evaluate], Evaluate]] = {
    "_[_]": _index,
    "_[?_]": partial(_index, finds=True),
    "_?._": partial(_index, finds=True),
}


# The types of constants that a list is searched for without looking at all of it.
SET_MEMBERS: frozenset[type[object]] = frozenset({bool, int, Uint, float, str})


def search_constants(element: Evaluate, values: list[Value]) -> Evaluate:
    """``element in [1, 2]``: as in cel-go, a set is made once; an empty one costs nothing.

    In the set, a double is only the integer that it equals exactly (decorators.go).
    """
    if not values:
        return lambda _frame: False

    def evaluate(frame: Frame) -> bool:
        searched = element(frame)
        return any(
            equal(searched, value) and (value.__class__ is not float or searched == value)
            for value in values
        )

    return evaluate
