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
from typing import Final, TypeAlias, assert_never

from msgspec import Struct, field

from podgraft.base.field_reads import EACH
from podgraft.golang.reflect import STRING, GoType, Kind, Value

from .functions import Dependency, Function, KeyArgument
from .parse import nodes
from .variables import find_variables

Projection: TypeAlias = Callable[[Value], Value]
DOT: Final = "."


def find_dependencies(
    templates: Mapping[str, nodes.Template],
    main: str,
    functions: Mapping[str, Function],
    data: GoType,
    opaque: Collection[GoType],
) -> Sequence[DependencyNode]:
    """What each statement of the body of ``main`` reads of raw data of type ``data``.

    ``opaque`` types are read completely, because their views differ from their raw JSON. If a
    function reads all data, so does each statement.
    """
    called = {name for template in templates.values() for name in template.calls}
    is_complete = any(functions[name].uses_dot for name in called)
    walk = DependencyVisitor(templates, functions, frozenset(opaque), [main])
    aliases: dict[str, _Path] = {}
    roots: list[DependencyNode] = []
    for statement in templates[main].body:
        root = DependencyNode(is_complete=is_complete)
        part = TypedNode(root, data)
        bindings: Bindings = {"$": part, DOT: part}
        for name in find_variables(statement).used & aliases.keys():
            bindings[name] = walk.resolve_path(part, aliases[name])
        walk.visit_statements((statement,), bindings)
        _update_aliases(aliases, statement, bindings)
        roots.append(root)
    return roots


def declares_alias(statement: nodes.Statement) -> bool:
    """Whether a statement declares a variable that can stand for a part of the data."""
    match statement:
        case nodes.Action(
            pipe=nodes.Pipe(
                variables=[_],
                is_assignment=False,
                commands=[nodes.Command(operands=[nodes.Dot() | nodes.Field() | nodes.Variable()])],
            )
        ):
            return True
        case _:
            return False


def _update_aliases(
    aliases: dict[str, _Path], statement: nodes.Statement, bindings: Bindings
) -> None:
    """Add or remove the variable that a statement of the body declares."""
    if not isinstance(statement, nodes.Action) or statement.pipe.is_assignment:
        return
    path: _Path | None = None
    if declares_alias(statement):
        match statement.pipe.commands[0].operands[0]:
            case nodes.Field(names=names):
                path = names
            case nodes.Variable(name="$", names=names):
                path = names
            case nodes.Variable(name=name, names=names) if name in aliases:
                path = (*aliases[name], *names)
            case nodes.Dot():
                path = ()
            case _:
                pass
    for variable in statement.pipe.variables:
        aliases.pop(variable.name, None)
        if path is not None and bindings.get(variable.name) is not None:
            aliases[variable.name] = path


class DependencyNode(Struct, eq=False):
    """The part of one value that is read: the complete value, or members.

    The member ``EACH`` of a list is the part of each element.
    """

    is_complete: bool = False
    members: dict[str, DependencyNode] = field(default_factory=dict[str, "DependencyNode"])

    def complete(self) -> None:
        """Record that the complete value is read."""
        self.is_complete = True

    def member(self, key: str) -> DependencyNode:
        """Return the part under a key."""
        return self.members.setdefault(key, DependencyNode())


def build_projection(parts: Sequence[DependencyNode]) -> Projection:
    """Return a function that keeps the parts of a raw value that are read."""
    if any(part.is_complete for part in parts):
        return lambda raw: raw
    by_key: dict[str, list[DependencyNode]] = {}
    for part in parts:
        for key, member in part.members.items():
            by_key.setdefault(key, []).append(member)
    members = [(key, build_projection(read)) for key, read in sorted(by_key.items())]
    element = dict(members).get(EACH)

    def project(raw: Value) -> Value:
        if raw.__class__ is dict:
            return {key: project_member(raw[key]) for key, project_member in members if key in raw}
        if raw.__class__ is list and element:
            return [*map(element, raw)]
        return raw

    return project


class TypedNode(Struct, frozen=True):
    """The part of the data that an expression represents, and its type."""

    node: DependencyNode
    type: GoType


Bindings: TypeAlias = "dict[str, TypedNode | None]"  # the values of dot and variables
_Path: TypeAlias = "Sequence[str]"


class DependencyVisitor(Struct, frozen=True):
    """One pass over a parse tree, which records the parts that are read."""

    templates: Mapping[str, nodes.Template]
    functions: Mapping[str, Function]
    opaque: frozenset[GoType]
    active_templates: list[str]

    def visit_statements(self, body: nodes.Nodes, bindings: Bindings) -> None:
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
                case nodes.Text() | nodes.Jump():
                    pass
                case _:
                    assert_never(node)

    def _visit_action(self, pipe: nodes.Pipe, bindings: Bindings) -> None:
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

    def _visit_invocation(self, node: nodes.Invocation, bindings: Bindings) -> None:
        """Visit the body of an invoked template; its argument is its dot."""
        part = self._single_operand(node.pipe, bindings) if node.pipe else None
        if part and node.name in self.templates and node.name not in self.active_templates:
            self.active_templates.append(node.name)
            self.visit_statements(self.templates[node.name].body, {"$": part, DOT: part})
            self.active_templates.pop()
        elif node.pipe:
            self._visit_pipe(node.pipe, bindings)

    def _visit_branch(self, node: nodes.Branch, bindings: Bindings) -> None:
        self._visit_pipe(node.pipe, bindings)
        inner = {DOT: None} if node.control is nodes.Control.WITH else {}
        self.visit_statements(node.body, {**bindings, **inner})
        self.visit_statements(node.else_body or (), bindings)

    def _visit_range(self, node: nodes.Branch, bindings: Bindings) -> None:
        element = self._range_element(node, bindings)
        if element is None:
            self._visit_pipe(node.pipe, bindings)
        self._declare_variables(node.pipe.variables, bindings)
        inner = {variable.name: element for variable in node.pipe.variables[-1:]}
        self.visit_statements(node.body, {**bindings, **inner, DOT: element})
        self.visit_statements(node.else_body or (), bindings)

    def _range_element(self, node: nodes.Branch, bindings: Bindings) -> TypedNode | None:
        """The part that an element of a range represents, if it is a list of the data."""
        part = None if node.pipe.is_assignment else self._single_operand(node.pipe, bindings)
        return self._resolve_step(part, EACH) if part and part.type.kind is Kind.SLICE else None

    def _single_operand(self, pipe: nodes.Pipe, bindings: Bindings) -> TypedNode | None:
        """The part that a pipeline represents, if the pipeline is a single operand."""
        match pipe.commands:
            case (nodes.Command(operands=(operand,)),):
                return self._resolve_operand(operand, bindings)
            case _:
                return None

    def _visit_pipe(self, pipe: nodes.Pipe, bindings: Bindings) -> None:
        """Visit a pipeline of which the complete value is read."""
        for command in pipe.commands:
            self._visit_command(command, bindings)
        if not pipe.is_assignment:
            self._declare_variables(pipe.variables, bindings)

    def _declare_variables(self, variables: Sequence[nodes.Variable], bindings: Bindings) -> None:
        """Declare variables without a known part; a hidden variable is read completely."""
        for variable in variables:
            hidden = bindings.get(variable.name)
            if hidden:
                hidden.node.complete()
            bindings[variable.name] = None

    def _visit_command(self, command: nodes.Command, bindings: Bindings) -> None:
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
        self, node: nodes.Operand, bindings: Bindings, paths: Sequence[_Path] = ((),)
    ) -> None:
        """Visit an operand of which the given parts are read; by default, the complete value."""
        match node:
            case nodes.Dot() | nodes.Field() | nodes.Variable():
                part = self._resolve_operand(node, bindings)
                for end in (self.resolve_path(part, path) for path in paths):
                    if end is not None:
                        end.node.complete()
            case nodes.Chain():
                self._visit_operand(node.node, bindings)
            case nodes.Pipe():
                self._visit_pipe(node, bindings)
            case nodes.Identifier() | nodes.Bool() | nodes.Nil() | nodes.Number() | nodes.String():
                pass
            case _:
                assert_never(node)

    def _resolve_operand(self, node: nodes.Operand, bindings: Bindings) -> TypedNode | None:
        """The part that an operand represents; ``None`` if it was read completely before."""
        match node:
            case nodes.Dot():
                return bindings[DOT]
            case nodes.Field():
                part = bindings[DOT]
            case nodes.Variable():
                part = bindings.get(node.name)
            case _:
                return None
        return self.resolve_path(part, node.names)

    def resolve_path(self, part: TypedNode | None, path: _Path) -> TypedNode | None:
        """The part at the end of a path."""
        for step in path:
            part = self._resolve_step(part, step)
        return part

    def _resolve_step(self, part: TypedNode | None, step: str) -> TypedNode | None:
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


def _child_node(node: DependencyNode, type_: GoType, step: str) -> TypedNode | None:
    """A field, an element of a map, or all elements of a list; ``None`` for a method."""
    match type_.kind:
        case Kind.STRUCT:
            path = type_.field_path(step) or ()
            if len(path) == 1 and not path[0].inline:
                return TypedNode(node.member(path[0].json), path[0].type)
        case Kind.MAP if type_.key is STRING and type_.elem:
            return TypedNode(node.member(step), type_.elem)
        case Kind.SLICE if step == EACH and type_.elem:
            return TypedNode(node.member(EACH), type_.elem)
        case _:
            pass
    return None


def _resolve_path(dependency: Dependency, arguments: Sequence[nodes.Operand]) -> _Path:
    """The path with constant names; it ends at a name that only execution determines."""
    path: list[str] = []
    for step in dependency.path:
        if isinstance(step, KeyArgument):
            key = arguments[step.argument] if step.argument < len(arguments) else None
            if not isinstance(key, nodes.String):
                break
            path.append(key.text)
        else:
            path.append(step)
    return path
