"""Lists of objects, which are merged by key, and lists of scalars, which are joined.

Mirrors ``mergeSlice`` of strategicpatch/patch.go with an index instead of linear searches, so the
time is linear in the length of the lists.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import chain
from typing import TypeVar

from podgraft.base.jsonvalue import JSON, Object
from podgraft.golang.reflect import GoType

from .errors import (
    GO_MAP,
    MergeError,
    incomparable_error,
    missing_merge_key_error,
    mixed_elements_error,
    unexpected_type_error,
    unknown_directive_error,
)
from .schema import PATCH

MergeObjects = Callable[[Object, Object], Object]
_Element = TypeVar("_Element", bound=JSON)


def merge_lists(
    live: list[JSON], patch: list[JSON], elements: GoType, key: str, merge: MergeObjects
) -> list[JSON]:
    """Merge ``live`` and ``patch``, in the order of strategicpatch.

    ``key`` is the merge key, empty for scalars; ``merge`` merges two objects of the list.
    """
    if not live and not patch:
        return live
    if not contains_objects(live, patch):
        if key:
            raise unexpected_type_error(GO_MAP, (live or patch)[0])
        return _merge_scalars(live, patch)
    if not key:
        raise MergeError(
            "the list has no merge key, so it cannot contain objects",
            f"cannot merge lists without merge key for {elements.kind.value}",
        )
    objects = [element for element in live if isinstance(element, dict)]
    additions = [element for element in patch if isinstance(element, dict)]
    return [*_merge_by_key(objects, additions, key, merge)]


def delete_scalars(live: list[JSON], removed: list[JSON]) -> list[JSON]:
    """Return ``live`` without the elements of ``removed``."""
    tokens = set(map(identity_key, removed))
    return [element for element in live if identity_key(element) not in tokens]


def contains_objects(*lists: list[JSON]) -> bool:
    """Whether the lists contain objects and not scalars; mixed types and empty lists are errors.

    Mirrors ``sliceElementType``.
    """
    types = set(map(type, chain(*lists)))
    if not types:
        raise MergeError("the lists are empty", "no elements in any of the given slices")
    first = next(chain(*lists))
    if first is None:
        raise incomparable_error(first)
    if isinstance(first, list):
        raise MergeError("lists of lists cannot be merged", "lists of lists are not supported")
    if len(types) > 1:
        raise mixed_elements_error(*lists)
    return isinstance(first, dict)


def identity_key(value: JSON) -> Hashable:
    """The identity of a scalar in Go's comparison of interfaces: 1, 1.0, and true differ."""
    if isinstance(value, dict | list):
        raise incomparable_error(value)
    return value if value.__class__ is str else (value.__class__, value)


def first_indexes(tokens: Iterable[Hashable]) -> dict[Hashable, int]:
    """The first index of each token."""
    indexes: dict[Hashable, int] = {}
    for index, token in enumerate(tokens):
        indexes.setdefault(token, index)
    return indexes


def interleave(
    live: Sequence[tuple[Hashable, _Element]],
    patch_items: Sequence[tuple[Hashable, _Element]],
    order: Mapping[Hashable, int],
) -> list[_Element]:
    """Interleave two lists: a live element precedes a patched one if it does so in ``order``.

    Mirrors ``mergeSortedSlice``: both lists keep their order. If ``order`` does not contain one of
    the two elements, the patched element is first.
    """
    result: list[_Element] = []
    index = 0
    for name, element in patch_items:
        limit = order.get(name, -1)
        while index < len(live) and order.get(live[index][0], limit) < limit:
            result.append(live[index][1])
            index += 1
        result.append(element)
    result.extend(element for _, element in live[index:])
    return result


def _merge_scalars(live: list[JSON], patch: list[JSON]) -> list[JSON]:
    """The scalars of both lists, without duplicates."""
    patched: dict[Hashable, JSON] = {}
    for element in patch:
        patched.setdefault(identity_key(element), element)
    order = first_indexes(map(identity_key, live))
    rest = [(name, live[index]) for name, index in order.items() if name not in patched]
    return interleave(rest, list(patched.items()), order)


def _merge_by_key(
    live: list[Object], patch: list[Object], key: str, merge: MergeObjects
) -> list[Object]:
    live, additions = _apply_directives(live, patch, key)
    combined = [*(element for _, element in additions), *live]
    names = [element.get(key) for element in combined]
    if set(map(type, names)) == _TEXT and len(set(names)) == len(names):
        return combined  # all patched elements are new, and are first
    order: dict[Hashable, int] = {}
    for index, element in enumerate(live):
        if key in element:
            order.setdefault(identity_key(element[key]), index)
    merged_indexes, rank = dict(order), dict[Hashable, int]()
    merged = list(live)
    for index, element in additions:
        try:
            name = _merge_key_value(element, key)
            if name in merged_indexes:
                merged[merged_indexes[name]] = merge(merged[merged_indexes[name]], element)
            else:
                merged_indexes[name] = len(merged)
                merged.append(element)
        except MergeError as error:
            raise error.with_prefix(index) from error
        rank.setdefault(name, index)
    named_elements = [(_merge_key_value(element, key), element) for element in merged]
    # As in strategicpatch, the sorts group elements with the same merge key.
    patched = sorted(
        (pair for pair in named_elements if pair[0] in rank), key=lambda pair: rank[pair[0]]
    )
    rest = sorted(
        (pair for pair in named_elements if pair[0] not in rank), key=lambda pair: order[pair[0]]
    )
    return interleave(rest, patched, order)


_TEXT = {str}


def _apply_directives(
    live: list[Object], patch: list[Object], key: str
) -> tuple[list[Object], list[tuple[int, Object]]]:
    """Apply the ``$patch`` elements. Return the rest of ``live``, and the other elements."""
    additions = [pair for pair in enumerate(patch) if PATCH not in pair[1]]
    if len(additions) == len(patch):
        return live, additions
    deleted: set[Hashable] = set()
    replace = False
    for index, element in enumerate(patch):
        match element.get(PATCH):
            case _ if PATCH not in element:
                continue
            case "replace":
                replace = True
            case "delete" if key in element:
                deleted.add(_merge_key_value(element, key))
            case directive:
                raise _directive_error(directive, element, key).with_prefix(index)
    if replace:
        return [element for _, element in additions], []
    remaining = (one for one in live if key not in one or identity_key(one[key]) not in deleted)
    return list(remaining), additions


def _directive_error(directive: JSON, element: Object, key: str) -> MergeError:
    if directive == "delete":
        return missing_merge_key_error(element, key)
    if directive == "merge":
        return MergeError(
            "$patch: merge is the default; remove it",
            "merging lists cannot yet be specified in the patch",
        )
    return unknown_directive_error(directive, element)


def _merge_key_value(element: Object, key: str) -> Hashable:
    if key not in element:
        raise missing_merge_key_error(element, key)
    return identity_key(element[key])
