r"""Incremental loading of texts that differ from a previous text in a few scalars.

The renderings of one template differ in a few names. To parse each of them costs more than the rest
of a review, so this module reuses the value of a previous text with the same number of lines.

The hazard is a change that looks like a change of one scalar, but changes the structure: a colon, a
quote, a comment, an indentation, or a word with another type. Four conditions exclude it:

1. A line may differ only inside one scalar. The text before and after the scalar is equal, so all
   other tokens and all columns before it are equal.
2. The old and the new scalar have the same restricted form: double quotes without a quote, a
   backslash, or a character outside ASCII; or a plain word of letters, digits, and characters that
   are never syntax. The scanner then reads exactly one scalar.
3. The scalar is a value, not a key, on one line, and its path is unique. The old value at this path
   equals the old scalar, which proves that the path is correct, even with merges or duplicate keys.
4. The text has no anchor, alias, or tag, because one scalar could then determine several values.

If a condition is not met, ``load`` parses the text. A result is always equal to the result of
``decoder.load``, which tests check with random texts.

It saves 0.8 of 2.6 ms of a processor for a new pod of samples/istio (28 November 2026).

>>> texts = IncrementalLoader()
>>> texts.load('a: {b: "x"}\nc: d\n').value
{'a': {'b': 'x'}, 'c': 'd'}
>>> texts.load('a: {b: "y"}\nc: yes\n').value
{'a': {'b': 'y'}, 'c': True}
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeAlias

from msgspec import Struct
from yaml.error import Mark
from yaml.events import (
    CollectionEndEvent,
    DocumentEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    StreamEndEvent,
)

from podgraft.base.jsonvalue import JSON, equal
from podgraft.base.lru import LRUCache

from . import events
from .decoder import load
from .errors import NotYAMLError
from .scalars import resolve

Path: TypeAlias = tuple[str | int, ...]

_LAST = (DocumentEndEvent, StreamEndEvent)

# The restricted forms of condition 2.
_QUOTED = re.compile(r'"[ !#-\[\]-~]*"')
_WORD = re.compile(r"[A-Za-z](?:[A-Za-z0-9_./-]|:(?=[A-Za-z0-9_./-]))*")


class LoadedText(Struct, frozen=True):
    """The value of a text: the value of a previous text, with ``changes``.

    ``has_duplicates``: a mapping has a key more than once.
    """

    base: CachedText
    changes: Sequence[tuple[Path, JSON]]
    has_duplicates: bool = False

    @property
    def value(self) -> JSON:
        """The value, which can share parts with that of ``base``."""
        return replace_scalars(self.base.value, self.changes)


class IncrementalLoader:
    """A loader with a cache of recent texts, one for each number of lines."""

    def __init__(self) -> None:
        self._cached_texts: LRUCache[int, CachedText] = LRUCache(limit=16)

    def load(self, text: str) -> LoadedText:
        """``load(text, strict=False)``, as changes of a previous text where that is possible."""
        lines = text.split("\n")
        cached = self._cached_texts.get(len(lines))
        if cached and text.isascii():
            changes = cached.find_changes(lines)
            if changes is not None:
                return LoadedText(cached, changes)
        try:
            cached = CachedText(lines, load(text, strict=True))
        except NotYAMLError:  # perhaps only a duplicate key; any other problem occurs again
            return LoadedText(CachedText(lines, load(text, strict=False)), (), True)
        self._cached_texts[len(lines)] = cached
        return LoadedText(cached, ())


class _ReplaceableScalar(Struct, frozen=True):
    """A scalar that can be replaced: its columns in the line, and its path in the document."""

    start: int
    end: int
    path: Path


class CachedText:
    """The lines and the value of a previous text; ``editor`` is what its reader derives from it."""

    __slots__ = ("_lines", "_scalars", "editor", "value")

    def __init__(self, lines: list[str], value: JSON) -> None:
        self.value = value
        self.editor: Any = None
        self._lines = lines
        # Computed on the first difference.
        self._scalars: dict[int, list[_ReplaceableScalar]] | None = None

    def find_changes(self, lines: list[str]) -> Sequence[tuple[Path, JSON]] | None:
        """Return the scalars of *lines* that differ, or None if the cached text does not tell."""
        changes: list[tuple[Path, JSON]] = []
        for number, (old, new) in enumerate(zip(self._lines, lines, strict=True)):
            if old != new:
                replacement = self._find_changed_scalar(number, new)
                if replacement is None:
                    return None
                changes.append(replacement)
        return changes

    def _find_changed_scalar(self, number: int, new: str) -> tuple[Path, JSON] | None:
        """The path and the new value of the only scalar in which a line differs."""
        if self._scalars is None:
            self._scalars = _find_replaceable_scalars(self._lines, self.value)
        old = self._lines[number]
        for scalar in self._scalars.get(number, ()):
            end = len(new) - len(old) + scalar.end
            if old[: scalar.start] == new[: scalar.start] and old[scalar.end :] == new[end:]:
                text = new[scalar.start : end]
                same_kind = _QUOTED if old[scalar.start] == '"' else _WORD
                return (scalar.path, _scalar_value(text)) if same_kind.fullmatch(text) else None
        return None


def _scalar_value(text: str) -> JSON:
    return text[1:-1] if text.startswith('"') else resolve(text)


def replace_scalars(value: JSON, changes: Sequence[tuple[Path, JSON]]) -> JSON:
    """Return ``value`` with other scalars at these paths; parts without a change are shared."""
    if not changes:
        return value
    root: list[Any] = [value]  # so that the value itself has a place, too
    copies: dict[Path, Any] = {}
    for path, scalar in changes:
        place: Any = root
        step: Any = 0
        for length, next_step in enumerate(path):
            parent = path[:length]
            copy = copies.get(parent)
            if copy is None:
                copy = copies[parent] = place[step].copy()
                place[step] = copy
            place, step = copy, next_step
        place[step] = scalar
    return root[0]


def _find_replaceable_scalars(lines: list[str], value: JSON) -> dict[int, list[_ReplaceableScalar]]:
    """The scalars that can be replaced, by line: the scalars with a unique path in ``value``."""
    text = "\n".join(lines)
    # libyaml also counts other line breaks.
    scalar_events = _scalar_events(text) if text.isascii() and "\r" not in text else []
    path_counts = Counter(path for path, _ in scalar_events)
    scalars: dict[int, list[_ReplaceableScalar]] = {}
    for path, event in scalar_events:
        first: Mark = event.start_mark
        last: Mark = event.end_mark
        # An empty scalar can be after the last line.
        is_single_line = first.line == last.line < len(lines)
        source = lines[first.line][first.column : last.column] if is_single_line else ""
        is_replaceable = _QUOTED.fullmatch(source) or _WORD.fullmatch(source)
        if (
            is_replaceable
            and path_counts[path] == 1
            and _has_scalar_at(value, path, _scalar_value(source))
        ):
            scalars.setdefault(first.line, []).append(
                _ReplaceableScalar(first.column, last.column, path)
            )
    return scalars


def _has_scalar_at(value: JSON, path: Path, scalar: JSON) -> bool:
    """Whether ``value`` contains the scalar at the end of the path."""
    for step in path:
        match value, step:
            case dict(), str() if step in value:
                value = value[step]
            case list(), int() if step < len(value):
                value = value[step]
            case _:
                return False
    return equal(value, scalar)


def _scalar_events(text: str) -> list[tuple[Path, ScalarEvent]]:
    """The scalars that are values, each with its path.

    Empty if there is an anchor, an alias, or a tag, or if two keys can become equal.
    """
    next_event = events.event_reader(text)
    scalars: list[tuple[Path, ScalarEvent]] = []
    path: list[Any] = []  # the last step is None before a key of a mapping
    while type(event := next_event()) not in _LAST:
        if isinstance(event, CollectionEndEvent):
            path.pop()
            _advance_path(path)
        elif isinstance(event, NodeEvent):
            awaits_key = bool(path) and path[-1] is None
            if not _is_untagged(event, key=awaits_key):
                return []
            if not isinstance(event, ScalarEvent):
                path.append(None if isinstance(event, MappingStartEvent) else 0)
            elif awaits_key:
                path[-1] = event.value
            else:
                scalars.append((tuple(path), event))
                _advance_path(path)
    return scalars


def _is_untagged(event: NodeEvent, *, key: bool) -> bool:
    """Whether the node has no anchor and no tag and, for a key, only its text as a value.

    A key ``yes`` equals the key ``true``, and ``<<`` merges other keys.
    """
    if event.anchor is not None or getattr(event, "tag", None) is not None:
        return False
    if not key:
        return True
    if not isinstance(event, ScalarEvent):
        return False
    text: str = event.value
    return not event.implicit[0] or (text != "<<" and isinstance(resolve(text), str))


def _advance_path(path: list[Any]) -> None:
    """Advance to the next key or the next element."""
    if path:
        path[-1] = path[-1] + 1 if isinstance(path[-1], int) else None
