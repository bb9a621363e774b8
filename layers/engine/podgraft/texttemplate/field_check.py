"""Fields that a template reads and its data cannot have, found without running it.

The check follows operands from the dot through ranges, branches, variables, and templates that are
called. Where a type is unknown (an interface, the result of a function), it reports nothing. Of
data that is known beforehand, such as the values of an overlay, it also reports keys that are
absent, except where the template tests for them or has a default.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from enum import Enum

from podgraft.go.reflect import STRING, Field, GoType, Kind
from podgraft.jsonvalue import JSON
from podgraft.lazy_dataclass import dataclass
from podgraft.lazy_re import lazy_compile

from .functions import REFLECT_VALUE, Function
from .parse import nodes
from .parse.source import Source, Span

# Functions that are called with values that can be absent, or print nothing of them.
TOLERANT = frozenset(
    """
    all and any coalesce compact concat deepCopy default deepEqual dig empty eq fail fromJson
    fromYaml get has hasKey index isset kindIs kindOf mustToJson ne not omit omitNil or pick
    required set ternary toJson toPrettyJson toYaml typeIs typeOf valueOrDefault
    """.split()  # noqa: SIM905 - a list of strings would be a page long
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldProblem:
    """A field that the data cannot have.

    ``path`` is the operand up to the field, ``available`` are the names that its holder has.
    """

    path: str
    name: str
    holder: str
    available: tuple[str, ...]
    span: Span

    @property
    def line(self) -> int:
        """The line of the template, from 1."""
        return self.span.source.line_at(self.span.start)

    def __str__(self) -> str:
        return f"line {self.line}: {self.path}: {self.holder} has no field {self.name}"


# ``$name = …``, anywhere in the template.
_ASSIGNMENT = lazy_compile(r"(\$\w+)\s*=[^=]")


class _Absence(Enum):
    UNKNOWN = "unknown"  # there is no telling what the value is
    ABSENT = "absent"


_UNKNOWN, _ABSENT = _Absence.UNKNOWN, _Absence.ABSENT


@dataclass(frozen=True, slots=True)
class _Operand:
    """What an expression stands for: its type, its value if that is known, and where it is from."""

    type: GoType | None = None
    value: JSON | _Absence = _UNKNOWN
    path: str = ""


_NOTHING = _Operand()


class _Use(Enum):
    PRINT = "print"
    TEST = "test"
    PASS = "pass"  # noqa: S105 - no password: handed on without a look


def check_fields(
    templates: Mapping[str, nodes.Template],
    source: Source,
    functions: Mapping[str, Function],
    data: GoType,
    known: Mapping[str, JSON],
) -> tuple[FieldProblem, ...]:
    """Return the problems of the template ``source.name`` for data of the struct type ``data``.

    ``known`` has the values of those fields of the dot that are the same in each rendering.
    """
    assigned = frozenset(_ASSIGNMENT.findall(source.text))
    walk = _Walk(templates, source, functions, known, [source.name], assigned)
    root = _Operand(data, _UNKNOWN, "")
    walk.statements(templates[source.name].body, _Scope({"$": root, ".": root}))
    return tuple(dict.fromkeys(walk.problems))


@dataclass(frozen=True, slots=True)
class _Scope:
    """What dot and variables stand for, and the paths that enclosing branches test."""

    operands: dict[str, _Operand]
    tested: frozenset[str] = frozenset()

    def inner(self, paths: frozenset[str] = frozenset(), **more: _Operand) -> _Scope:
        dot = {".": more["dot"]} if "dot" in more else {}
        return _Scope({**self.operands, **dot}, self.tested | paths)


@dataclass(slots=True)
class _Walk:
    """One pass over a parse tree."""

    templates: Mapping[str, nodes.Template]
    source: Source
    functions: Mapping[str, Function]
    known: Mapping[str, JSON]
    inside: list[str]
    assigned: frozenset[str]
    problems: list[FieldProblem] = field(default_factory=list[FieldProblem])

    def statements(self, body: nodes.Nodes, scope: _Scope) -> None:
        for node in body:
            match node:
                case nodes.Action():
                    use = _Use.PASS if node.pipe.variables else _Use.PRINT
                    self._pipe(node.pipe, scope, use)
                case nodes.Branch():
                    self._branch(node, scope)
                case nodes.Invocation(pipe=nodes.Pipe() as pipe):
                    self._invocation(node.name, self._pipe(pipe, scope, _Use.PASS))
                case _:
                    pass

    def _invocation(self, name: str, dot: _Operand) -> None:
        """Another template's body: its dot is what it is handed."""
        if name in self.templates and name not in self.inside:
            self.inside.append(name)
            self.statements(self.templates[name].body, _Scope({"$": dot, ".": dot}))
            self.inside.pop()

    def _branch(self, node: nodes.Branch, scope: _Scope) -> None:
        inner = scope.inner()
        tests = frozenset(self._paths(node.pipe, scope))
        operand = self._pipe(node.pipe, replace(inner, tested=inner.tested | tests), _Use.TEST)
        body = inner.inner(tests)
        match node.control:
            case nodes.Control.WITH:
                body = inner.inner(tests, dot=operand)
            case nodes.Control.RANGE:
                element = _element(operand)
                body = inner.inner(tests, dot=element)
                for variable in node.pipe.variables:
                    body.operands[variable.name] = _NOTHING
                for variable in node.pipe.variables[-1:]:
                    body.operands[variable.name] = element
            case nodes.Control.IF:
                pass
        self.statements(node.body, body)
        self.statements(node.else_body or (), inner.inner(tests))

    def _pipe(self, pipe: nodes.Pipe, scope: _Scope, use: _Use) -> _Operand:
        """Check a pipeline, and return what it stands for."""
        piped: _Operand | None = None
        last = len(pipe.commands) - 1
        for index, command in enumerate(pipe.commands):
            after = pipe.commands[index + 1] if index < last else None
            piped = self._command(command, piped, scope, use if after is None else _use(after))
        operand = piped or _NOTHING
        for variable in pipe.variables:
            # A variable that is assigned again has one of several values.
            again = variable.name in self.assigned
            scope.operands[variable.name] = _NOTHING if again else operand
        return operand

    def _command(
        self, command: nodes.Command, piped: _Operand | None, scope: _Scope, use: _Use
    ) -> _Operand:
        first, *arguments = command.operands
        for argument in arguments:
            self._operand(argument, scope, _use(command))
        if isinstance(first, nodes.Identifier):
            return _Operand(_result(self.functions.get(first.name)))
        alone = not arguments and piped is None
        operand = self._operand(first, scope, use if alone else _Use.PASS)
        return operand if alone else _NOTHING

    def _operand(self, node: nodes.Operand, scope: _Scope, use: _Use) -> _Operand:
        match node:
            case nodes.Dot():
                return scope.operands.get(".", _NOTHING)
            case nodes.Field(names=names):
                operand = scope.operands.get(".", _NOTHING)
            case nodes.Variable(name=name, names=names):
                operand = scope.operands.get(name, _NOTHING)
            case nodes.Chain(node=nodes.Pipe() as pipe, names=names):
                operand = self._pipe(pipe, scope, _Use.PASS)
            case nodes.Pipe():
                return self._pipe(node, scope, use)
            case nodes.Identifier():
                return _Operand(_result(self.functions.get(node.name)))
            case _:
                return _NOTHING
        for name in names:
            operand = self._select(operand, name, node, scope)
        if operand.value is _ABSENT and use is _Use.PRINT and not _is_tested(operand, scope):
            holder, _, name = operand.path.rpartition(".")
            self._note(node, operand.path, name, holder, ())
        return operand

    def _select(self, operand: _Operand, name: str, node: nodes.Operand, scope: _Scope) -> _Operand:
        path = f"{operand.path}.{name}"
        if operand.value is not _UNKNOWN:
            return self._member(operand, name, node, scope)
        type_ = operand.type
        if type_ is not None and type_.kind is Kind.POINTER:
            type_ = type_.elem
        if type_ is None or type_.kind is Kind.INTERFACE:
            return _NOTHING
        if type_.kind is Kind.MAP:
            return _Operand(type_.elem if type_.key is STRING else None, _UNKNOWN, path)
        member = type_.member(name)
        if member is None:
            available = tuple(each.name for each in type_.fields)
            self._note(node, path, name, type_.name, available)
            return _NOTHING
        if not isinstance(member.target, Field):
            return _Operand(member.target.result)
        known = self.known.get(name, _UNKNOWN) if not operand.path else _UNKNOWN
        return _Operand(member.target.type, known, path)

    def _member(self, operand: _Operand, name: str, node: nodes.Operand, scope: _Scope) -> _Operand:
        """A member of a value that is known."""
        path = f"{operand.path}.{name}"
        if isinstance(operand.value, dict):
            value = operand.value.get(name)
            return _Operand(None, _ABSENT if value is None else value, path)
        if _is_tested(operand, scope):
            return _NOTHING
        if operand.value is _ABSENT:  # it is the holder that is missing
            holder, _, missing = operand.path.rpartition(".")
            self._note(node, operand.path, missing, holder, ())
        else:
            self._note(node, path, name, operand.path, ())
        return _NOTHING

    def _note(
        self, node: nodes.Operand, path: str, name: str, holder: str, available: tuple[str, ...]
    ) -> None:
        values = available or self._keys(holder)
        span = Span(self.source, node.start, node.end)
        self.problems.append(
            FieldProblem(path=path, name=name, holder=holder, available=values, span=span)
        )

    def _keys(self, path: str) -> tuple[str, ...]:
        """The keys of the known value at a path."""
        value: JSON = dict(self.known)
        for step in path.split(".")[1:]:
            value = value.get(step) if isinstance(value, dict) else None
        return tuple(value) if isinstance(value, dict) else ()

    def _paths(self, node: nodes.Node, scope: _Scope) -> Iterator[str]:
        """The paths of all operands in a pipeline: what a branch tests."""
        match node:
            case nodes.Pipe(commands=children):
                pass
            case nodes.Command(operands=children):
                pass
            case nodes.Chain(node=inner):
                children = (inner,)
            case nodes.Dot():
                yield scope.operands.get(".", _NOTHING).path
                return
            case nodes.Field(names=names):
                yield ".".join((scope.operands.get(".", _NOTHING).path, *names))
                return
            case nodes.Variable(name=name, names=names):
                yield ".".join((scope.operands.get(name, _NOTHING).path, *names))
                return
            case _:
                return
        for child in children:
            yield from self._paths(child, scope)


def _is_tested(operand: _Operand, scope: _Scope) -> bool:
    return operand.path in scope.tested


def _use(command: nodes.Command) -> _Use:
    """What a command does with its arguments."""
    first = command.operands[0]
    tolerant = isinstance(first, nodes.Identifier) and first.name in TOLERANT
    return _Use.PASS if tolerant else _Use.PRINT


def _result(function: Function | None) -> GoType | None:
    """The type of a function's result, if every call has the same."""
    unknown = function is None or function.result is REFLECT_VALUE
    return None if unknown or function is None else function.result


def _element(operand: _Operand) -> _Operand:
    """An element of what a range visits."""
    type_ = operand.type
    if operand.value is _UNKNOWN and type_ is not None and type_.kind in {Kind.SLICE, Kind.MAP}:
        return _Operand(type_.elem, _UNKNOWN, f"{operand.path}[]")
    return _NOTHING
