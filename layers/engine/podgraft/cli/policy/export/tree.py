"""The partial object of a template as a tree whose parts depend on the object."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from yaml.error import YAMLError
from yaml.events import (
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from podgraft.base.jsonvalue import JSON
from podgraft.cli.register import cel
from podgraft.kube.yaml import NotYAMLError, events
from podgraft.kube.yaml.scalars import resolve

from .symbolic import TOKEN, Guard, Loop, SymbolicText
from .values import ExportError, Expression


@dataclass(frozen=True, slots=True)
class Scalar:
    """A constant."""

    value: JSON


@dataclass(frozen=True, slots=True)
class Text:
    """Text of the object, as an expression of CEL."""

    expression: Expression

    @property
    def literal(self) -> str:
        """The expression."""
        return self.expression.text


@dataclass(frozen=True, slots=True)
class Member:
    """An entry of a map (with a key) or of a list, and the guards that it depends on."""

    key: Scalar | Text | None
    value: Node
    guards: tuple[Guard, ...]


@dataclass(frozen=True, slots=True)
class Map:
    """A map."""

    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list; ``can_be_null`` if a block can have no members."""

    members: tuple[Member, ...]
    can_be_null: bool = False


Node: TypeAlias = Scalar | Text | Map | Sequence


def parse(symbolic: SymbolicText) -> Map:
    """Parse the text of a template; raises ``ExportError``."""
    try:
        return _Parser(symbolic, events.event_reader(symbolic.text)).parse()
    except YAMLError as error:
        problem = events.to_yaml_error(symbolic.text, error)
        raise ExportError(f"its text without an object is no YAML: {problem}") from error
    except NotYAMLError as error:
        raise ExportError(f"its text without an object is no YAML: {error}") from error


@dataclass(slots=True)
class _Parser:
    symbolic: SymbolicText
    next: Callable[[], Event]

    def parse(self) -> Map:
        """Parse the only document."""
        documents: list[Node] = []
        self.next()
        while not isinstance(event := self.next(), StreamEndEvent):
            if events.is_document_start(event):
                documents.append(self._parse_root(self.next()))
        match documents:
            case [] | [Scalar(value=None)]:
                return Map(())
            case [Map() as root]:
                return root
            case _:
                raise ExportError("it gives no single mapping")

    def _parse_root(self, event: Event) -> Node:
        """Parse the root, which can be empty."""
        if isinstance(event, MappingStartEvent):
            return Map(tuple(self._parse_pairs(frozenset())))
        return self._parse_node(event, frozenset())

    def _parse_node(self, event: Event, outer: frozenset[int]) -> Node:
        """Parse a node inside the regions *outer*."""
        if getattr(event, "anchor", None) or not isinstance(
            event, ScalarEvent | MappingStartEvent | SequenceStartEvent
        ):
            raise ExportError("it has anchors of YAML")
        if isinstance(event, ScalarEvent):
            if event.tag:
                raise ExportError("it has tags of YAML")
            return self._parse_scalar(event, outer)
        is_map = isinstance(event, MappingStartEvent)
        members = tuple(self._parse_pairs(outer) if is_map else self._parse_elements(outer))
        can_be_null = not event.flow_style and _can_be_empty(members)
        if is_map and can_be_null:
            raise ExportError("a map can become empty, and null removes it: write it as {…}")
        return Map(members) if is_map else Sequence(members, can_be_null)

    def _parse_pairs(self, outer: frozenset[int]) -> Iterator[Member]:
        while not isinstance(event := self.next(), MappingEndEvent):
            inside = self._find_regions(event, outer)
            key = self._parse_node(event, inside)
            if not isinstance(key, Scalar | Text):
                raise ExportError("it has a key that is no scalar")
            value = self._parse_value(self.next(), inside)
            yield Member(key, value, self._find_guards(inside - outer))

    def _parse_value(self, event: Event, inside: frozenset[int]) -> Node:
        """The value of a key: in the same regions, but a block collection begins with a member."""
        if isinstance(event, ScalarEvent) and self._find_regions(event, inside) != inside:
            raise ExportError("a condition decides on the value of a key, but not on the key")
        return self._parse_node(event, inside)

    def _parse_elements(self, outer: frozenset[int]) -> Iterator[Member]:
        while not isinstance(event := self.next(), SequenceEndEvent):
            inside = self._find_regions(event, outer)
            value = self._parse_node(event, inside)
            yield Member(None, value, self._find_guards(inside - outer))

    def _find_regions(self, event: Event, outer: frozenset[int]) -> frozenset[int]:
        """The regions that contain the begin of a node."""
        start = event.start_mark.index
        found = frozenset(
            number
            for number, region in enumerate(self.symbolic.regions)
            if region.start <= start < region.end
        )
        if not outer <= found:
            raise ExportError("a branch ends inside a map or a list that it begins")
        return found

    def _find_guards(self, regions: frozenset[int]) -> tuple[Guard, ...]:
        return tuple(self.symbolic.regions[number].guard for number in sorted(regions))

    def _parse_scalar(self, event: ScalarEvent, outer: frozenset[int]) -> Scalar | Text:
        start, end = event.start_mark.index, event.end_mark.index
        if event.style not in {"|", ">"} and any(
            start < edge < end
            for region in self.symbolic.regions
            for edge in (region.start, region.end)
        ):
            raise ExportError("a branch begins or ends inside a value")
        text = str(event.value)
        is_plain = bool(event.implicit[0])
        if not TOKEN.search(text):
            if event.style in {"|", ">"} and self._find_regions(event, outer) != outer:
                raise ExportError("a branch begins or ends inside a value")
            return Scalar(resolve(text) if is_plain else text)
        return self._parse_text(text, is_plain=is_plain)

    def _parse_text(self, text: str, *, is_plain: bool) -> Text:
        constants = TOKEN.split(text)
        expressions = [self.symbolic.tokens[token] for token in TOKEN.findall(text)]
        is_whole = constants == ["", ""]
        for expression in expressions:
            if expression.is_name and (not is_plain or {"/", "="} & set("".join(constants))):
                continue  # a name contains no syntax; with these, it cannot become a number
            if not expression.is_quoted or not is_whole or is_plain:
                raise ExportError(
                    "it writes text of the object without quotes: write {{ … | quote }} as the "
                    "whole value"
                )
        parts: list[str] = []
        for constant, expression in zip(constants, [*expressions, None], strict=True):
            if constant:
                parts.append(cel.string_literal(constant))
            if expression is not None:
                parts.append(expression.text if is_whole else f"({expression.text})")
        return Text(Expression(" + ".join(parts)))


def _can_be_empty(members: tuple[Member, ...]) -> bool:
    """Whether all members can be absent."""
    return bool(members) and not any(
        not member.guards or _repeats_containers(member.guards) for member in members
    )


def _repeats_containers(guards: tuple[Guard, ...]) -> bool:
    """Whether a member is always there: a loop over containers, of which every pod has one."""
    return (
        len(guards) == 1
        and isinstance(guards[0], Loop)
        and guards[0].list.fields[-1:] == ("containers",)
    )
