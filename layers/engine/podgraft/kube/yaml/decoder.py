"""The decoder from YAML text to JSON: libyaml's events with the rules of go-yaml v2."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from msgspec import Struct
from yaml.error import YAMLError
from yaml.events import (
    AliasEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, MAX_DEPTH, Object

from . import events
from .errors import NotYAMLError
from .scalars import ScalarError, float_to_json, format_key, may_be_special, resolve, resolve_tagged


class Anchor(Struct):
    """The target of an anchor: a value, or the event of a scalar, which has another value as a key.

    ``size`` is the number of nodes that an alias repeats; 0 until the value is complete.
    """

    value: JSON | ScalarEvent = None
    size: int = 0


class Expansion:
    """The share of a document from aliases: ``decodeCount`` and ``aliasCount`` of decode.go.

    An alias itself is cheap, because values are shared. To print the expanded value is expensive.
    """

    __slots__ = ("aliased", "decoded")

    def __init__(self) -> None:
        self.decoded = 1  # the document itself
        self.aliased = 0

    def count_events(self, next_event: Callable[[], Event]) -> Callable[[], Event]:
        """Wrap ``next_event`` to count all nodes."""

        def count() -> Event:
            event = next_event()
            if isinstance(event, NodeEvent):
                self.decoded += 1
            return event

        return count

    def add_alias(self, size: int) -> bool:
        """Count an alias to ``size`` nodes. Return whether the document exceeds go-yaml's limit."""
        self.decoded += size
        self.aliased += size
        few = self.aliased <= _ALWAYS_ALIASED or self.decoded <= _ALWAYS_DECODED
        return not few and self.aliased / self.decoded > _max_alias_ratio(self.decoded)


def _max_alias_ratio(decoded: int) -> float:
    """The limit: 99 % of the nodes of small documents, decreasing to 10 % for large ones."""
    excess = min(max(decoded - _LOW, 0) / (_HIGH - _LOW), 1.0)
    return 0.99 - 0.89 * excess


_ALWAYS_ALIASED, _ALWAYS_DECODED = 100, 1000
_LOW, _HIGH = 400_000, 4_000_000  # nodes


_SECOND_DOCUMENT = "a second document starts here; write one document without ---"
_MERGE_TAG = "tag:yaml.org,2002:merge"


def load(text: str, strict: bool = True) -> JSON:
    """Load the first document of ``text``; ``None`` if there is none.

    If ``strict``, a duplicate key is an error; otherwise, its last value wins. Raises
    ``NotYAMLError``.
    """
    return _load(text, strict=strict, is_only=False)


def load_document(text: str) -> JSON:
    """Load the only document of one of podgraft's own texts; ``None`` if there is none.

    ``load`` ignores all documents after the first one, as Istio and kubectl's decoder do. In a deny
    list or a policy, these lines would be without effect. Raises ``NotYAMLError`` with the line of
    a second document, also of an empty one.
    """
    return _load(text, strict=True, is_only=True)


def _load(text: str, *, strict: bool, is_only: bool) -> JSON:
    try:
        return _Decoder(text, strict=strict).decode(is_only=is_only)
    except (YAMLError, UnicodeEncodeError) as error:
        raise events.to_yaml_error(text, error) from error


class _Decoder:
    """A recursive descent decoder of one document."""

    __slots__ = ("_anchors", "_depth", "_expansion", "_next", "_strict")

    def __init__(self, text: str, *, strict: bool) -> None:
        self._strict = strict
        self._depth = 0
        self._anchors: dict[str, Anchor] = {}
        self._expansion = Expansion()
        self._next = events.event_reader(text)
        if "&" in text and "*" in text:  # an alias needs an anchor; most texts have neither
            self._next = self._expansion.count_events(self._next)

    def decode(self, *, is_only: bool) -> JSON:
        """``StreamStart [DocumentStart node DocumentEnd]``; a further document can be an error."""
        self._next()
        if not events.is_document_start(self._next()):
            return None
        value = self._decode_value(self._next())
        self._next()
        if is_only and not isinstance(event := self._next(), StreamEndEvent):
            raise NotYAMLError.from_event(event, _SECOND_DOCUMENT)
        return value

    def _decode_value(self, event: Event) -> JSON:
        """``Scalar | Alias | sequence | mapping``."""
        if type(event) is ScalarEvent:
            text = _plain_text(event)
            return self._decode_special_scalar(event) if text is None else text
        if type(event) is MappingStartEvent:
            return self._decode_nested(event, self._decode_mapping)
        if type(event) is SequenceStartEvent:
            return self._decode_nested(event, self._decode_sequence)
        return self._resolve_alias(event)

    def _decode_special_scalar(self, event: ScalarEvent) -> JSON:
        """Decode a scalar that can have a type other than string."""
        value = self._decode_scalar(event)
        if not isinstance(value, float):
            return value
        if not math.isfinite(value):
            raise NotYAMLError.from_event(
                event, f"JSON cannot represent the number {event.value}; quote it"
            )
        return float_to_json(value)

    def _decode_nested(self, event: NodeEvent, read: Callable[[], JSON]) -> JSON:
        """Decode a sequence or mapping, and its anchor, one level deeper."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise NotYAMLError.from_event(event, f"nested deeper than {MAX_DEPTH} levels")
        if event.anchor is None:
            value = read()
        else:
            before = self._expansion.decoded
            anchor = self._anchors[event.anchor] = Anchor()
            value = read()
            anchor.value, anchor.size = value, 1 + self._expansion.decoded - before
        self._depth -= 1
        return value

    def _decode_sequence(self) -> list[JSON]:
        """``SequenceStart value* SequenceEnd``, after the start."""
        result: list[JSON] = []
        while type(event := self._next()) is not SequenceEndEvent:
            result.append(self._decode_value(event))
        return result

    def _decode_mapping(self) -> Object:
        """``MappingStart (key value)* MappingEnd``, after the start."""
        result: Object = {}
        next_event = self._next
        while type(event := next_event()) is not MappingEndEvent:
            key = _plain_text(event) if type(event) is ScalarEvent else None
            if key is None or key == "<<":
                if _is_merge(event):
                    self._apply_merge_key(next_event(), result)
                    continue
                key = self._decode_key(event)
            value = self._decode_value(next_event())
            if key in result and self._strict:
                raise _duplicate_key_error(key, event)
            result[key] = value
        return result

    def _apply_merge_key(self, event: Event, result: Object) -> None:
        """Apply ``<<``: copy the members of a mapping, or of several; the first one wins."""
        value = self._decode_value(event)
        sources = [value]
        if isinstance(value, list) and isinstance(event, SequenceStartEvent):
            sources = value[::-1]
        for source in sources:
            if not isinstance(source, dict):
                raise NotYAMLError.from_event(event, "<< requires a mapping or a list of mappings")
            for key, member in source.items():
                if self._strict and key in result:
                    raise _duplicate_key_error(key, event)
                result[key] = member

    def _decode_key(self, event: Event) -> str:
        """Decode a key to a string, as sigs.k8s.io/yaml does."""
        if isinstance(event, AliasEvent):
            anchored = self._find_anchor(event).value
            event = anchored if isinstance(anchored, ScalarEvent) else event
        if not isinstance(event, ScalarEvent):
            raise NotYAMLError.from_event(event, "a key must be a scalar, not a list or mapping")
        key = format_key(self._decode_scalar(event))
        if key is None:
            raise NotYAMLError.from_event(
                event, f"{event.value or 'null'} cannot be a key; quote it"
            )
        return key

    def _decode_scalar(self, event: ScalarEvent) -> JSON:
        """Decode a scalar by go-yaml's rules, without the conversion of floats."""
        if event.anchor is not None:
            bare = ScalarEvent(None, event.tag, event.implicit, event.value, event.start_mark)
            self._anchors[event.anchor] = Anchor(bare, 1)
        if event.tag is None:
            return resolve(event.value) if event.implicit[0] else event.value
        try:
            return resolve_tagged(event.tag, event.value)
        except ScalarError as error:
            raise NotYAMLError.from_event(event, str(error)) from error

    def _resolve_alias(self, event: Event) -> JSON:
        anchor = self._find_anchor(event)
        if isinstance(anchor.value, ScalarEvent):
            return self._decode_value(anchor.value)
        return anchor.value

    def _find_anchor(self, event: Event) -> Anchor:
        """Find the anchor of an alias, and count its expansion."""
        name = event.anchor if isinstance(event, AliasEvent) else ""
        anchor = self._anchors.get(name)
        if anchor is None:
            problem = (
                "undefined alias; define the anchor first, or quote a string that begins with *"
            )
            raise NotYAMLError.from_event(event, problem)
        if not anchor.size:
            raise NotYAMLError.from_event(event, f"the value of the anchor &{name} contains itself")
        if self._expansion.add_alias(anchor.size):
            raise NotYAMLError.from_event(
                event, "aliases expand the document to many times its size"
            )
        return anchor


def _plain_text(event: ScalarEvent) -> str | None:
    """The text of a scalar that can only be a string: no anchor, no tag, and no other type."""
    if event.anchor is not None or event.tag is not None:
        return None
    text: str = event.value
    return None if event.implicit[0] and may_be_special(text) else text


def _is_merge(event: Event) -> bool:
    if not isinstance(event, ScalarEvent) or event.value != "<<":
        return False
    return bool(event.implicit[0]) or event.tag == _MERGE_TAG


def _duplicate_key_error(key: str, event: Event) -> NotYAMLError:
    return NotYAMLError.from_event(event, f"duplicate key {key!r} in a mapping; remove one")


_SEPARATOR = "---"


def load_all(text: str) -> list[JSON]:
    """Load all documents of ``text`` that are not empty; a duplicate key is an error.

    A text that starts with ``{`` is one JSON document if it is valid JSON.
    """
    if text.lstrip().startswith("{"):
        try:
            return [jsonvalue.load(text)]
        except jsonvalue.NotJSONError:
            pass  # YAML in flow style also starts with {
    values = (_load_part(first, part) for first, part in _split_documents(text))
    return [value for value in values if value is not None]


def _split_documents(text: str) -> Iterator[tuple[int, str]]:
    """Split into documents, each with the number of lines before it.

    Mirrors ``YAMLReader`` of apimachinery: a line that starts with ``---`` ends a document at any
    position in its structure. Only a comment can follow ``---``.
    """
    first = 0
    lines: list[str] = []
    # A last line feed ends a line, and starts none: another one would belong to a block scalar.
    for number, line in enumerate(text.removesuffix("\n").split("\n")):
        if line.startswith(_SEPARATOR):
            _check_separator(line, number)
            if lines:
                yield first, "".join(lines)
                first, lines = number + 1, []
                continue
        lines.append(f"{line.removesuffix(_CARRIAGE_RETURN)}\n")
    yield first, "".join(lines)


def _check_separator(line: str, number: int) -> None:
    after = line[len(_SEPARATOR) :].strip()
    if after and not after.startswith("#"):
        raise NotYAMLError(
            "only a comment can follow the separator ---; start the document on the next line",
            number + 1,
            len(_SEPARATOR) + 1,
        )


def _load_part(first: int, part: str) -> JSON:
    try:
        return load(part)
    except NotYAMLError as error:
        raise error.shift_lines(first) from error


_CARRIAGE_RETURN = "\r"
