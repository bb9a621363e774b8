"""Static analysis of the data that a template can read.

A projection keeps only the part of the data that the template can read. Data with equal projections
has the same rendering, so a projection is the key under which a rendering is cached.

The analysis follows fields from the dot, into the elements of ranges, into invoked templates, and
through variables that are declared as a part of the data. A value that is printed, tested, assigned
to an existing variable, or passed to a function is read completely, unless the function declares
its ``dependencies``. The same applies if the analysis cannot follow an operand.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeAlias, assert_never

from msgspec import Struct, field

from podgraft.field_reads import EACH, FieldRead, ReadKind
from podgraft.go.reflect import STRING, GoType, Kind, Value

from .functions import ALL_ELEMENTS, Dependency, Elements, Function, KeyArgument
from .parse import nodes
from .parse.source import Source

Projection: TypeAlias = Callable[[Value], Value]


def compute_projection(
    templates: Mapping[str, nodes.Template],
    main: str,
    functions: Mapping[str, Function],
    data: GoType,
    opaque: Collection[GoType],
) -> Projection:
    """Return the projection of raw data of the struct type ``data`` that ``main`` can read.

    ``opaque`` types are read completely, because their views differ from their raw JSON.
    """
    root = _DependencyNode()
    part = _TypedNode(root, data)
    walk = _DependencyVisitor(templates, functions, frozenset(opaque), [main])
    walk.visit_statements(templates[main].body, {"$": part, _DOT: part})
    called = {name for template in templates.values() for name in template.calls}
    root.is_complete |= any(functions[name].uses_dot for name in called)
    return _build_projection(root)


def find_reads(
    templates: Mapping[str, nodes.Template],
    source: Source,
    functions: Mapping[str, Function],
    data: GoType,
    opaque: Collection[GoType],
) -> tuple[FieldRead, ...]:
    """Return the reads of the template ``source.name``, with paths in the raw data.

    A value that is only printed has the kind ``PRINTED``, with the line that prints it. A value
    that a branch tests for emptiness counts as printed, too.
    """
    log = _ReadLog(source)
    root = _LoggedNode(log=log)
    walk = _ReadVisitor(templates, functions, frozenset(opaque), [source.name], log)
    part = _TypedNode(root, data)
    walk.visit_statements(templates[source.name].body, {"$": part, _DOT: part})
    called = {name for template in templates.values() for name in template.calls}
    if any(functions[name].uses_dot for name in called):
        root.complete()
    return tuple(log.reads)


class _DependencyNode(Struct, eq=False):
    """The part of one value that is read: the complete value, members, or parts of each element."""

    is_complete: bool = False
    members: dict[str, _DependencyNode] = field(default_factory=dict[str, "_DependencyNode"])
    elements: _DependencyNode | None = None

    def complete(self) -> None:
        """Record that the complete value is read."""
        self.is_complete = True

    def member(self, key: str) -> _DependencyNode:
        return self.members.setdefault(key, _DependencyNode())

    def element(self) -> _DependencyNode:
        if self.elements is None:
            self.elements = _DependencyNode()
        return self.elements


def _build_projection(node: _DependencyNode) -> Projection:
    """Return a function that keeps the part of a raw value that is read."""
    if node.is_complete:
        return _identity
    members = [(key, _build_projection(member)) for key, member in sorted(node.members.items())]
    element = _build_projection(node.elements) if node.elements else None

    def project(raw: Value) -> Value:
        if raw.__class__ is dict:
            return {key: project_member(raw[key]) for key, project_member in members if key in raw}
        if raw.__class__ is list and element:
            return [*map(element, raw)]
        return raw

    return project


def _identity(raw: Value) -> Value:
    return raw


class _TypedNode(Struct, frozen=True):
    """The part of the data that an expression represents, and its type."""

    node: _DependencyNode
    type: GoType


_DOT = "."
_Bindings: TypeAlias = "dict[str, _TypedNode | None]"  # the values of dot and variables
_Path: TypeAlias = "Sequence[str | Elements]"


class _DependencyVisitor(Struct, frozen=True):
    """One pass over a parse tree, which records the parts that are read."""

    templates: Mapping[str, nodes.Template]
    functions: Mapping[str, Function]
    opaque: frozenset[GoType]
    active_templates: list[str]

    def visit_statements(self, body: nodes.Nodes, bindings: _Bindings) -> None:
        """Visit statements, and add the variables that they declare to ``bindings``."""
        for node in body:
            match node:
                case nodes.Action():
                    self._visit_action(node.pipe, bindings)
                case nodes.Branch(control=nodes.Control.RANGE):
                    self._visit_range(node, {**bindings})
                case nodes.Branch():
                    self._visit_branch(node, {**bindings})
                case nodes.Invocation():
                    self._visit_invocation(node, bindings)
                case nodes.Text() | nodes.Break() | nodes.Continue():
                    pass
                case _:
                    assert_never(node)

    def _visit_action(self, pipe: nodes.Pipe, bindings: _Bindings) -> None:
        """Visit a pipeline that is printed, or that declares a variable.

        A declared variable stands for its part of the data. If another value is assigned to it
        later, that value is read completely, so uses of the variable can record the first part.
        """
        part = None
        if pipe.variables and not pipe.is_assignment:
            part = self._single_operand(pipe, bindings)
        if part is None:
            self._visit_pipe(pipe, bindings)
            return
        self._declare_variables(pipe.variables, bindings)
        bindings.update(dict.fromkeys((variable.name for variable in pipe.variables), part))

    def _visit_invocation(self, node: nodes.Invocation, bindings: _Bindings) -> None:
        """Visit the body of an invoked template; its argument is its dot."""
        part = self._single_operand(node.pipe, bindings) if node.pipe else None
        if part and node.name in self.templates and node.name not in self.active_templates:
            self.active_templates.append(node.name)
            self.visit_statements(self.templates[node.name].body, {"$": part, _DOT: part})
            self.active_templates.pop()
        elif node.pipe:
            self._visit_pipe(node.pipe, bindings)

    def _visit_branch(self, node: nodes.Branch, bindings: _Bindings) -> None:
        self._visit_pipe(node.pipe, bindings)
        inner = {_DOT: None} if node.control is nodes.Control.WITH else {}
        self.visit_statements(node.body, {**bindings, **inner})
        self.visit_statements(node.else_body or (), bindings)

    def _visit_range(self, node: nodes.Branch, bindings: _Bindings) -> None:
        element = self._range_element(node, bindings)
        if element is None:
            self._visit_pipe(node.pipe, bindings)
        self._declare_variables(node.pipe.variables, bindings)
        inner = {variable.name: element for variable in node.pipe.variables[-1:]}
        self.visit_statements(node.body, {**bindings, **inner, _DOT: element})
        self.visit_statements(node.else_body or (), bindings)

    def _range_element(self, node: nodes.Branch, bindings: _Bindings) -> _TypedNode | None:
        """The part that an element of a range represents, if it is a list of the data."""
        part = None if node.pipe.is_assignment else self._single_operand(node.pipe, bindings)
        return (
            self._resolve_step(part, ALL_ELEMENTS)
            if part and part.type.kind is Kind.SLICE
            else None
        )

    def _single_operand(self, pipe: nodes.Pipe, bindings: _Bindings) -> _TypedNode | None:
        """The part that a pipeline represents, if the pipeline is a single operand."""
        match pipe.commands:
            case (nodes.Command(operands=(operand,)),):
                return self._resolve_operand(operand, bindings)
            case _:
                return None

    def _visit_pipe(self, pipe: nodes.Pipe, bindings: _Bindings) -> None:
        """Visit a pipeline of which the complete value is read."""
        for command in pipe.commands:
            self._visit_command(command, bindings)
        if not pipe.is_assignment:
            self._declare_variables(pipe.variables, bindings)

    def _declare_variables(self, variables: Sequence[nodes.Variable], bindings: _Bindings) -> None:
        """Declare variables without a known part; a hidden variable is read completely."""
        for variable in variables:
            hidden = bindings.get(variable.name)
            if hidden:
                hidden.node.complete()
            bindings[variable.name] = None

    def _visit_command(self, command: nodes.Command, bindings: _Bindings) -> None:
        first, *arguments = command.operands
        dependencies: tuple[Dependency, ...] = ()
        if isinstance(first, nodes.Identifier):
            dependencies = self._find_dependencies(first.name)
        else:
            self._visit_operand(first, bindings)
        for index, operand in enumerate(arguments):
            paths = [
                _resolve_path(dependency, arguments)
                for dependency in dependencies
                if dependency.argument == index
            ]
            self._visit_operand(operand, bindings, paths or ((),))

    def _find_dependencies(self, name: str) -> tuple[Dependency, ...]:
        return self.functions[name].dependencies

    def _visit_operand(
        self, node: nodes.Operand, bindings: _Bindings, paths: Sequence[_Path] = ((),)
    ) -> None:
        """Visit an operand of which the given parts are read; by default, the complete value."""
        match node:
            case nodes.Dot() | nodes.Field() | nodes.Variable():
                part = self._resolve_operand(node, bindings)
                for path in paths:
                    self._record_read(part, path)
            case nodes.Chain():
                self._visit_operand(node.node, bindings)
            case nodes.Pipe():
                self._visit_pipe(node, bindings)
            case nodes.Identifier() | nodes.Bool() | nodes.Nil() | nodes.Number() | nodes.String():
                pass
            case _:
                assert_never(node)

    def _record_read(self, part: _TypedNode | None, path: _Path) -> None:
        for step in path:
            part = self._resolve_step(part, step)
        if part:
            part.node.complete()

    def _resolve_operand(self, node: nodes.Operand, bindings: _Bindings) -> _TypedNode | None:
        """The part that an operand represents; ``None`` if it was read completely before."""
        match node:
            case nodes.Dot():
                return bindings[_DOT]
            case nodes.Field():
                part = bindings[_DOT]
            case nodes.Variable():
                part = bindings.get(node.name)
            case _:
                return None
        for name in node.names:
            part = self._resolve_step(part, name)
        return part

    def _resolve_step(self, part: _TypedNode | None, step: str | Elements) -> _TypedNode | None:
        """The part at a step; if the step is unknown, the complete value is read."""
        if part is None:
            return None
        type_ = part.type
        if type_.kind is Kind.POINTER and type_.elem and type_ not in self.opaque:
            type_ = type_.elem
        child = None if type_ in self.opaque else _child_node(part.node, type_, step)
        if child is None:
            part.node.complete()
        return child


def _child_node(node: _DependencyNode, type_: GoType, step: str | Elements) -> _TypedNode | None:
    """A field, an element of a map, or all elements of a list; ``None`` for a method."""
    match step, type_.kind:
        case str(), Kind.STRUCT:
            path = type_.field_path(step) or ()
            if len(path) == 1 and not path[0].inline:
                return _TypedNode(node.member(path[0].json), path[0].type)
        case str(), Kind.MAP if type_.key is STRING and type_.elem:
            return _TypedNode(node.member(step), type_.elem)
        case Elements(), Kind.SLICE if type_.elem:
            return _TypedNode(node.element(), type_.elem)
        case _:
            pass
    return None


# Functions that return their arguments unchanged or between other text, or test only whether a
# value is empty.
_PRINTING = frozenset(
    """
    and annotation append coalesce concat default first indent initial last list mergeMaps nindent
    not omitNil or prepend print printf println protoToJSON quote required rest squote structToJSON
    toJSON toJson toJsonMap toPrettyJson toRawJson toYaml tuple valueOrDefault
    """.split()  # noqa: SIM905 - a list of strings would be a page long
)


_KEY_READERS: Mapping[str, tuple[Dependency, ...]] = dict.fromkeys(
    ("get", "hasKey"), (Dependency(0, (KeyArgument(1),)),)
)


class _ReadLog:
    """The reads so far, and the statement that is visited."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.reads: dict[FieldRead, None] = {}
        self.is_printing = False
        self.position = 0

    def record(self, path: tuple[str, ...]) -> None:
        """Record a read of the statement."""
        if not self.is_printing:
            self.reads[FieldRead(self._source.name, path)] = None
            return
        line = self._line()
        self.reads[FieldRead(self._source.name, path, ReadKind.PRINTED, line)] = None

    def _line(self) -> str:
        text = self._source.text
        start = text.rfind("\n", 0, self.position) + 1
        end = text.find("\n", self.position)
        return text[start : len(text) if end < 0 else end].strip()


class _LoggedNode(_DependencyNode, eq=False, kw_only=True):
    """A part that logs when it is read."""

    log: _ReadLog
    path: tuple[str, ...] = ()

    def complete(self) -> None:
        """Log the read."""
        self.is_complete = True
        self.log.record(self.path)

    def member(self, key: str) -> _DependencyNode:
        if key not in self.members:
            self.members[key] = _LoggedNode(log=self.log, path=(*self.path, key))
        return self.members[key]

    def element(self) -> _DependencyNode:
        if self.elements is None:
            self.elements = _LoggedNode(log=self.log, path=(*self.path, EACH))
        return self.elements


class _ReadVisitor(_DependencyVisitor, frozen=True):
    """One pass over a parse tree, which distinguishes values that are only printed.

    A value that a variable or a dot represents without its part can be tested later, so it counts
    as tested.
    """

    log: _ReadLog

    def _visit_action(self, pipe: nodes.Pipe, bindings: _Bindings) -> None:
        self._set(pipe, is_printing=not pipe.variables)
        super()._visit_action(pipe, bindings)
        self.log.is_printing = False

    def _visit_branch(self, node: nodes.Branch, bindings: _Bindings) -> None:
        is_with = node.control is nodes.Control.WITH
        part = self._resolve_alias(node.pipe, bindings) if is_with else None
        self._set(node.pipe, is_printing=not is_with and not node.pipe.variables)
        if part is None or node.pipe.variables:
            self._visit_pipe(node.pipe, bindings)
        self.log.is_printing = False
        inner = {_DOT: None if node.pipe.variables else part} if is_with else {}
        self.visit_statements(node.body, {**bindings, **inner})
        self.visit_statements(node.else_body or (), bindings)

    def _resolve_alias(self, pipe: nodes.Pipe, bindings: _Bindings) -> _TypedNode | None:
        """The part that the dot of ``with`` represents; that of ``first`` is an element."""
        match pipe.commands:
            case (nodes.Command(operands=(nodes.Identifier(name="first" | "last"), operand)),):
                part = self._resolve_operand(operand, bindings)
                is_list = part is not None and part.type.kind is Kind.SLICE
                return self._resolve_step(part, ALL_ELEMENTS) if is_list else None
            case _:
                return self._single_operand(pipe, bindings)

    def _find_dependencies(self, name: str) -> tuple[Dependency, ...]:
        return _KEY_READERS.get(name) or super()._find_dependencies(name)

    def _set(self, pipe: nodes.Pipe, *, is_printing: bool) -> None:
        self.log.is_printing = is_printing
        self.log.position = pipe.start

    def _visit_pipe(self, pipe: nodes.Pipe, bindings: _Bindings) -> None:
        """Visit a pipeline; a function that can test its arguments tests those of the pipeline."""
        before = self.log.is_printing
        names = (command.operands[0] for command in pipe.commands)
        self.log.is_printing = before and all(
            name.name in _PRINTING for name in names if isinstance(name, nodes.Identifier)
        )
        super()._visit_pipe(pipe, bindings)
        self.log.is_printing = before


def _resolve_path(dependency: Dependency, arguments: Sequence[nodes.Operand]) -> _Path:
    """The path with constant names; it ends at a name that only execution determines."""
    path: list[str | Elements] = []
    for step in dependency.path:
        if isinstance(step, KeyArgument):
            key = arguments[step.argument] if step.argument < len(arguments) else None
            if not isinstance(key, nodes.String):
                break
            path.append(key.text)
        else:
            path.append(step)
    return path
