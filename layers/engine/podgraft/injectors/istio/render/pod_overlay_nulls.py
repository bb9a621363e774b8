"""The nulls of a partial pod, which are gone once it is laid over a pod.

A null deletes a member of the pod. In an element that the pod's list lacks, there is nothing to
delete: strategic merge appends the element as it is, and Go drops the null when it decodes the
result. Here the elements with nulls are found once for each partial pod, because most pods get
them unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from podgraft.jsonvalue import JSON, Object
from podgraft.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class NullList:
    """The nulls in the elements of one list.

    ``replacements`` are the elements without their nulls, by the id of the element with them;
    ``members`` are the lists in the elements.
    """

    replacements: Mapping[int, Object]
    members: NullTree


NullTree: TypeAlias = Mapping[str, "NullTree | NullList"]


def find_nulls(patch: Object) -> NullTree:
    """The lists of *patch* with nulls in them, by the keys that lead to them."""
    found: dict[str, NullTree | NullList] = {}
    for key, value in patch.items():
        if isinstance(value, dict) and (below := find_nulls(value)):
            found[key] = below
        if isinstance(value, list) and (listed := _find_in_list(value)):
            found[key] = listed
    return found


def drop_nulls(tree: NullTree, merged: Object) -> Object:
    """*merged* with replacements for the elements that came from the patch of the tree."""
    changes: Object = {}
    for key, below in tree.items():
        old = merged.get(key)
        new = old
        if isinstance(below, NullList):
            new = _drop_in_list(below, old) if isinstance(old, list) else old
        elif isinstance(old, dict):
            new = drop_nulls(below, old)
        if new is not old:
            changes[key] = new
    return merged | changes if changes else merged


def _find_in_list(elements: list[JSON]) -> NullList | None:
    objects = [each for each in elements if isinstance(each, dict)]
    cleaned = [(each, _remove_nulls(each)) for each in objects]
    replacements = {id(each): new for each, new in cleaned if new is not each}
    members: dict[str, NullTree | NullList] = {}
    for each in objects:
        for key, below in find_nulls(each).items():
            members[key] = _unite_trees(members[key], below) if key in members else below
    return NullList(replacements, members) if replacements else None


def _unite_trees(left: NullTree | NullList, right: NullTree | NullList) -> NullTree | NullList:
    if isinstance(left, NullList) and isinstance(right, NullList):
        members = _unite_trees(left.members, right.members)
        assert not isinstance(members, NullList)  # noqa: S101 - trees unite to a tree
        return NullList({**left.replacements, **right.replacements}, members)
    if isinstance(left, NullList) or isinstance(right, NullList):
        return right
    both = {key: _unite_trees(left[key], right[key]) for key in left.keys() & right.keys()}
    return {**left, **right, **both}


def _drop_in_list(nulls: NullList, listed: list[JSON]) -> list[JSON]:
    new = [_drop_in_element(nulls, each) for each in listed]
    return new if any(map(_is_different, new, listed)) else listed


def _drop_in_element(nulls: NullList, element: JSON) -> JSON:
    if not isinstance(element, dict):
        return element
    replacement = nulls.replacements.get(id(element))
    if replacement is not None:
        return replacement
    return drop_nulls(nulls.members, element) if nulls.members else element


def _is_different(left: JSON, right: JSON) -> bool:
    return left is not right


def _remove_nulls(value: Object) -> Object:
    """The object without nulls at any depth; the same object if it has none."""
    kept: Object = {}
    same = True
    for key, each in value.items():
        new = _remove_nulls_from_value(each)
        same = same and new is each and each is not None
        if new is not None:
            kept[key] = new
    return value if same else kept


def _remove_nulls_from_value(value: JSON) -> JSON:
    if isinstance(value, dict):
        return _remove_nulls(value)
    if isinstance(value, list):
        new = [_remove_nulls_from_value(each) for each in value]
        return new if any(map(_is_different, new, value)) else value
    return value
