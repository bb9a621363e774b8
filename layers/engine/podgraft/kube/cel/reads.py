"""Static analysis of the parts of variables that an expression reads."""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from podgraft.base.field_reads import EACH, Path, ReadKind

from . import syntax
from .program import Program

# The variables and the paths in them of which a value is a part, also for a concatenation or an
# alternative; ``None`` for a value that is computed.
_Part: TypeAlias = "tuple[tuple[str, Path], ...] | None"
_Read = tuple[str, Path, ReadKind]
_VARIABLES = "variables"
_SIZES = frozenset({"size"})
_INDEX, _OPTIONAL_INDEX = "_[_]", "_[?_]"
_OPTIONAL_SELECT = "_?._"
_IN = "@in"
_CONDITIONAL = "_?_:_"


def find_reads(program: Program, variables: Mapping[str, Program]) -> Iterator[_Read]:
    """Yield the parts that an expression reads: a variable, a path in it, and how it is read.

    ``variables`` are the programs of variables that the expression can use. A variable that is a
    part of another one reads what the expression reads of it.
    """
    return _Visitor(variables).visit(program.root, {})


class _Visitor:
    """One pass over an expression; ``scope`` contains the variables of comprehensions.

    Each program of a variable is visited once, however many expressions read the variable.
    """

    def __init__(self, variables: Mapping[str, Program]) -> None:
        self._variables = variables
        self._visited = set[str]()
        self._parts: dict[str, _Part] = {}

    def visit(self, node: syntax.Node, scope: Mapping[str, _Part]) -> Iterator[_Read]:
        """Yield the reads of an expression that uses its complete value."""
        variable = self._find_variable(node, scope)
        part = self._resolve(node, scope)
        for name, path in part or ():
            yield name, path, ReadKind.TESTED
        if variable is not None:
            yield from self._visit_variable(variable)
            return
        match node:
            case syntax.Select(operand=operand):
                is_part = self._resolve(operand, scope) is not None if node.test else bool(part)
                visit = self._visit_conditions if is_part else self.visit
                yield from visit(operand, scope)
            case syntax.Call():
                yield from self._visit_call(node, scope, part)
            case syntax.Comprehension():
                yield from self._visit_comprehension(node, scope)
            case syntax.ListOf() | syntax.MapOf() | syntax.StructOf():
                for child in syntax.children(node):
                    yield from self.visit(child, scope)
            case syntax.Ident(name=name) if name == _VARIABLES and name not in scope:
                for each in self._variables:
                    yield from self._visit_variable(each)
            case _:
                pass

    def _visit_variable(self, name: str) -> Iterator[_Read]:
        """Yield what the program of a variable reads; of a part, what selects it."""
        if name not in self._visited:
            self._visited.add(name)
            root = self._variables[name].root
            visit = self.visit if self._resolve_variable(name) is None else self._visit_conditions
            yield from visit(root, {})

    def _visit_call(
        self, node: syntax.Call, scope: Mapping[str, _Part], part: _Part
    ) -> Iterator[_Read]:
        arguments = node.arguments
        if part is not None:  # a part: only a condition of it is read in addition
            yield from self._visit_conditions(node, scope)
            return
        if node.function in _SIZES and len(arguments) == 1:
            yield from self._visit_shallow(arguments[0], scope, ReadKind.SIZED)
        elif node.function == _IN:
            yield from self.visit(arguments[0], scope)
            yield from self._visit_shallow(arguments[1], scope, ReadKind.SEARCHED)
        else:
            for argument in arguments:
                yield from self.visit(argument, scope)

    def _visit_shallow(
        self, node: syntax.Node, scope: Mapping[str, _Part], kind: ReadKind
    ) -> Iterator[_Read]:
        part = self._resolve(node, scope)
        if part is None:
            yield from self.visit(node, scope)
        else:
            yield from ((variable, path, kind) for variable, path in part)
            yield from self._visit_conditions(node, scope)

    def _visit_conditions(self, node: syntax.Node, scope: Mapping[str, _Part]) -> Iterator[_Read]:
        """Yield the reads of the conditions that select an alternative of a part."""
        for each in syntax.walk(node):
            variable = self._find_variable(each, scope)
            if variable is not None:
                yield from self._visit_variable(variable)
            elif isinstance(each, syntax.Call) and each.function == _CONDITIONAL:
                yield from self.visit(each.arguments[0], scope)

    def _visit_comprehension(
        self, node: syntax.Comprehension, scope: Mapping[str, _Part]
    ) -> Iterator[_Read]:
        part = self._resolve(node.range, scope)
        element: _Part = None
        if part is None:
            yield from self.visit(node.range, scope)
        else:
            yield from self._visit_conditions(node.range, scope)
            element = _extend(part, EACH)
        inner = {**scope, node.accumulator: None, node.variable: element}
        if node.second_variable:
            inner[node.second_variable] = element
        yield from self.visit(node.initial, scope)
        for child in (node.condition, node.step, node.result):
            yield from self.visit(child, inner)

    def _resolve(self, node: syntax.Node, scope: Mapping[str, _Part]) -> _Part:
        """Return the part that an expression represents, by constant names only."""
        variable = self._find_variable(node, scope)
        if variable is not None:
            return self._resolve_variable(variable)
        match node:
            case syntax.Ident(name=name):
                return scope[name] if name in scope else ((name.removeprefix("."), ()),)
            case syntax.Select(operand=operand, field=field, test=False):
                return _extend(self._resolve(operand, scope), field)
            case syntax.Call(function=function, arguments=(operand, syntax.Constant(value=key))):
                if function not in {_INDEX, _OPTIONAL_INDEX, _OPTIONAL_SELECT}:
                    return None
                step = key if isinstance(key, str) else EACH
                return _extend(self._resolve(operand, scope), step)
            case syntax.Call(function="_+_", arguments=(left, right)):
                return self._join(left, right, scope)
            case syntax.Call(function="_?_:_", arguments=(_, left, right)):
                return self._join(left, right, scope)
            case syntax.ListOf(elements=()):
                return ()
            case _:
                return None

    def _join(self, left: syntax.Node, right: syntax.Node, scope: Mapping[str, _Part]) -> _Part:
        first, second = self._resolve(left, scope), self._resolve(right, scope)
        if first is None or second is None:
            return None
        return tuple(dict.fromkeys((*first, *second)))

    def _resolve_variable(self, name: str) -> _Part:
        if name not in self._parts:
            self._parts[name] = self._resolve(self._variables[name].root, {})
        return self._parts[name]

    def _find_variable(self, node: syntax.Node, scope: Mapping[str, _Part]) -> str | None:
        """The variable of ``variables.x``, ``variables.?x`` or ``has(variables.x)``."""
        match node:
            case (
                syntax.Select(operand=syntax.Ident(name=name), field=field)
                | syntax.Call(
                    function="_?._",
                    arguments=(syntax.Ident(name=name), syntax.Constant(value=field)),
                )
            ) if name == _VARIABLES and name not in scope:
                return str(field) if str(field) in self._variables else None
            case _:
                return None


def _extend(part: _Part, step: str) -> _Part:
    if part is None:
        return None
    return tuple((variable, (*path, step)) for variable, path in part)
