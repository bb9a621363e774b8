"""Representation of YAML text as trees of nodes.

The trees contain tags, anchors, quotes, and duplicate keys, for the comparison of texts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct
from yaml.error import YAMLError
from yaml.events import (
    AliasEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from podgraft.base.jsonvalue import JSON, MAX_DEPTH

from . import events
from .errors import NotYAMLError
from .scalars import ScalarError, format_key, resolve, resolve_tagged

MERGE_KEY = "<<"
_BLOCK_STYLES = frozenset("|>")


class Scalar(Struct, frozen=True):
    """A scalar with its text.

    A ``plain`` scalar has no quotes and no block style; its ``style`` is the empty string. The
    style of others is their first character.
    """

    text: str
    plain: bool
    style: str
    anchor: str | None
    tag: str | None

    @property
    def value(self) -> JSON:
        """The value, ignoring the tag."""
        return resolve(self.text) if self.plain else self.text

    @property
    def key(self) -> str:
        """The text of the scalar as a key of JSON."""
        try:
            value = self.value if self.tag is None else resolve_tagged(self.tag, self.text)
        except ScalarError:
            return self.text
        key = format_key(value)
        return self.text if key is None else key

    @property
    def is_block(self) -> bool:
        """Whether the scalar is literal or folded."""
        return self.style in _BLOCK_STYLES


class Sequence(Struct, frozen=True):
    """A list."""

    elements: list[Node]
    anchor: str | None
    tag: str | None


class Mapping(Struct, frozen=True):
    """A map with its keys in the order of the text."""

    pairs: list[tuple[Node, Node]]
    anchor: str | None
    tag: str | None


class Alias(Struct, frozen=True):
    """A reference to an anchor; its target is ``None`` if it contains the alias."""

    anchor: str
    target: Node | None


Node: TypeAlias = Scalar | Sequence | Mapping | Alias


def compose(text: str) -> list[Node]:
    """Compose all documents of the text; raises ``NotYAMLError``."""
    try:
        return _Composer(events.event_reader(text)).compose_documents()
    except (YAMLError, UnicodeEncodeError) as error:
        raise events.to_yaml_error(text, error) from error


class _Composer:
    def __init__(self, next_event: Callable[[], Event]) -> None:
        self._next = next_event
        self._depth = 0
        self._anchors: dict[str, Node] = {}

    def compose_documents(self) -> list[Node]:
        """``StreamStart (DocumentStart node DocumentEnd)* StreamEnd``."""
        self._next()
        nodes: list[Node] = []
        while not isinstance(event := self._next(), StreamEndEvent):
            if events.is_document_start(event):
                self._anchors.clear()
                nodes.append(self._compose_node(self._next()))
        return nodes

    def _compose_node(self, event: Event) -> Node:
        node = self._compose_content(event)
        if not isinstance(node, Alias) and node.anchor is not None:
            self._anchors[node.anchor] = node
        return node

    def _compose_content(self, event: Event) -> Node:
        if type(event) is ScalarEvent:
            plain = bool(event.implicit[0])
            return Scalar(event.value, plain, event.style or "", event.anchor, event.tag)
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise NotYAMLError.from_event(event, f"nested deeper than {MAX_DEPTH} levels")
        node = self._compose_collection(event)
        self._depth -= 1
        return node

    def _compose_collection(self, event: Event) -> Node:
        match event:
            case MappingStartEvent():
                pairs: list[tuple[Node, Node]] = []
                while type(key := self._next()) is not MappingEndEvent:
                    pairs.append((self._compose_node(key), self._compose_node(self._next())))
                return Mapping(pairs, event.anchor, event.tag)
            case SequenceStartEvent():
                elements: list[Node] = []
                while type(element := self._next()) is not SequenceEndEvent:
                    elements.append(self._compose_node(element))
                return Sequence(elements, event.anchor, event.tag)
            case AliasEvent(anchor=anchor):
                return Alias(anchor, self._anchors.get(anchor))
            case _:
                raise TypeError(f"{event} begins no node")
