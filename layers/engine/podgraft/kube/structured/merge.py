"""The merge of a partial object into an object, by the types of its fields.

Source: structured-merge-diff v6, typed/merge.go. Nothing is removed; where both have a value, that
of the patch wins; the elements of a list have the order of the patch as far as it has them.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypeAlias

from podgraft.base.jsonvalue import JSON, Object

from .elements import find_key
from .schema import DEDUCED, ListType, MapType, Ref, Schema
from .validation import deduce


class NilList(list[JSON]):
    """An empty list of a patch that is nil in Go: it is null where it becomes the value."""


class _Absent(Enum):
    """A value that is not there, which differs from null."""

    VALUE = 0


_ABSENT = _Absent.VALUE
_Maybe: TypeAlias = "JSON | _Absent"


def merge_values(schema: Schema, live: Object, patch: Object, ref: Ref) -> Object:
    """The live object with a patch merged into it; both have passed their validation."""
    merged = _Merger(schema).merge(live, patch, ref)
    return merged if isinstance(merged, dict) else {}


class _Element(NamedTuple):
    """An element of a list, and its identity."""

    key: Hashable
    value: JSON


@dataclass(frozen=True, slots=True)
class _Merger:
    schema: Schema

    def merge(self, live: _Maybe, patch: _Maybe, ref: Ref) -> _Maybe:
        """The merged value, or nothing if the result has no value."""
        atom = self.schema.resolve(ref)
        value = live if patch is _ABSENT else patch
        atom = deduce(atom, None if value is _ABSENT else value)
        if atom.map is not None:
            return self._merge_maps(live, patch, atom.map)
        if atom.list is not None and not atom.scalar:
            return self._merge_lists(live, patch, atom.list)
        return value

    def _merge_maps(self, live: _Maybe, patch: _Maybe, type_: MapType) -> _Maybe:
        left = live if isinstance(live, dict) else {}
        right = patch if isinstance(patch, dict) else {}
        if type_.is_atomic or not (left or right):
            return live if patch is _ABSENT else patch
        if not right:
            return left
        merged: Object = dict(left)
        for key, value in right.items():
            field = type_.fields.get(key)
            element = (type_.element or DEDUCED) if field is None else field.type
            result = self.merge(left.get(key, _ABSENT), value, element)
            if result is _ABSENT:
                merged.pop(key, None)
            else:
                merged[key] = result
        return merged

    def _merge_lists(self, live: _Maybe, patch: _Maybe, type_: ListType) -> _Maybe:
        left = live if isinstance(live, list) else []
        right = patch if isinstance(patch, list) else []
        if type_.keys is None or not (left or right):
            nothing = None if isinstance(patch, NilList) else patch
            return live if patch is _ABSENT else nothing
        if not right:
            return left
        return [*self._merge_elements(self._index(left, type_), self._index(right, type_), type_)]

    def _index(self, elements: Sequence[JSON], type_: ListType) -> list[_Element]:
        return [_Element(find_key(self.schema, type_, each).identity, each) for each in elements]

    def _merge_elements(  # noqa: C901 - the steps and their order are those of the original
        self, left: list[_Element], right: list[_Element], type_: ListType
    ) -> Iterator[JSON]:
        """The elements of both lists, in the order of ``visitListItems``."""
        live: dict[Hashable, JSON] = {}
        for element in left:
            # A repeated element is not merged with the patch, which replaces all of them.
            live[element.key] = None if element.key in live else element.value
        patch = dict(right)
        shared = iter([key for key, _ in right if key in live])
        expected = next(shared, _ABSENT)
        merged = set[Hashable]()
        lefts, rights = iter(left), iter(right)
        old, new = next(lefts, None), next(rights, None)
        while old is not None or new is not None:
            if old is not None and new is not None:
                if old.key == new.key:
                    merged.add(old.key)
                    yield from self._merge_pair(live, patch, old.key, type_)
                    old, new = next(lefts, None), next(rights, None)
                    expected = next(shared, _ABSENT)
                    continue
                if old.key in patch and expected is not _ABSENT and expected != old.key:
                    old = next(lefts, None)
                    continue
            if old is not None:
                if old.key not in patch:
                    yield old.value
                    old = next(lefts, None)
                    continue
                if old.key in merged:
                    old = next(lefts, None)
            if new is not None:
                merged.add(new.key)
                yield from self._merge_pair(live, patch, new.key, type_)
                if expected == new.key:
                    expected = next(shared, _ABSENT)
                new = next(rights, None)

    def _merge_pair(
        self,
        live: dict[Hashable, JSON],
        patch: dict[Hashable, JSON],
        key: Hashable,
        type_: ListType,
    ) -> Iterator[JSON]:
        result = self.merge(live.get(key, _ABSENT), patch.get(key, _ABSENT), type_.element)
        if result is not _ABSENT:
            yield result
