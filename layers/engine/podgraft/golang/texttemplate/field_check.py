"""Static check for fields that a template reads and that its data cannot have.

The check follows operands from the dot through ranges, branches, variables, and invoked templates.
It reports nothing for an unknown type (an interface or the result of a function). If data is
constant, such as the values of an overlay, the check also reports missing keys, unless the template
tests for them or has a default.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum

from msgspec import Struct, field

from podgraft.base.jsonvalue import JSON
from podgraft.golang.reflect import STRING, Field, GoType, Kind

from .functions import REFLECT_VALUE, Function
from .parse import nodes
from .parse.source import Source, Span

# Functions that accept absent values, or print nothing of them.
TOLERANT_FUNCTIONS = frozenset(
    """
    all and any coalesce compact concat deepCopy default deepEqual dig empty eq fail fromJson
    fromYaml get has hasKey index isset kindIs kindOf mustToJson ne not omit omitNil or pick
    required set ternary toJson toPrettyJson toYaml typeIs typeOf valueOrDefault
    """.split()  # noqa: SIM905 - a list of strings would be 60 lines long
)


class FieldProblem(Struct, frozen=True, kw_only=True):
    """A field that the data cannot have.

    ``path`` is the operand up to the field. ``available`` are the names in its parent.
    """

    path: str
    name: str
    parent: str
    available: tuple[str, ...]
    span: Span

    @property
    def line(self) -> int:
        """The line of the template, from 1."""
        return self.span.source.line_at(self.span.start)

    def __str__(self) -> str:
        return f"line {self.line}: {self.path}: {self.parent} has no field {self.name}"


# ``$name = …``, anywhere in the template.
_ASSIGNMENT = re.compile(r"(\$\w+)\s*=[^=]")


class _Absence(Enum):
    UNKNOWN = "unknown"
    ABSENT = "absent"


_UNKNOWN, _ABSENT = _Absence.UNKNOWN, _Absence.ABSENT


class _Operand(Struct, frozen=True):
    """The type of an expression, its value if it is constant, and its path."""

    type: GoType | None = None
    value: JSON | _Absence = _UNKNOWN
    path: str = ""


_UNKNOWN_OPERAND = _Operand()


def check_fields(
    templates: Mapping[str, nodes.Template],
    source: Source,
    functions: Mapping[str, Function],
    data: GoType,
    known_values: Mapping[str, JSON],
) -> tuple[FieldProblem, ...]:
    """Return the problems of the template ``source.name`` for data of the struct type ``data``.

    ``known_values`` are the values of the fields of the dot that are the same in each rendering.
    """
    reassigned = frozenset(_ASSIGNMENT.findall(source.text))
    visitor = _FieldVisitor(templates, source, functions, known_values, [source.name], reassigned)
    root = _Operand(data, _UNKNOWN, "")
    visitor.visit_statements(templates[source.name].body, _Scope({"$": root, ".": root}))
    return tuple(dict.fromkeys(visitor.problems))


class _Scope(Struct, frozen=True):
    """The operands of dot and variables, and the paths that enclosing branches test."""

    operands: dict[str, _Operand]
    tested_paths: frozenset[str] = frozenset()

    def find(self, name: str) -> _Operand:
        """The operand of dot or of a variable."""
        return self.operands.get(name, _UNKNOWN_OPERAND)

    def inner(self, paths: Iterable[str] = ()) -> _Scope:
        """A scope inside this one, in which a branch has tested the paths."""
        return _Scope({**self.operands}, self.tested_paths | {*paths})


class _FieldVisitor(Struct):
    """One pass over a parse tree."""

    templates: Mapping[str, nodes.Template]
    source: Source
    functions: Mapping[str, Function]
    known_values: Mapping[str, JSON]
    active_templates: list[str]
    reassigned: frozenset[str]
    problems: list[FieldProblem] = field(default_factory=list[FieldProblem])

    def visit_statements(self, body: nodes.Nodes, scope: _Scope) -> None:
        for node in body:
            match node:
                case nodes.Action():
                    self._visit_pipe(node.pipe, scope, prints=not node.pipe.variables)
                case nodes.Branch():
                    self._visit_branch(node, scope)
                case nodes.Invocation(pipe=nodes.Pipe() as pipe):
                    self._visit_invocation(node.name, self._visit_pipe(pipe, scope, prints=False))
                case _:
                    pass

    def _visit_invocation(self, name: str, dot: _Operand) -> None:
        """Check the body of an invoked template; its argument is its dot."""
        if name in self.templates and name not in self.active_templates:
            self.active_templates.append(name)
            self.visit_statements(self.templates[name].body, _Scope({"$": dot, ".": dot}))
            self.active_templates.pop()

    def _visit_branch(self, node: nodes.Branch, scope: _Scope) -> None:
        inner = scope.inner(self._find_paths(node.pipe, scope))
        operand = self._visit_pipe(node.pipe, inner, prints=False)
        body = inner.inner()
        match node.control:
            case nodes.Control.WITH:
                body.operands["."] = operand
            case nodes.Control.RANGE:
                body.operands["."] = element = _element(operand)
                for variable in node.pipe.variables:
                    body.operands[variable.name] = _UNKNOWN_OPERAND
                for variable in node.pipe.variables[-1:]:
                    body.operands[variable.name] = element
            case nodes.Control.IF:
                pass
        self.visit_statements(node.body, body)
        self.visit_statements(node.else_body or (), inner.inner())

    def _visit_pipe(self, pipe: nodes.Pipe, scope: _Scope, *, prints: bool) -> _Operand:
        """Check a pipeline, and return its operand; ``prints`` is whether its value is printed."""
        piped: _Operand | None = None
        uses = [*map(_prints_arguments, pipe.commands[1:]), prints]
        for command, is_printed in zip(pipe.commands, uses, strict=True):
            piped = self._visit_command(command, piped, scope, prints=is_printed)
        operand = piped or _UNKNOWN_OPERAND
        for variable in pipe.variables:
            # A variable that is assigned again has one of several values.
            again = variable.name in self.reassigned
            scope.operands[variable.name] = _UNKNOWN_OPERAND if again else operand
        return operand

    def _visit_command(
        self, command: nodes.Command, piped: _Operand | None, scope: _Scope, *, prints: bool
    ) -> _Operand:
        first, *arguments = command.operands
        for argument in arguments:
            self._visit_operand(argument, scope, prints=_prints_arguments(command))
        if isinstance(first, nodes.Identifier):
            return _Operand(_result(self.functions.get(first.name)))
        alone = not arguments and piped is None
        operand = self._visit_operand(first, scope, prints=prints and alone)
        return operand if alone else _UNKNOWN_OPERAND

    def _visit_operand(self, node: nodes.Operand, scope: _Scope, *, prints: bool) -> _Operand:
        match node:
            case nodes.Dot():
                return scope.find(".")
            case nodes.Field(names=names):
                operand = scope.find(".")
            case nodes.Variable(name=name, names=names):
                operand = scope.find(name)
            case nodes.Chain(node=nodes.Pipe() as pipe, names=names):
                operand = self._visit_pipe(pipe, scope, prints=False)
            case nodes.Pipe():
                return self._visit_pipe(node, scope, prints=prints)
            case nodes.Identifier():
                return _Operand(_result(self.functions.get(node.name)))
            case _:
                return _UNKNOWN_OPERAND
        for name in names:
            operand = self._select_field(operand, name, node, scope)
        if prints and operand.value is _ABSENT and operand.path not in scope.tested_paths:
            parent, _, name = operand.path.rpartition(".")
            self._add_problem(node, operand.path, name, parent, ())
        return operand

    def _select_field(
        self, operand: _Operand, name: str, node: nodes.Operand, scope: _Scope
    ) -> _Operand:
        path = f"{operand.path}.{name}"
        if operand.value is not _UNKNOWN:
            return self._select_member(operand, name, node, scope)
        type_ = operand.type
        if type_ is not None and type_.kind is Kind.POINTER:
            type_ = type_.elem
        if type_ is None or type_.kind is Kind.INTERFACE:
            return _UNKNOWN_OPERAND
        if type_.kind is Kind.MAP:
            return _Operand(type_.elem if type_.key is STRING else None, _UNKNOWN, path)
        member = type_.member(name)
        if member is None:
            available = tuple(field.name for field in type_.fields)
            self._add_problem(node, path, name, type_.name, available)
            return _UNKNOWN_OPERAND
        if not isinstance(member.target, Field):
            return _Operand(member.target.result)
        value = self.known_values.get(name, _UNKNOWN) if not operand.path else _UNKNOWN
        return _Operand(member.target.type, value, path)

    def _select_member(
        self, operand: _Operand, name: str, node: nodes.Operand, scope: _Scope
    ) -> _Operand:
        """Select a member of a constant value."""
        path = f"{operand.path}.{name}"
        if isinstance(operand.value, dict):
            value = operand.value.get(name)
            return _Operand(None, _ABSENT if value is None else value, path)
        if operand.path in scope.tested_paths:
            return _UNKNOWN_OPERAND
        if operand.value is _ABSENT:  # the parent is missing
            parent, _, missing = operand.path.rpartition(".")
            self._add_problem(node, operand.path, missing, parent, ())
        else:
            self._add_problem(node, path, name, operand.path, ())
        return _UNKNOWN_OPERAND

    def _add_problem(
        self, node: nodes.Operand, path: str, name: str, parent: str, available: tuple[str, ...]
    ) -> None:
        names = available or self._find_keys(parent)
        span = Span(self.source, node.start, node.end)
        self.problems.append(
            FieldProblem(path=path, name=name, parent=parent, available=names, span=span)
        )

    def _find_keys(self, path: str) -> tuple[str, ...]:
        """The keys of the constant value at a path."""
        value: JSON = dict(self.known_values)
        for step in path.split(".")[1:]:
            value = value.get(step) if isinstance(value, dict) else None
        return tuple(value) if isinstance(value, dict) else ()

    def _find_paths(self, node: nodes.Node, scope: _Scope) -> Iterator[str]:
        """The paths of all operands in a pipeline, which a branch tests."""
        match node:
            case nodes.Pipe(commands=children):
                pass
            case nodes.Command(operands=children):
                pass
            case nodes.Chain(node=inner):
                children = (inner,)
            case nodes.Dot():
                yield scope.find(".").path
                return
            case nodes.Field(names=names):
                yield ".".join((scope.find(".").path, *names))
                return
            case nodes.Variable(name=name, names=names):
                yield ".".join((scope.find(name).path, *names))
                return
            case _:
                return
        for child in children:
            yield from self._find_paths(child, scope)


def _prints_arguments(command: nodes.Command) -> bool:
    """Whether a command can print its arguments."""
    first = command.operands[0]
    return not (isinstance(first, nodes.Identifier) and first.name in TOLERANT_FUNCTIONS)


def _result(function: Function | None) -> GoType | None:
    """The result type of a function, if it is the same for every call."""
    return None if function is None or function.result is REFLECT_VALUE else function.result


def _element(operand: _Operand) -> _Operand:
    """An element of the operand of a range."""
    type_ = operand.type
    if operand.value is _UNKNOWN and type_ is not None and type_.kind in {Kind.SLICE, Kind.MAP}:
        return _Operand(type_.elem, _UNKNOWN, f"{operand.path}[]")
    return _UNKNOWN_OPERAND
