r"""Reading texts that differ from earlier ones in a few scalars, as those of one template do.

The lines of a text are compared with those of one that was read before. Where all that changed is
what stands between two quotes, or a plain word, the tokens are the same but for that scalar, and so
is the document: it is taken over with the new value in its place. For anything else, and for texts
with anchors, aliases or tags, the text is read as ever.

>>> texts = IncrementalLoader()
>>> texts.load('a: {b: "x"}\nc: d\n')
{'a': {'b': 'x'}, 'c': 'd'}
>>> texts.load('a: {b: "y"}\nc: yes\n')
{'a': {'b': 'y'}, 'c': True}
"""

from collections import Counter
from typing import Any, TypeAlias

from yaml.error import Mark
from yaml.events import (
    CollectionEndEvent,
    DocumentEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    StreamEndEvent,
)

from podgraft.jsonvalue import JSON, equal
from podgraft.lazy_dataclass import dataclass
from podgraft.lazy_re import lazy_compile
from podgraft.lru import LRUCache

from . import events
from .decoder import load
from .scalars import resolve

Path: TypeAlias = tuple[str | int, ...]

_LAST = (DocumentEndEvent, StreamEndEvent)

# One line, in which nothing has a meaning of its own: in quotes no quote and no escape; as a plain
# word nothing but letters, digits and marks that are no syntax wherever they stand.
_QUOTED = lazy_compile(r'"[ !#-\[\]-~]*"')
_WORD = lazy_compile(r"[A-Za-z](?:[A-Za-z0-9_./-]|:(?=[A-Za-z0-9_./-]))*")


class IncrementalLoader:
    """The latest texts, one of each length in lines, and what they mean."""

    def __init__(self) -> None:
        self._known: LRUCache[int, _CachedText] = LRUCache(limit=16)

    def load(self, text: str) -> JSON:
        """As ``load(text, strict=False)``; parts of the value may be shared with earlier ones."""
        lines = text.split("\n")
        known = self._known.get(len(lines))
        if known and text.isascii():
            changed = known.update(lines)
            if changed is not None:
                return changed
        value = load(text, strict=False)
        self._known[len(lines)] = _CachedText(lines, value)
        return value


@dataclass(frozen=True, slots=True)
class _ReplaceableScalar:
    """A scalar that may be exchanged: where it stands in its line, and in the document."""

    start: int
    end: int
    path: Path


class _CachedText:
    """A text that was read."""

    __slots__ = ("_lines", "_scalars", "_value")

    def __init__(self, lines: list[str], value: JSON) -> None:
        self._lines = lines
        self._value = value
        self._scalars: dict[int, list[_ReplaceableScalar]] | None = (
            None  # not before it may be of use
        )

    def update(self, lines: list[str]) -> JSON:
        """What other lines mean; none where that cannot be told from these."""
        value = self._value
        for number, (old, new) in enumerate(zip(self._lines, lines, strict=True)):
            if old != new:
                found = self._find_changed_scalar(number, new)
                if found is None:
                    return None
                value = _replace_at(value, *found)
        return value

    def _find_changed_scalar(self, number: int, new: str) -> tuple[Path, JSON] | None:
        """The path and the value of the one scalar in which a line differs."""
        if self._scalars is None:
            self._scalars = _find_replaceable_scalars(self._lines, self._value)
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


def _replace_at(value: JSON, path: Path, scalar: JSON) -> JSON:
    """A copy of ``value`` as far as the path leads, with ``scalar`` at its end."""
    if not path:
        return scalar
    step, *rest = path
    match value, step:
        case dict(), str():
            return value | {step: _replace_at(value[step], tuple(rest), scalar)}
        case list(), int():
            changed = _replace_at(value[step], tuple(rest), scalar)
            return [*value[:step], changed, *value[step + 1 :]]
        case _:
            raise TypeError("the path is not one of the value")


def _find_replaceable_scalars(lines: list[str], value: JSON) -> dict[int, list[_ReplaceableScalar]]:
    """The scalars that may be exchanged, by line: those that ``value`` holds, and holds once."""
    text = "\n".join(lines)
    # libyaml counts other ends of lines too.
    found = _scalar_events(text) if text.isascii() and "\r" not in text else []
    times = Counter(path for path, _ in found)
    scalars: dict[int, list[_ReplaceableScalar]] = {}
    for path, event in found:
        first: Mark = event.start_mark
        last: Mark = event.end_mark
        # What is empty may stand behind the last line.
        here = first.line == last.line < len(lines)
        shown = lines[first.line][first.column : last.column] if here else ""
        plain = _QUOTED.fullmatch(shown) or _WORD.fullmatch(shown)
        if plain and times[path] == 1 and _has_scalar_at(value, path, _scalar_value(shown)):
            scalars.setdefault(first.line, []).append(
                _ReplaceableScalar(first.column, last.column, path)
            )
    return scalars


def _has_scalar_at(value: JSON, path: Path, scalar: JSON) -> bool:
    """Whether the scalar is what stands in ``value`` at the end of the path."""
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
    """The scalars that are values, each with its path; none of them where there is an anchor or a
    tag, or where two keys may mean the same.
    """
    next_event = events.event_reader(text)
    found: list[tuple[Path, ScalarEvent]] = []
    path: list[Any] = []  # its last step is none where a mapping's next key is awaited
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
                found.append((tuple(path), event))
                _advance_path(path)
    return found


def _is_untagged(event: NodeEvent, *, key: bool) -> bool:
    """Whether the node is what it says and nothing else is: a key ``yes`` is ``true`` too, and
    ``<<`` whatever it merges.
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
    """Past a value: to the next key, or the next element."""
    if path:
        path[-1] = path[-1] + 1 if isinstance(path[-1], int) else None
