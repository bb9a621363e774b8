"""What a template can read of its data, found without running it.

A footprint keeps, of an object, what a template may look at, and leaves out the rest: what the
template writes for the one it writes for the other. It is what a rendering can be remembered by.

Found by following fields from the dot, into the elements of ranges and into templates that are
called. What is handed to a function, printed, tested or assigned is read whole, unless the function
says what it reads (``Function.reads``); so is whatever is not understood.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field
from typing import TypeAlias, assert_never

from podgraft.go.reflect import STRING, GoType, Kind, Value
from podgraft.lazy_dataclass import dataclass

from .functions import ALL_ELEMENTS, Dependency, Elements, Function, KeyArgument
from .parse import nodes

Projection: TypeAlias = Callable[[Value], Value]


def compute_projection(
    templates: Mapping[str, nodes.Template],
    main: str,
    functions: Mapping[str, Function],
    data: GoType,
    opaque: Collection[GoType],
) -> Projection:
    """What rendering ``main`` can read of raw data of the struct type ``data``.

    Types that are ``opaque`` are read whole: their views hold something else than their raw JSON.
    """
    root = _DependencyNode()
    place = _TypedNode(root, data)
    walk = _DependencyVisitor(templates, functions, frozenset(opaque), [main])
    walk.visit_statements(templates[main].body, {"$": place, _DOT: place})
    called = {name for template in templates.values() for name in template.calls}
    root.whole |= any(functions[name].uses_dot for name in called)
    return _build_projection(root)


@dataclass(slots=True, eq=False)
class _DependencyNode:
    """What is read of one value: all of it, or members of an object, or parts of each element."""

    whole: bool = False
    members: dict[str, _DependencyNode] = field(default_factory=dict[str, "_DependencyNode"])
    elements: _DependencyNode | None = None

    def member(self, key: str) -> _DependencyNode:
        return self.members.setdefault(key, _DependencyNode())

    def element(self) -> _DependencyNode:
        if self.elements is None:
            self.elements = _DependencyNode()
        return self.elements


def _build_projection(part: _DependencyNode) -> Projection:
    """A function that keeps of a raw value what is read of it."""
    if part.whole:
        return _identity
    members = [(key, _build_projection(each)) for key, each in sorted(part.members.items())]
    element = _build_projection(part.elements) if part.elements else None

    def project(raw: Value) -> Value:
        if raw.__class__ is dict:
            return {key: keep(raw[key]) for key, keep in members if key in raw}
        if raw.__class__ is list and element:
            return [*map(element, raw)]
        return raw

    return project


def _identity(raw: Value) -> Value:
    return raw


@dataclass(frozen=True, slots=True)
class _TypedNode:
    """A part of the data that an expression stands for, and its type."""

    node: _DependencyNode
    type: GoType


_DOT = "."
_Bindings: TypeAlias = "dict[str, _TypedNode | None]"  # what dot and variables stand for
_Path: TypeAlias = "Sequence[str | Elements]"


@dataclass(frozen=True, slots=True)
class _DependencyVisitor:
    """One pass over a parse tree, which notes what is read."""

    templates: Mapping[str, nodes.Template]
    functions: Mapping[str, Function]
    opaque: frozenset[GoType]
    active_templates: list[str]

    def visit_statements(self, body: nodes.Nodes, known: _Bindings) -> None:
        """A list of statements; what it declares, ``known`` learns."""
        for node in body:
            match node:
                case nodes.Action():
                    self._visit_pipe(node.pipe, known)
                case nodes.Branch(control=nodes.Control.RANGE):
                    self._visit_range(node, {**known})
                case nodes.Branch():
                    self._visit_branch(node, {**known})
                case nodes.Invocation():
                    self._visit_invocation(node, known)
                case nodes.Text() | nodes.Break() | nodes.Continue():
                    pass
                case _:
                    assert_never(node)

    def _visit_invocation(self, node: nodes.Invocation, known: _Bindings) -> None:
        """Another template's body: its dot is what it is handed, and its only way to the data."""
        place = self._single_operand(node.pipe, known) if node.pipe else None
        if place and node.name in self.templates and node.name not in self.active_templates:
            self.active_templates.append(node.name)
            self.visit_statements(self.templates[node.name].body, {"$": place, _DOT: place})
            self.active_templates.pop()
        elif node.pipe:
            self._visit_pipe(node.pipe, known)

    def _visit_branch(self, node: nodes.Branch, known: _Bindings) -> None:
        self._visit_pipe(node.pipe, known)
        within = {_DOT: None} if node.control is nodes.Control.WITH else {}
        self.visit_statements(node.body, {**known, **within})
        self.visit_statements(node.else_body or (), known)

    def _visit_range(self, node: nodes.Branch, known: _Bindings) -> None:
        element = self._range_element(node, known)
        if element is None:
            self._visit_pipe(node.pipe, known)
        self._declare_variables(node.pipe.variables, known)
        within = {variable.name: element for variable in node.pipe.variables[-1:]}
        self.visit_statements(node.body, {**known, **within, _DOT: element})
        self.visit_statements(node.else_body or (), known)

    def _range_element(self, node: nodes.Branch, known: _Bindings) -> _TypedNode | None:
        """What an element of a range stands for, where the range visits a list of the data."""
        place = None if node.pipe.is_assignment else self._single_operand(node.pipe, known)
        return (
            self._resolve_step(place, ALL_ELEMENTS)
            if place and place.type.kind is Kind.SLICE
            else None
        )

    def _single_operand(self, pipe: nodes.Pipe, known: _Bindings) -> _TypedNode | None:
        """What a pipeline stands for that is nothing but an operand."""
        match pipe.commands:
            case (nodes.Command(operands=(operand,)),):
                return self._resolve_operand(operand, known)
            case _:
                return None

    def _visit_pipe(self, pipe: nodes.Pipe, known: _Bindings) -> None:
        """A pipeline whose value is read whole."""
        for command in pipe.commands:
            self._visit_command(command, known)
        if not pipe.is_assignment:
            self._declare_variables(pipe.variables, known)

    def _declare_variables(self, variables: Sequence[nodes.Variable], known: _Bindings) -> None:
        """New variables, which stand for no place; those they hide may still be what is meant."""
        for variable in variables:
            hidden = known.get(variable.name)
            if hidden:
                hidden.node.whole = True
            known[variable.name] = None

    def _visit_command(self, command: nodes.Command, known: _Bindings) -> None:
        first, *arguments = command.operands
        reads: tuple[Dependency, ...] = ()
        if isinstance(first, nodes.Identifier):
            reads = self.functions[first.name].dependencies
        else:
            self._visit_operand(first, known)
        for at, operand in enumerate(arguments):
            paths = [_resolve_path(read, arguments) for read in reads if read.argument == at]
            self._visit_operand(operand, known, paths or ((),))

    def _visit_operand(
        self, node: nodes.Operand, known: _Bindings, paths: Sequence[_Path] = ((),)
    ) -> None:
        """An operand of which parts are read: the whole, if nothing else is said."""
        match node:
            case nodes.Dot() | nodes.Field() | nodes.Variable():
                place = self._resolve_operand(node, known)
                for path in paths:
                    self._record_read(place, path)
            case nodes.Chain():
                self._visit_operand(node.node, known)
            case nodes.Pipe():
                self._visit_pipe(node, known)
            case nodes.Identifier() | nodes.Bool() | nodes.Nil() | nodes.Number() | nodes.String():
                pass
            case _:
                assert_never(node)

    def _record_read(self, place: _TypedNode | None, path: _Path) -> None:
        for step in path:
            place = self._resolve_step(place, step)
        if place:
            place.node.whole = True

    def _resolve_operand(self, node: nodes.Operand, known: _Bindings) -> _TypedNode | None:
        """What an operand stands for among the data; none, if that was read whole before."""
        match node:
            case nodes.Dot():
                return known[_DOT]
            case nodes.Field():
                place = known[_DOT]
            case nodes.Variable():
                place = known.get(node.name)
            case _:
                return None
        for name in node.names:
            place = self._resolve_step(place, name)
        return place

    def _resolve_step(self, place: _TypedNode | None, step: str | Elements) -> _TypedNode | None:
        """A part of a place; where there is no telling which one, all of it is read."""
        if place is None:
            return None
        type_ = place.type
        if type_.kind is Kind.POINTER and type_.elem and type_ not in self.opaque:
            type_ = type_.elem
        part = None if type_ in self.opaque else _child_node(place.node, type_, step)
        place.node.whole = place.node.whole or part is None
        return part


def _child_node(whole: _DependencyNode, type_: GoType, step: str | Elements) -> _TypedNode | None:
    """A field, an element of a map, or all elements of a list; none of them for a method."""
    match step, type_.kind:
        case str(), Kind.STRUCT:
            found = type_.field_path(step) or ()
            if len(found) == 1 and not found[0].inline:
                return _TypedNode(whole.member(found[0].json), found[0].type)
        case str(), Kind.MAP if type_.key is STRING and type_.elem:
            return _TypedNode(whole.member(step), type_.elem)
        case Elements(), Kind.SLICE if type_.elem:
            return _TypedNode(whole.element(), type_.elem)
        case _:
            pass
    return None


def _resolve_path(read: Dependency, arguments: Sequence[nodes.Operand]) -> _Path:
    """The path with its names; it ends where one is not known before the template runs."""
    path: list[str | Elements] = []
    for step in read.path:
        if isinstance(step, KeyArgument):
            named = arguments[step.argument] if step.argument < len(arguments) else None
            if not isinstance(named, nodes.String):
                break
            path.append(named.text)
        else:
            path.append(step)
    return path
