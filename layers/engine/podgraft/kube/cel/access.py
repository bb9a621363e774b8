"""Reads of fields and elements, and what each step of them costs.

A chain of reads is one access: its name costs a unit, and so does each step.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial

from .activation import Evaluate, Frame
from .cost import IDENT, SELECT
from .errors import EvaluationError
from .syntax import Call, Constant, Ident, ListOf, MapOf, Node, Select
from .values import (
    NONE,
    LazyMap,
    Optional,
    Struct,
    Uint,
    Value,
    check_qualifier,
    equal,
    find,
    is_lazy,
    is_list,
    is_map,
    is_optional,
    member,
)


def is_access(node: Node) -> bool:
    """Whether a node is one access, of which the next step is a part."""
    match node:
        case Ident() | Select(test=False):
            return True
        case Call(function=function):
            return function in ACCESSES or function == "_?_:_"
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
        frame.meter.spent += SELECT
        if is_map(value) and field in value:
            return value[field]
        if is_optional(value):
            return _find_element(frame, value, field)
        if is_lazy(value) or isinstance(value, Struct):
            found = value.select(field) if isinstance(value, Struct) else value.find(field)
            if found.present:
                return found.value
        _check_no_list(value)
        raise EvaluationError(f"no such key: {field}")

    return evaluate


def _find_element(frame: Frame, value: Value, key: Value) -> Optional:
    """The element; the step was charged, and is free where there is none."""
    found = find(value, key)
    if not found.present:
        frame.meter.spent -= SELECT
    return found


def has_field(operand: Evaluate, field: str) -> Evaluate:
    """``has(operand.field)``: the operand costs no name, the tested step costs."""

    def evaluate(frame: Frame) -> Value:
        value = operand(frame)
        if is_optional(value):
            found = find(value, field)
            frame.meter.spent += found.present
            return found.present
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
        check_qualifier(index)
        frame.meter.spent += SELECT
        if finds or is_optional(value):
            return _find_element(frame, value, index)
        return member(value, index)

    return evaluate


_find = partial(_index, finds=True)


ACCESSES: Mapping[str, Callable[[Evaluate, Evaluate], Evaluate]] = {
    "_[_]": _index,
    "_[?_]": _find,
    "_?._": _find,
}


# The types of constants that a list is searched for without looking at all of it.
SET_MEMBERS: frozenset[type[object]] = frozenset({bool, int, Uint, float, str})


def search_constants(element: Evaluate, values: list[Value]) -> Evaluate:
    """``element in [1, 2]``: as in cel-go, a set is made once; an empty one costs nothing."""
    if not values:
        return lambda _frame: False

    def evaluate(frame: Frame) -> bool:
        searched = element(frame)
        return any(equal(searched, value) for value in values)

    return evaluate
