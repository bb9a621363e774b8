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

from podgraft.govalue import STRING, GoType, Kind, Value
from podgraft.records import dataclass

from . import nodes
from .functions import EACH, Elements, Function, Named, Read

Footprint: TypeAlias = Callable[[Value], Value]


def footprint(
    templates: Mapping[str, nodes.Template],
    main: str,
    functions: Mapping[str, Function],
    data: GoType,
    opaque: Collection[GoType],
) -> Footprint:
    """What rendering ``main`` can read of raw data of the struct type ``data``.

    Types that are ``opaque`` are read whole: their views hold something else than their raw JSON.
    """
    root = _Part()
    place = _Place(root, data)
    walk = _Walk(templates, functions, frozenset(opaque), [main])
    walk.statements(templates[main].body, {"$": place, _DOT: place})
    called = {name for template in templates.values() for name in template.calls}
    root.whole |= any(functions[name].ambient for name in called)
    return _keeping(root)


@dataclass(slots=True, eq=False)
class _Part:
    """What is read of one value: all of it, or members of an object, or parts of each element."""

    whole: bool = False
    members: dict[str, _Part] = field(default_factory=dict[str, "_Part"])
    each: _Part | None = None

    def member(self, key: str) -> _Part:
        return self.members.setdefault(key, _Part())

    def element(self) -> _Part:
        if self.each is None:
            self.each = _Part()
        return self.each


def _keeping(part: _Part) -> Footprint:
    """A function that keeps of a raw value what is read of it."""
    if part.whole:
        return _same
    members = [(key, _keeping(each)) for key, each in sorted(part.members.items())]
    element = _keeping(part.each) if part.each else None

    def kept(raw: Value) -> Value:
        if raw.__class__ is dict:
            return {key: keep(raw[key]) for key, keep in members if key in raw}
        if raw.__class__ is list and element:
            return [*map(element, raw)]
        return raw

    return kept


def _same(raw: Value) -> Value:
    return raw


@dataclass(frozen=True, slots=True)
class _Place:
    """A part of the data that an expression stands for, and its type."""

    part: _Part
    type: GoType


_DOT = "."
_Known: TypeAlias = "dict[str, _Place | None]"  # what dot and variables stand for
_Path: TypeAlias = "Sequence[str | Elements]"


@dataclass(frozen=True, slots=True)
class _Walk:
    """One pass over a parse tree, which notes what is read."""

    templates: Mapping[str, nodes.Template]
    functions: Mapping[str, Function]
    opaque: frozenset[GoType]
    inside: list[str]

    def statements(self, body: nodes.Nodes, known: _Known) -> None:
        """A list of statements; what it declares, ``known`` learns."""
        for node in body:
            match node:
                case nodes.Action():
                    self._pipe(node.pipe, known)
                case nodes.Branch(control=nodes.Control.RANGE):
                    self._range(node, {**known})
                case nodes.Branch():
                    self._branch(node, {**known})
                case nodes.Invocation():
                    self._invocation(node, known)
                case nodes.Text() | nodes.Break() | nodes.Continue():
                    pass
                case _:
                    assert_never(node)

    def _invocation(self, node: nodes.Invocation, known: _Known) -> None:
        """Another template's body: its dot is what it is handed, and its only way to the data."""
        place = self._sole(node.pipe, known) if node.pipe else None
        if place and node.name in self.templates and node.name not in self.inside:
            self.inside.append(node.name)
            self.statements(self.templates[node.name].body, {"$": place, _DOT: place})
            self.inside.pop()
        elif node.pipe:
            self._pipe(node.pipe, known)

    def _branch(self, node: nodes.Branch, known: _Known) -> None:
        self._pipe(node.pipe, known)
        within = {_DOT: None} if node.control is nodes.Control.WITH else {}
        self.statements(node.body, {**known, **within})
        self.statements(node.otherwise or (), known)

    def _range(self, node: nodes.Branch, known: _Known) -> None:
        element = self._element(node, known)
        if element is None:
            self._pipe(node.pipe, known)
        self._declare(node.pipe.declared, known)
        within = {variable.name: element for variable in node.pipe.declared[-1:]}
        self.statements(node.body, {**known, **within, _DOT: element})
        self.statements(node.otherwise or (), known)

    def _element(self, node: nodes.Branch, known: _Known) -> _Place | None:
        """What an element of a range stands for, where the range visits a list of the data."""
        place = None if node.pipe.assigns else self._sole(node.pipe, known)
        return self._step(place, EACH) if place and place.type.kind is Kind.SLICE else None

    def _sole(self, pipe: nodes.Pipe, known: _Known) -> _Place | None:
        """What a pipeline stands for that is nothing but an operand."""
        match pipe.commands:
            case (nodes.Command(operands=(operand,)),):
                return self._place(operand, known)
            case _:
                return None

    def _pipe(self, pipe: nodes.Pipe, known: _Known) -> None:
        """A pipeline whose value is read whole."""
        for command in pipe.commands:
            self._command(command, known)
        if not pipe.assigns:
            self._declare(pipe.declared, known)

    def _declare(self, variables: Sequence[nodes.Variable], known: _Known) -> None:
        """New variables, which stand for no place; those they hide may still be what is meant."""
        for variable in variables:
            hidden = known.get(variable.name)
            if hidden:
                hidden.part.whole = True
            known[variable.name] = None

    def _command(self, command: nodes.Command, known: _Known) -> None:
        first, *arguments = command.operands
        reads: tuple[Read, ...] = ()
        if isinstance(first, nodes.Identifier):
            reads = self.functions[first.name].reads
        else:
            self._operand(first, known)
        for at, operand in enumerate(arguments):
            paths = [_resolved(read, arguments) for read in reads if read.argument == at]
            self._operand(operand, known, paths or ((),))

    def _operand(self, node: nodes.Operand, known: _Known, paths: Sequence[_Path] = ((),)) -> None:
        """An operand of which parts are read: the whole, if nothing else is said."""
        match node:
            case nodes.Dot() | nodes.Field() | nodes.Variable():
                place = self._place(node, known)
                for path in paths:
                    self._read(place, path)
            case nodes.Chain():
                self._operand(node.node, known)
            case nodes.Pipe():
                self._pipe(node, known)
            case nodes.Identifier() | nodes.Bool() | nodes.Nil() | nodes.Number() | nodes.String():
                pass
            case _:
                assert_never(node)

    def _read(self, place: _Place | None, path: _Path) -> None:
        for step in path:
            place = self._step(place, step)
        if place:
            place.part.whole = True

    def _place(self, node: nodes.Operand, known: _Known) -> _Place | None:
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
            place = self._step(place, name)
        return place

    def _step(self, place: _Place | None, step: str | Elements) -> _Place | None:
        """A part of a place; where there is no telling which one, all of it is read."""
        if place is None:
            return None
        type_ = place.type
        if type_.kind is Kind.POINTER and type_.elem and type_ not in self.opaque:
            type_ = type_.elem
        part = None if type_ in self.opaque else _part(place.part, type_, step)
        place.part.whole = place.part.whole or part is None
        return part


def _part(whole: _Part, type_: GoType, step: str | Elements) -> _Place | None:
    """A field, an element of a map, or all elements of a list; none of them for a method."""
    match step, type_.kind:
        case str(), Kind.STRUCT:
            found = type_.selector(step) or ()
            if len(found) == 1 and not found[0].inline:
                return _Place(whole.member(found[0].json), found[0].type)
        case str(), Kind.MAP if type_.key is STRING and type_.elem:
            return _Place(whole.member(step), type_.elem)
        case Elements(), Kind.SLICE if type_.elem:
            return _Place(whole.element(), type_.elem)
        case _:
            pass
    return None


def _resolved(read: Read, arguments: Sequence[nodes.Operand]) -> _Path:
    """The path with its names; it ends where one is not known before the template runs."""
    path: list[str | Elements] = []
    for step in read.path:
        if isinstance(step, Named):
            named = arguments[step.argument] if step.argument < len(arguments) else None
            if not isinstance(named, nodes.String):
                break
            path.append(named.text)
        else:
            path.append(step)
    return path
