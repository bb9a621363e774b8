"""The compiler from checked trees to Python closures, which return values and count cost.

The semantics are cel-go's (interpreter/), as kube-apiserver runs it.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias, assert_never

from .access import (
    ACCESSES,
    SET_MEMBERS,
    charge_access,
    has_field,
    hide_optional,
    is_access,
    is_path,
    reads_element,
    search_constants,
    select_field,
)
from .activation import Evaluate
from .checker import Checked
from .constructors import CONSTRUCTORS, Construct, unknown_type
from .cost import IDENT, PRICED_BY_NAME, fixed_cost
from .declarations import Declarations
from .overloads import OverloadSet
from .steps import (
    SPECIAL,
    append,
    bind,
    conditional,
    loop,
    make_list,
    make_map,
    make_struct,
    read_loop_variable,
    read_variable,
    strict_call,
)
from .syntax import Call, Comprehension, Constant, Ident, ListOf, MapOf, Node, Select, StructOf
from .values import Struct, Value, is_list, kind

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
                return self._compile_select(node, scope)
            case Call():
                return self._compile_call(node, scope)
            case ListOf(elements=elements, optional=optional):
                return make_list(self._compile_all(elements, scope), optional)
            case MapOf(entries=entries):
                keys = self._compile_all([key for key, _, _ in entries], scope)
                values = self._compile_all([value for _, value, _ in entries], scope)
                marks = [optional for _, _, optional in entries]
                return make_map([*zip(keys, values, marks, strict=True)])
            case StructOf(type_name=type_name, fields=fields):
                values = self._compile_all([each.value for each in fields], scope)
                parts = zip(fields, values, strict=True)
                return make_struct(
                    self._constructor(type_name),
                    [(each.name, value, each.optional) for each, value in parts],
                )
            case Comprehension():
                return self._compile_comprehension(node, scope)
            case _:
                assert_never(node)

    def _compile_all(self, nodes: Iterable[Node], scope: Scope) -> list[Evaluate]:
        compiled: list[Evaluate] = []
        for node in nodes:
            compiled.append(self.compile_(node, scope))  # noqa: PERF401 - one frame less
        return compiled

    def _compile_ident(self, node: Ident, scope: Scope, cost: int = IDENT) -> Evaluate:
        if node.name in scope:
            return read_loop_variable(scope[node.name], cost)
        name = node.name.removeprefix(".")
        if name not in self.declarations.variables:
            problem = f"program instantiation failed: reference to undefined type: {name}"
            self.problems.append((node.at, problem))
        return read_variable(name, cost)

    def _compile_select(self, node: Select, scope: Scope) -> Evaluate:
        operand = node.operand
        if node.test:
            tested = self._choose(operand)(operand, scope)
            return has_field(_hide_element(operand, tested, scope), node.field)
        return select_field(
            _charge_value(operand, self.compile_(operand, scope), scope), node.field
        )

    def _choose(self, node: Node) -> Callable[[Node, Scope], Evaluate]:
        """How to compile a node without the unit for the name that an access starts with."""
        return self._compile_path if is_path(node) else self.compile_

    def _compile_path(self, node: Node, scope: Scope) -> Evaluate:
        """Compile an access without the unit for its name."""
        match node:
            case Select(operand=operand, field=field):
                tested = self._choose(operand)(operand, scope)
                return select_field(_hide_element(operand, tested, scope), field)
            case Call(function=function, arguments=(operand, key)):
                tested = self._choose(operand)(operand, scope)
                found = self._choose(key)(key, scope)
                return ACCESSES[function](_hide_element(operand, tested, scope), found)
            case Ident():
                return self._compile_ident(node, scope, cost=0)
            case _:
                raise AssertionError(node)

    def _compile_call(self, node: Call, scope: Scope) -> Evaluate:
        match node:
            case Call(function="_+_", arguments=(Ident(name="@result") as result, more)) if (
                _is_list(more)
            ):
                return append(self.compile_(result, scope), self.compile_(more, scope))
            case Call(function="_?_:_", arguments=(condition, then, otherwise)):
                return conditional(
                    self.compile_(condition, scope),
                    self._choose(then)(then, scope),
                    self._choose(otherwise)(otherwise, scope),
                )
            case Call(function=function, arguments=(operand, key)) if function in ACCESSES:
                accessed = _charge_value(operand, self.compile_(operand, scope), scope)
                return ACCESSES[function](accessed, self._choose(key)(key, scope))
            case Call(function="@in", arguments=(element, Constant(value=values))) if is_list(
                values
            ) and self._is_set(node, values):
                return search_constants(self.compile_(element, scope), values)
            case _:
                pass
        arguments: list[Evaluate] = []
        for argument in node.arguments:
            arguments.append(self.compile_(argument, scope))  # noqa: PERF401 - one frame less
        special = SPECIAL.get(node.function)
        if special is not None:
            return special(*arguments)
        function = self.functions[node.function]
        candidates = self.checked.overloads.get(id(node), ())
        if len(candidates) == 1:
            return strict_call(function, arguments, candidates[0].cost, candidates[0])
        # With several overloads, the price is the function's, or one unit.
        price = function.rows[0].cost if node.function in PRICED_BY_NAME else fixed_cost
        return strict_call(function, arguments, price, None)

    def _is_set(self, node: Call, values: list[Value]) -> bool:
        """Whether cel-go makes a set of a list of constants (``dyn([1])`` is none)."""
        is_known = len(self.checked.overloads.get(id(node), ())) == 1
        return is_known and SET_MEMBERS.issuperset(map(kind, values))

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
        result = self.compile_(node.result, {**scope, node.accumulator: accumulator})
        initial = self.compile_(node.initial, scope)
        match node.range, node.condition:
            case Constant(value=[]), Constant(value=False):
                return bind(accumulator, initial, result)
            case _:
                pass
        return loop(
            (first, second if node.second_variable else None, accumulator),
            self.compile_(node.range, scope),
            initial,
            self.compile_(node.condition, inside),
            self.compile_(node.step, inside),
            result,
        )


def _charge_value(node: Node, evaluate: Evaluate, scope: Scope) -> Evaluate:
    """What a field or element is read of; a value that is no name costs a unit more."""
    if not is_access(node):
        return charge_access(evaluate)
    return _hide_element(node, evaluate, scope)


def _hide_element(node: Node, evaluate: Evaluate, scope: Scope) -> Evaluate:
    return hide_optional(evaluate) if reads_element(node, scope) else evaluate


def _is_list(node: Node) -> bool:
    """Whether a node is a literal of a list."""
    return isinstance(node, ListOf) or (isinstance(node, Constant) and is_list(node.value))
