"""The compiler from checked trees to Python closures, which return values and count cost.

The semantics are cel-go's (interpreter/), as kube-apiserver runs it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias, assert_never

from .checker import Checked
from .constructors import CONSTRUCTORS, Construct, unknown_type
from .cost import IDENT, LIST, MAP, SELECT, STRUCT, Meter
from .declarations import Declarations
from .errors import EvaluationError, no_such_overload_error
from .library import TYPES
from .overloads import OverloadSet
from .syntax import Call, Comprehension, Constant, Ident, ListOf, MapOf, Node, Select, StructOf
from .values import (
    TYPE_NAMES,
    Optional,
    Struct,
    TypeValue,
    Value,
    check_key,
    find,
    is_lazy,
    is_list,
    is_map,
    is_optional,
    member,
    type_name,
)


class Frame:
    """The state of one evaluation: the variables, a slot for each loop variable, and the meter."""

    __slots__ = ("meter", "slots", "variables")

    def __init__(self, variables: Mapping[str, Value], slots: int, meter: Meter) -> None:
        self.variables = variables
        self.slots: list[Value] = [None] * slots
        self.meter = meter


Evaluate: TypeAlias = Callable[[Frame], Value]
Scope: TypeAlias = Mapping[str, int]


class Compiler:
    """The compiler from nodes to closures; each loop variable has a separate slot.

    ``problems`` collects the positions of names that are types without a value.
    """

    def __init__(
        self, functions: Mapping[str, OverloadSet], declarations: Declarations, checked: Checked
    ) -> None:
        self.functions = functions
        self.declarations = declarations
        self.checked = checked
        self.problems: list[tuple[int, str]] = []
        self.slots = 0

    def compile_(self, node: Node, scope: Scope) -> Evaluate:
        """Compile ``node`` to a closure; ``scope`` maps the names of loop variables to slots."""
        match node:
            case Constant(value=value):
                return lambda _frame: value
            case Ident():
                return self._compile_ident(node, scope)
            case Select():
                operand = self.compile_(node.operand, scope)
                price = _access_cost(node.operand)
                return (_has_field if node.test else _select)(operand, node.field, price)
            case Call():
                return self._compile_call(node, scope)
            case ListOf(elements=elements, optional=optional):
                return _list([self.compile_(element, scope) for element in elements], optional)
            case MapOf(entries=entries):
                return _map(
                    [
                        (self.compile_(key, scope), self.compile_(value, scope), optional)
                        for key, value, optional in entries
                    ]
                )
            case StructOf(type_name=type_name, fields=fields):
                parts = [(each, self.compile_(each.value, scope)) for each in fields]
                return _struct(
                    self._constructor(type_name),
                    [(each.name, value, each.optional) for each, value in parts],
                )
            case Comprehension():
                return self._compile_comprehension(node, scope)
            case _:
                assert_never(node)

    def _compile_ident(self, node: Ident, scope: Scope) -> Evaluate:
        if node.name in scope:
            return _loop_variable(scope[node.name])
        name = node.name.removeprefix(".")
        if name in self.declarations.variables:
            return _variable(name)
        if name not in TYPE_NAMES and name not in TYPES:
            problem = f"program instantiation failed: reference to undefined type: {name}"
            self.problems.append((node.at, problem))
        type_value = TypeValue(name)
        return lambda _frame: type_value

    def _compile_call(self, node: Call, scope: Scope) -> Evaluate:
        arguments = [self.compile_(argument, scope) for argument in node.arguments]
        match node:
            case Call(function="_+_", arguments=(Ident(name=name), ListOf())) if name[0] == "@":
                return _append(*arguments)
            case _:
                pass
        special = _SPECIAL.get(node.function)
        if special is not None:
            return special(*arguments)
        return _strict_call(self.functions[node.function], arguments)

    def _constructor(self, type_name: str) -> Construct:
        known = CONSTRUCTORS.get(type_name)
        if known is not None:
            return known
        if type_name in self.declarations.structs:
            return unknown_type(type_name)
        return lambda fields: Struct(type_name, fields)

    def _compile_comprehension(self, node: Comprehension, scope: Scope) -> Evaluate:
        first, second, accumulator = self.slots, self.slots + 1, self.slots + 2
        self.slots += 3
        inside = {**scope, node.variable: first, node.accumulator: accumulator}
        if node.second_variable:
            inside[node.second_variable] = second
        return _comprehension(
            (first, second if node.second_variable else None, accumulator),
            self.compile_(node.range, scope),
            self.compile_(node.initial, scope),
            self.compile_(node.condition, inside),
            self.compile_(node.step, inside),
            self.compile_(node.result, {**scope, node.accumulator: accumulator}),
        )


def _variable(name: str) -> Evaluate:
    def evaluate(frame: Frame) -> Value:
        frame.meter.spent += IDENT
        return frame.variables[name]

    return evaluate


def _loop_variable(slot: int) -> Evaluate:
    """A loop variable; an accumulator may hold the error that its last step ended in."""

    def evaluate(frame: Frame) -> Value:
        frame.meter.spent += IDENT
        value = frame.slots[slot]
        if isinstance(value, EvaluationError):
            raise value
        return value

    return evaluate


def _access_cost(operand: Node) -> int:
    """The cost of a field without its operand: a chain of fields is one access with many steps."""
    starts = isinstance(operand, Ident | Select)
    return SELECT if starts else IDENT + SELECT


def _select(operand: Evaluate, field: str, cost: int) -> Evaluate:
    def evaluate(frame: Frame) -> Value:
        value = operand(frame)
        frame.meter.spent += cost
        if is_map(value) and field in value:
            return value[field]
        if is_optional(value):
            return find(value, field)
        if is_lazy(value):
            found = value.find(field)
            if found.present:
                return found.value
        _check_no_list(value)
        raise EvaluationError(f"no such key: {field}")

    return evaluate


def _has_field(operand: Evaluate, field: str, price: int) -> Evaluate:
    def evaluate(frame: Frame) -> Value:
        value = operand(frame)
        frame.meter.spent += price - SELECT
        if is_optional(value) or is_lazy(value):
            return find(value, field).present
        _check_no_list(value)
        return is_map(value) and field in value

    return evaluate


def _check_no_list(value: Value) -> None:
    """Refuse the field of a list; other values without fields have none."""
    if is_list(value):
        raise EvaluationError("unsupported index type 'string' in list")


def _strict_call(function: OverloadSet, arguments: list[Evaluate]) -> Evaluate:
    def evaluate(frame: Frame) -> Value:
        values = [argument(frame) for argument in arguments]
        overload = function.pick(values)
        result = overload.call(*values)
        frame.meter.spend(overload.cost(values, result))
        return result

    return evaluate


def _append(accumulator: Evaluate, more: Evaluate) -> Evaluate:
    """``@result + [x]``, the step of ``map`` and ``filter``: in place, or a loop is quadratic.

    Only the loop can access the accumulator, so the change of the list is not visible.
    """

    def evaluate(frame: Frame) -> Value:
        result = accumulator(frame)
        result.extend(more(frame))
        frame.meter.spent += 1
        return result

    return evaluate


def _index(container: Evaluate, key: Evaluate) -> Evaluate:
    def evaluate(frame: Frame) -> Value:
        value, index = container(frame), key(frame)
        frame.meter.spent += SELECT
        return find(value, index) if is_optional(value) else member(value, index)

    return evaluate


def _find(container: Evaluate, key: Evaluate) -> Evaluate:
    def evaluate(frame: Frame) -> Value:
        value, index = container(frame), key(frame)
        frame.meter.spent += SELECT
        return find(value, index)

    return evaluate


def _and(left: Evaluate, right: Evaluate) -> Evaluate:
    return lambda frame: _evaluate_logical(frame, left, right, short=False)


def _or(left: Evaluate, right: Evaluate) -> Evaluate:
    return lambda frame: _evaluate_logical(frame, left, right, short=True)


def _evaluate_logical(frame: Frame, left: Evaluate, right: Evaluate, *, short: bool) -> bool:
    """``&&`` and ``||``: the side that decides wins, even over an error on the other."""
    try:
        first = left(frame)
        failure = None if type(first) is bool else no_such_overload_error()
        if first is short:
            return short
    except EvaluationError as error:
        failure = error
    try:
        second = right(frame)
    except EvaluationError as error:
        raise failure or error from None
    if second is short:
        return short
    if failure is not None:
        raise failure
    if type(second) is not bool:
        raise no_such_overload_error()
    return not short


def _conditional(condition: Evaluate, then: Evaluate, otherwise: Evaluate) -> Evaluate:
    def evaluate(frame: Frame) -> Value:
        decision = condition(frame)
        if type(decision) is not bool:
            raise no_such_overload_error()
        return then(frame) if decision else otherwise(frame)

    return evaluate


def _not_strictly_false(argument: Evaluate) -> Evaluate:
    """Whether a loop goes on: until its accumulator is ``false``; errors do not end it."""

    def evaluate(frame: Frame) -> bool:
        frame.meter.spent += 1
        try:
            return argument(frame) is not False
        except EvaluationError:
            return True

    return evaluate


def _or_value(optional: Evaluate, otherwise: Evaluate) -> Evaluate:
    def evaluate(frame: Frame) -> Value:
        value = _as_optional(optional(frame))
        return value.value if value.present else otherwise(frame)

    return evaluate


def _or_optional(optional: Evaluate, otherwise: Evaluate) -> Evaluate:
    def evaluate(frame: Frame) -> Value:
        value = _as_optional(optional(frame))
        return value if value.present else _as_optional(otherwise(frame))

    return evaluate


def _as_optional(value: Value) -> Optional:
    if is_optional(value):
        return value
    raise no_such_overload_error()


# What does not evaluate all its arguments first, or is priced as an access.
_SPECIAL: Mapping[str, Callable[..., Evaluate]] = {
    "_&&_": _and,
    "_||_": _or,
    "_?_:_": _conditional,
    "@not_strictly_false": _not_strictly_false,
    "_[_]": _index,
    "_[?_]": _find,
    "_?._": _find,
    "orValue": _or_value,
    "or": _or_optional,
}


def _list(elements: list[Evaluate], optional: frozenset[int]) -> Evaluate:
    def evaluate(frame: Frame) -> Value:
        result: list[Value] = []
        for position, element in enumerate(elements):
            value = element(frame)
            if position not in optional:
                result.append(value)
            elif _as_optional(value).present:
                result.append(value.value)
        frame.meter.spent += LIST
        return result

    return evaluate


def _map(entries: list[tuple[Evaluate, Evaluate, bool]]) -> Evaluate:
    def evaluate(frame: Frame) -> Value:
        result: dict[Value, Value] = {}
        for key_of, value_of, optional in entries:
            key, value = check_key(key_of(frame)), value_of(frame)
            if optional:
                if not _as_optional(value).present:
                    continue
                value = value.value
            result[key] = value
        frame.meter.spent += MAP
        return result

    return evaluate


def _struct(construct: Construct, fields: list[tuple[str, Evaluate, bool]]) -> Evaluate:
    def evaluate(frame: Frame) -> Value:
        result: dict[str, Value] = {}
        for name, value_of, optional in fields:
            value = value_of(frame)
            if optional:
                if not _as_optional(value).present:
                    continue
                value = value.value
            result[name] = value
        frame.meter.spent += STRUCT
        return construct(result)

    return evaluate


def _comprehension(
    slots: tuple[int, int | None, int],
    range_: Evaluate,
    initial: Evaluate,
    condition: Evaluate,
    step: Evaluate,
    result: Evaluate,
) -> Evaluate:
    first, second, accumulator = slots

    def evaluate(frame: Frame) -> Value:
        values = frame.slots
        elements = range_(frame)
        values[accumulator] = _fresh_accumulator(initial(frame))
        for key, element in _pairs(elements, pairs=second is not None):
            frame.meter.check()
            values[first] = key
            if second is not None:
                values[second] = element
            if condition(frame) is not True:
                break
            try:
                values[accumulator] = step(frame)
            except EvaluationError as error:
                values[accumulator] = error
        return result(frame)

    return evaluate


def _fresh_accumulator(start: Value) -> Value:
    """A list or map for one loop to grow: the program's own stays empty."""
    if is_list(start):
        return list(start)
    return dict(start) if is_map(start) else start


def _pairs(elements: Value, *, pairs: bool) -> list[tuple[Value, Value]]:
    """What a loop runs over: elements or keys; with two variables, index or key and element."""
    if is_optional(elements):
        return [(elements.value, None)] if elements.present else []
    if is_list(elements):
        return list(enumerate(elements)) if pairs else [(element, None) for element in elements]
    if is_map(elements):
        return list(elements.items())
    raise EvaluationError(f"got {type_name(elements)}, expected a list or a map")
