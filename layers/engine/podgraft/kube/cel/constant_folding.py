"""Constant folding at compile time, as in kube-apiserver (cel-go's OptOptimize).

Literal lists and maps become one value, conversions of literals are evaluated, and literal patterns
and indexes are checked, so their errors appear when the expression is compiled.
"""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from .errors import EvaluationError
from .library import FUNCTIONS
from .library.strings import compile_ as compile_pattern
from .overloads import Overload
from .syntax import Call, Comprehension, Constant, Ident, ListOf, MapOf, Node, Select, StructOf
from .values import Value, check_key, check_qualifier

_CONVERSIONS = frozenset(
    ("int", "uint", "double", "bool", "string", "bytes", "dyn", "type", "duration", "timestamp")
)


@dataclass(slots=True)
class ConstantFolder:
    """A folder of trees that collects errors: node and message.

    ``overloads`` of the checker are by the ``id`` of a call; the folded call gets those of its own.
    """

    overloads: dict[int, tuple[Overload, ...]]
    errors: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])

    def fold(self, node: Node) -> Node:
        """Return the tree with its constant parts evaluated; what has none stays as it is."""
        match node:
            case Constant() | Ident():
                return node
            case Select():
                operand = self.fold(node.operand)
                is_same = operand is node.operand
                return node if is_same else Select(node.at, operand, node.field, node.test)
            case Call():
                return self._fold_call(self._fold_arguments(node))
            case ListOf():
                elements = tuple(map(self.fold, node.elements))
                return _fold_list(ListOf(node.at, elements, node.optional))
            case MapOf():
                entries = tuple((self.fold(k), self.fold(v), o) for k, v, o in node.entries)
                return self._fold_map(MapOf(node.at, entries))
            case StructOf(fields=fields):
                folded = tuple(replace(each, value=self.fold(each.value)) for each in fields)
                return StructOf(node.at, node.type_name, folded)
            case Comprehension():
                return replace(
                    node,
                    range=self.fold(node.range),
                    initial=self.fold(node.initial),
                    condition=self.fold(node.condition),
                    step=self.fold(node.step),
                    result=self.fold(node.result),
                )

    def _fold_arguments(self, node: Call) -> Call:
        arguments = tuple(map(self.fold, node.arguments))
        if all(map(operator.is_, arguments, node.arguments)):
            return node
        folded = Call(node.at, node.function, arguments, node.member)
        if id(node) in self.overloads:
            self.overloads[id(folded)] = self.overloads[id(node)]
        return folded

    def _fold_call(self, node: Call) -> Node:
        match node.function, node.arguments:
            case "matches" | "find" | "findAll", (_, Constant(value=str()) as pattern, *_):
                self._try_evaluate((pattern,), compile_pattern)
            case "_[_]" | "_[?_]", (_, *indexes):
                self._try_evaluate(indexes, check_qualifier)
            case _:
                pass
        constants = [each.value for each in node.arguments if isinstance(each, Constant)]
        if len(constants) < len(node.arguments) or node.function not in _CONVERSIONS:
            return node
        try:
            return Constant(node.at, FUNCTIONS[node.function].pick(constants).call(*constants))
        except EvaluationError as error:
            self.errors.append((node.at, str(error)))
            return node

    def _fold_map(self, node: MapOf) -> Node:
        values: dict[Value, Value] = {}
        for key, value, optional in node.entries:
            if optional or not isinstance(key, Constant) or not isinstance(value, Constant):
                return node
            self._try_evaluate((key,), check_key)
            if self.errors:
                return node
            values[key.value] = value.value
        return Constant(node.at, values)

    def _try_evaluate(self, arguments: Sequence[Node], attempt: Callable[..., object]) -> None:
        for argument in arguments:
            try:
                if isinstance(argument, Constant):
                    attempt(argument.value)
            except EvaluationError as error:
                self.errors.append((argument.at, str(error)))


def _fold_list(node: ListOf) -> Node:
    values = [element.value for element in node.elements if isinstance(element, Constant)]
    if node.optional or len(values) < len(node.elements):
        return node
    return Constant(node.at, values)
