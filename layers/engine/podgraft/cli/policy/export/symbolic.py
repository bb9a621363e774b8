"""The execution of a template without an object: a text with tokens, and the regions of branches.

A token stands for text of the object. A region is the text of a branch or a loop that depends on
the object; it is in the text once, whatever the object.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NoReturn

from msgspec import Struct

from podgraft.base.jsonvalue import Object
from podgraft.core.injectors.overlay.data import data_type
from podgraft.golang.reflect import GoType, Kind
from podgraft.golang.texttemplate.parse import nodes
from podgraft.golang.texttemplate.parse.nodes import Control
from podgraft.golang.texttemplate.parse.parser import parse
from podgraft.golang.texttemplate.parse.source import Source
from podgraft.kube import NAMESPACE, OBJECT_META

from .conditions import narrow, to_condition
from .errors import ExportError
from .functions import ALL_FUNCTIONS, call, call_with_constants
from .loops import Loop, find_assigned, fold
from .quantities import Amount
from .values import (
    Carried,
    Choice,
    Constant,
    Entries,
    Expression,
    Items,
    Layers,
    MapKey,
    Reference,
    Value,
    format_constant,
    has_kind,
    integer,
    list_entries,
    negate,
    to_integer,
    to_text,
)

TOKEN = re.compile(r"zpg\d{6}q")
_MAX_CHARACTERS = 1_000_000
_DATA = Reference("data", (), None)


Guard = Expression | Loop


class ForkError(Exception):
    """A template that needs to know whether a condition is true: it writes one of two constants."""

    def __init__(self, condition: str) -> None:
        super().__init__(condition)
        self.condition = condition


class Region(Struct):
    """A part of the text that depends on a condition, or that a loop repeats."""

    guard: Guard
    start: int
    end: int = 0


class SymbolicText(Struct, frozen=True):
    """The text, its tokens, and its regions from the outermost on.

    ``reads`` are the paths of the lists whose order it depends on, also those that later steps add.
    """

    text: str
    tokens: Mapping[str, Expression]
    regions: tuple[Region, ...]
    reads: Collection[tuple[str, ...]]


def execute(
    text: str, values: Object, type_: GoType | None, facts: Mapping[str, bool]
) -> SymbolicText:
    """Execute a template that parses, for objects of a type for which conditions are known.

    Raises ``ForkError`` if it must know another one, and ``ExportError``.
    """
    templates = parse(Source("", text), ("{{", "}}"), ALL_FUNCTIONS)
    execution = _Execution(templates, values, type_, facts)
    execution.run(templates[""].body, _Scope(_DATA, {"$": _Variable(_DATA)}))
    text = "".join(execution.parts)
    return SymbolicText(text, execution.tokens, tuple(execution.regions), execution.reads)


class _Variable(Struct, eq=False):
    """A variable of the template."""

    value: Value


class _Scope(Struct, frozen=True):
    dot: Value
    variables: dict[str, _Variable]

    def nest(self, dot: Value | None = None) -> _Scope:
        """A scope inside this one; assignments to its variables are visible in both."""
        return _Scope(self.dot if dot is None else dot, dict(self.variables))


class _Execution(Struct):
    templates: Mapping[str, nodes.Template]
    values: Object
    type: GoType | None
    facts: Mapping[str, bool]
    parts: list[str] = []
    length: int = 0
    tokens: dict[str, Expression] = {}
    regions: list[Region] = []
    open_regions: list[Region] = []
    reads: set[tuple[str, ...]] = set()
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
        if isinstance(value, Choice) and value.has_constants:
            self._fork(value)
        if isinstance(value, Amount):
            value = Expression(value.field_text, Kind.STRUCT, is_plain=True)
        elif has_kind(value, Kind.INT64):
            value = integer(to_integer(value))
        # YAML reads a number as a number.
        text = value if isinstance(value, Expression) and value.is_plain else to_text(value)
        token = f"zpg{len(self.tokens):06}q"
        self.tokens[token] = text
        self._write(f'"{token}"' if text.is_quoted else token)

    def _invoke(self, name: str, argument: nodes.Pipe | None, scope: _Scope) -> None:
        dot = Constant(None) if argument is None else self._evaluate_pipe(argument, scope)
        self.calls += 1
        if self.calls > 100 or name not in self.templates:  # noqa: PLR2004 - recursion
            raise ExportError(f"it invokes the template {name} too often")
        self.run(self.templates[name].body, _Scope(dot, {"$": _Variable(dot)}))

    def _fork(self, choice: Choice) -> NoReturn:
        """Let the template be executed once for each constant."""
        names = [each.guard.variable for each in self.open_regions if isinstance(each.guard, Loop)]
        if any(re.search(rf"\b{name}\b", choice.condition) for name in names):
            raise ExportError("it writes a constant that depends on an element of a range")
        raise ForkError(choice.condition)

    def _resolve(self, value: Value) -> Value:
        """A value with the conditions that are known."""
        match value:
            case Expression(kind=Kind.BOOL, text=text) if text in self.facts:
                return Constant(self.facts[text])
            case Choice(condition, yes, no):
                if condition not in self.facts:
                    return value
                return self._resolve(yes if self.facts[condition] else no)
            case _:
                return value

    def _run_branch(self, branch: nodes.Branch, scope: _Scope) -> None:
        inner = scope.nest()
        value = self._evaluate_pipe(branch.pipe, inner)
        condition = self._resolve(to_condition(value))
        body = inner.nest(narrow(value)) if branch.control is Control.WITH else inner
        otherwise = branch.else_body or ()
        if not isinstance(condition, Expression):
            self.run(branch.body if condition == Constant(True) else otherwise, body)
            return
        variables = dict.fromkeys(scope.variables.values())
        before = {each: each.value for each in variables}
        self._run_region(condition, branch.body, body)
        after = {each: each.value for each in variables}
        for each in variables:
            each.value = before[each]
        self._run_region(negate(condition.text), otherwise, inner)
        for each in variables:
            if after[each] is not each.value:
                each.value = Choice(condition.text, after[each], each.value)

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
        if isinstance(listed, Choice) and listed.has_constants:
            self._fork(listed)
        if isinstance(listed, Constant | Items):
            self._run_constant_range(branch, scope, list_entries(listed))
            return
        if not isinstance(listed, Reference) or branch.else_body:
            raise ExportError("it has a range over something else than a list of the object")
        self.loops += 1
        loop = Loop(f"{'cenvxyz'[self.loops % 7]}{self.loops}", listed)
        inner = scope.nest(loop.element)
        self._declare(branch.pipe, loop.declare(len(branch.pipe.variables)), inner)
        assigned = [
            scope.variables[name]
            for name in sorted(find_assigned(branch.body))
            if name in scope.variables and inner.variables[name] is scope.variables[name]
        ]
        carried = [Carried(each.value) for each in assigned]
        for variable, value in zip(assigned, carried, strict=True):
            variable.value = value
        self._run_region(loop, branch.body, inner)
        for variable, value in zip(assigned, carried, strict=True):
            variable.value = self._resolve(fold(variable.value, value, loop))

    def _run_constant_range(self, branch: nodes.Branch, scope: _Scope, entries: Entries) -> None:
        for key, element in entries:
            inner = scope.nest(element)
            declared: list[Value] = [Constant(key), element]
            self._declare(branch.pipe, declared[-max(1, len(branch.pipe.variables)) :], inner)
            self.run(branch.body, inner)
        if not entries and branch.else_body:
            self.run(branch.else_body, scope.nest())

    def _evaluate_pipe(self, pipe: nodes.Pipe, scope: _Scope) -> Value:
        value = self._evaluate(pipe, scope)
        if pipe.variables:
            self._declare(pipe, [value], scope)
        return value

    def _declare(self, pipe: nodes.Pipe, values: list[Value], scope: _Scope) -> None:
        for variable, value in zip(pipe.variables, values, strict=False):
            if pipe.is_assignment:
                scope.variables[variable.name].value = value
            else:
                scope.variables[variable.name] = _Variable(value)

    def _evaluate(self, pipe: nodes.Pipe, scope: _Scope) -> Value:
        first, *others = pipe.commands
        value = self._evaluate_command(first, scope, None)
        for command in others:
            value = self._evaluate_command(command, scope, value)
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
        if name == "dict" and not arguments:
            return Layers(len(self.open_regions))
        if name == "set":
            return self._evaluate_set(*arguments)
        constants = [each.value for each in arguments if isinstance(each, Constant)]
        if len(constants) == len(arguments):
            return call_with_constants(name, arguments, constants)
        try:
            return self._resolve(call(name, arguments))
        except ExportError:
            for each in arguments:
                if isinstance(each, Choice) and each.has_constants:
                    self._fork(each)
            raise

    def _evaluate_set(self, layers: Value, key: Value, value: Value) -> Value:
        """Add the keys of a map of strings that have a prefix to another map."""
        if isinstance(layers, Layers) and isinstance(key, MapKey):
            match [each.guard for each in self.open_regions[layers.depth :]]:
                case [Loop() as loop, *guards] if loop.variable == key.variable:
                    prefix = [Constant(key.prefix), Expression(loop.variable)]
                    expected = [call("hasPrefix", prefix)] if key.prefix else []
                    if guards == expected and value == loop.element:
                        layers.sources.append((loop.list, key.prefix))
                        return layers
                case _:
                    pass
        raise ExportError("it calls set for something else than the keys of a map by their prefix")

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
            case Choice():
                return value.map(lambda each: self._select_one(each, name))
            case _:
                raise ExportError(f"it reads .{name} of a value that is no map")

    def _select_data(self, name: str) -> Value:
        match name:
            case "Values":
                return Constant(self.values)
            case "Namespace":
                return Expression("request.namespace", is_name=True)
            case "NamespaceMeta" if self.type and self.type is not NAMESPACE:
                return Reference("namespaceObject", ("metadata",), OBJECT_META, is_name=True)
            case "ObjectMeta" | "Spec":
                path = data_type(self.type).field_path(name)
                key = "metadata" if name == "ObjectMeta" else "spec"
                # All kinds with a Go type have DNS names, unlike a Role.
                is_named = name == "ObjectMeta" and self.type is not None
                type_ = path[-1].type if path else None
                return Reference("object", (key,), type_, is_named, (key,), self.reads)
            case _:
                raise ExportError(f"it reads .{name}, which has no types")


def _evaluate_literal(operand: nodes.Operand) -> Constant:
    match operand:
        case (
            nodes.String(text=value)
            | nodes.Bool(value=value)
            | nodes.Number(integer=int() as value)
        ):
            return Constant(value)
        case nodes.Nil():
            return Constant(None)
        case _:
            raise ExportError(f"it has {operand}")
