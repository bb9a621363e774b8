"""The execution of a template without an object: a text with tokens, and the regions of branches.

A token stands for text of the object. A region is the text of a branch or a loop that depends on
the object; it is in the text once, whatever the object.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeGuard

from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.injectors.overlay.data import FUNCTIONS, data_type
from podgraft.golang.reflect import GoType, Kind
from podgraft.golang.texttemplate import BUILTINS, FunctionError
from podgraft.golang.texttemplate.parse import nodes
from podgraft.golang.texttemplate.parse.nodes import Control
from podgraft.golang.texttemplate.parse.parser import parse
from podgraft.golang.texttemplate.parse.source import Source
from podgraft.kube import NAMESPACE, OBJECT_META

from .values import (
    Constant,
    ExportError,
    Expression,
    Reference,
    Value,
    call,
    format_constant,
    negate,
    to_condition,
    to_text,
)

TOKEN = re.compile(r"zpg\d{6}q")
_MAX_CHARACTERS = 1_000_000
_ALL_FUNCTIONS = {**BUILTINS, **FUNCTIONS}
_DATA = Reference("data", (), None)


@dataclass(frozen=True, slots=True)
class Loop:
    """The elements of a list of the object, as a variable.

    With ``is_rest``, it has only the elements that the list of the overlay does not name.
    """

    variable: str
    list: Reference
    is_rest: bool = False


Guard = Expression | Loop


@dataclass(slots=True)
class Region:
    """A part of the text that depends on a condition, or that a loop repeats."""

    guard: Guard
    start: int
    end: int = 0


@dataclass(frozen=True, slots=True)
class SymbolicText:
    """The text, its tokens, and its regions from the outermost on."""

    text: str
    tokens: Mapping[str, Expression]
    regions: tuple[Region, ...]


def execute(text: str, values: Object, type_: GoType | None) -> SymbolicText:
    """Execute a template that parses, for objects of a type; raises ``ExportError``."""
    templates = parse(Source("", text), ("{{", "}}"), _ALL_FUNCTIONS)
    execution = _Execution(templates, values, type_)
    execution.run(templates[""].body, _Scope(_DATA, {"$": _Variable(_DATA, 0)}))
    return SymbolicText("".join(execution.parts), execution.tokens, tuple(execution.regions))


@dataclass(slots=True)
class _Variable:
    """A variable of the template; ``depth`` is the number of regions around its declaration."""

    value: Value
    depth: int


@dataclass(frozen=True, slots=True)
class _Scope:
    dot: Value
    variables: dict[str, _Variable]

    def nest(self, dot: Value | None = None) -> _Scope:
        """A scope inside this one; assignments to its variables are visible in both."""
        return _Scope(self.dot if dot is None else dot, dict(self.variables))


@dataclass(slots=True)
class _Execution:
    templates: Mapping[str, nodes.Template]
    values: Object
    type: GoType | None
    parts: list[str] = field(default_factory=list[str])
    length: int = 0
    tokens: dict[str, Expression] = field(default_factory=dict[str, Expression])
    regions: list[Region] = field(default_factory=list[Region])
    open_regions: list[Region] = field(default_factory=list[Region])
    loops: int = 0
    calls: int = 0

    def run(self, body: nodes.Nodes, scope: _Scope) -> None:
        """Write the text of statements."""
        for statement in body:
            match statement:
                case nodes.Text(text=text):
                    self._write(text)
                case nodes.Action(pipe=pipe):
                    value = self._evaluate_pipe(pipe, scope)
                    if not pipe.variables:
                        self._print(value)
                case nodes.Branch(control=Control.RANGE):
                    self._run_range(statement, scope)
                case nodes.Branch():
                    self._run_branch(statement, scope)
                case nodes.Invocation(name=name, pipe=argument):
                    self._invoke(name, argument, scope)
                case _:
                    raise ExportError("it has a break or continue")

    def _write(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)
        if self.length > _MAX_CHARACTERS:
            raise ExportError(f"its result has more than {_MAX_CHARACTERS} characters")

    def _print(self, value: Value) -> None:
        if isinstance(value, Constant):
            self._write(format_constant(value.value))
            return
        text = to_text(value)
        token = f"zpg{len(self.tokens):06}q"
        self.tokens[token] = text
        self._write(f'"{token}"' if text.is_quoted else token)

    def _invoke(self, name: str, argument: nodes.Pipe | None, scope: _Scope) -> None:
        dot = Constant(None) if argument is None else self._evaluate_pipe(argument, scope)
        self.calls += 1
        if self.calls > 100 or name not in self.templates:  # noqa: PLR2004 - recursion
            raise ExportError(f"it invokes the template {name} too often")
        self.run(self.templates[name].body, _Scope(dot, {"$": _Variable(dot, 0)}))

    def _run_branch(self, branch: nodes.Branch, scope: _Scope) -> None:
        inner = scope.nest()
        value = self._evaluate_pipe(branch.pipe, inner)
        condition = to_condition(value)
        body = inner.nest(value) if branch.control is Control.WITH else inner
        otherwise = branch.else_body or ()
        if isinstance(condition, Constant):
            self.run(branch.body if condition.value else otherwise, body)
            return
        with_else = ((condition, branch.body, body), (negate(condition), otherwise, inner))
        for guard, statements, inside in with_else:
            self._run_region(guard, statements, inside)

    def _run_region(self, guard: Guard, body: nodes.Nodes, scope: _Scope) -> None:
        if not body:
            return
        region = Region(guard, self.length)
        self.regions.append(region)
        self.open_regions.append(region)
        self.run(body, scope)
        region.end = self.length
        self.open_regions.pop()

    def _run_range(self, branch: nodes.Branch, scope: _Scope) -> None:
        listed = self._evaluate(branch.pipe, scope)
        if isinstance(listed, Constant):
            self._run_constant_range(branch, scope, listed.value)
            return
        if not _is_list(listed) or branch.else_body:
            raise ExportError("it has a range over something else than a list of the object")
        if len(branch.pipe.variables) > 1:
            raise ExportError("it reads the index of a list")
        self.loops += 1
        variable = f"{'cenvxyz'[self.loops % 7]}{self.loops}"
        element = Reference(variable, (), listed.type.elem if listed.type else None)
        inner = scope.nest(element)
        self._declare(branch.pipe, [element], inner)
        self._run_region(Loop(variable, listed), branch.body, inner)

    def _run_constant_range(self, branch: nodes.Branch, scope: _Scope, value: JSON) -> None:
        items = [*_items(value)]
        for key, element in items:
            inner = scope.nest(Constant(element))
            declared: list[Value] = [Constant(key), Constant(element)]
            self._declare(branch.pipe, declared[-max(1, len(branch.pipe.variables)) :], inner)
            self.run(branch.body, inner)
        if not items and branch.else_body:
            self.run(branch.else_body, scope.nest())

    def _evaluate_pipe(self, pipe: nodes.Pipe, scope: _Scope) -> Value:
        value = self._evaluate(pipe, scope)
        if pipe.variables:
            self._declare(pipe, [value], scope)
        return value

    def _declare(self, pipe: nodes.Pipe, values: list[Value], scope: _Scope) -> None:
        for variable, value in zip(pipe.variables, values, strict=False):
            if pipe.is_assignment:
                self._assign(scope.variables[variable.name], value)
            else:
                declared = _Variable(value, len(self.open_regions))
                scope.variables[variable.name] = declared

    def _assign(self, variable: _Variable, value: Value) -> None:
        """Assign in a branch or a loop: the value depends on whether the assignment executes."""
        condition: str | None = None
        for region in reversed(self.open_regions[variable.depth :]):
            match region.guard:
                case Loop(variable=name, list=listed):
                    exists = f"{listed.or_value('[]')}.exists({name}, {condition or 'true'})"
                    if isinstance(value, Constant):
                        condition = exists
                    else:
                        raise ExportError("it assigns a value of a list element to a variable")
                case Expression(text=text):
                    condition = text if condition is None else f"({text}) && ({condition})"
        if condition is None:
            variable.value = value
        elif value == Constant(True) and variable.value == Constant(False):
            variable.value = Expression(condition, is_boolean=True)
        else:
            variable.value = call(
                "ternary", [value, variable.value, Expression(condition, is_boolean=True)]
            )

    def _evaluate(self, pipe: nodes.Pipe, scope: _Scope) -> Value:
        value: Value | None = None
        for command in pipe.commands:
            value = self._evaluate_command(command, scope, value)
        if value is None:
            raise ExportError("it has an empty pipeline")
        return value

    def _evaluate_command(
        self, command: nodes.Command, scope: _Scope, piped: Value | None
    ) -> Value:
        first, *rest = command.operands
        if not isinstance(first, nodes.Identifier):
            if rest or piped is not None:
                raise ExportError("it calls a method")
            return self._evaluate_operand(first, scope)
        arguments = [self._evaluate_operand(operand, scope) for operand in rest]
        if piped is not None:
            arguments.append(piped)
        return self._call(first.name, arguments)

    def _call(self, name: str, arguments: list[Value]) -> Value:
        constants = [each.value for each in arguments if isinstance(each, Constant)]
        if len(constants) < len(arguments):
            return call(name, arguments)
        function = _ALL_FUNCTIONS.get(name)
        if function is None or function.wants_interfaces or function.uses_dot:
            return _call_builtin(name, arguments)
        try:
            return Constant(function.call(*constants))  # type: ignore[arg-type]
        except (FunctionError, TypeError, AttributeError) as error:
            raise ExportError(f"{name} fails for the values of the overlay") from error

    def _evaluate_operand(self, operand: nodes.Operand, scope: _Scope) -> Value:
        match operand:
            case nodes.Pipe():
                return self._evaluate(operand, scope)
            case nodes.Dot():
                return scope.dot
            case nodes.Field(names=names):
                return self._select(scope.dot, names)
            case nodes.Variable(name=name, names=names):
                return self._select(scope.variables[name].value, names)
            case nodes.Chain(node=nodes.Pipe() as pipe, names=names):
                return self._select(self._evaluate(pipe, scope), names)
            case nodes.Identifier(name=name):
                return self._call(name, [])
            case _:
                return _evaluate_literal(operand)

    def _select(self, value: Value, names: tuple[str, ...]) -> Value:
        for name in names:
            value = self._select_one(value, name)
        return value

    def _select_one(self, value: Value, name: str) -> Value:
        if value is _DATA:
            return self._select_data(name)
        match value:
            case Constant(value=dict() as members):
                return Constant(members.get(name))
            case Reference():
                return value.select(name)
            case _:
                raise ExportError(f"it reads .{name} of a value that is no map")

    def _select_data(self, name: str) -> Value:
        match name:
            case "Values":
                return Constant(self.values)
            case "Namespace":
                return Expression("request.namespace", is_name=True)
            case "NamespaceMeta" if self.type and self.type is not NAMESPACE:
                return Reference("namespaceObject", ("metadata",), OBJECT_META)
            case "ObjectMeta" | "Spec":
                path = data_type(self.type).field_path(name)
                key = "metadata" if name == "ObjectMeta" else "spec"
                return Reference("object", (key,), path[-1].type if path else None)
            case _:
                raise ExportError(f"it reads .{name}, which has no types")


def _evaluate_literal(operand: nodes.Operand) -> Constant:
    match operand:
        case nodes.String(text=text):
            return Constant(text)
        case nodes.Bool(value=value):
            return Constant(value)
        case nodes.Number(integer=int() as integer):
            return Constant(integer)
        case nodes.Nil():
            return Constant(None)
        case _:
            raise ExportError(f"it has {operand}")


def _is_list(value: Value) -> TypeGuard[Reference]:
    type_ = value.type if isinstance(value, Reference) else None
    return type_ is not None and type_.kind is Kind.SLICE


def _items(value: JSON) -> Iterator[tuple[JSON, JSON]]:
    match value:
        case dict():
            yield from sorted(value.items())
        case list():
            yield from enumerate(value)
        case None:
            return
        case _:
            raise ExportError("it has a range over a number or a string")


def _call_builtin(name: str, arguments: list[Value]) -> Value:
    """The functions of Go that need the types of their arguments, for constants."""
    if name in {"eq", "ne"} and len(arguments) == 2:  # noqa: PLR2004 - a pair
        is_equal = arguments[0] == arguments[1]
        return Constant(is_equal if name == "eq" else not is_equal)
    if name in {"and", "or", "not", "print"}:
        return call(name, arguments)
    raise ExportError(f"it calls {name} for constants")
