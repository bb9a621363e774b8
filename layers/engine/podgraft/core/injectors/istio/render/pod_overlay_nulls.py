"""The nulls of a partial pod, and their removal from the merged pod.

Hazard: a null deletes a member of the pod. In an element that is missing from the pod's list, there
is nothing to delete: strategic merge appends the element with its null. Istio never emits it,
because Go drops nulls when it decodes the merged pod. podgraft does not decode the merged pod, so
it replaces these elements with copies without nulls. It finds them once for each partial pod. An
element with a null that equals one of them cannot come from the pod: the merge combines elements
with the same key, and replaces lists without a key.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import is_not
from typing import TypeAlias

from msgspec import Struct

from podgraft.base.jsonvalue import JSON, Object


class NullList(Struct, frozen=True):
    """The nulls in the elements of one list.

    ``replacements`` are pairs of an element with nulls and its copy without nulls; ``members`` are
    the lists in the elements.
    """

    replacements: tuple[tuple[Object, Object], ...]
    members: NullTree


NullTree: TypeAlias = Mapping[str, "NullTree | NullList"]


def find_nulls(patch: Object) -> NullTree:
    """Find the lists with nulls in *patch*, by the keys of their path."""
    tree: dict[str, NullTree | NullList] = {}
    for key, value in patch.items():
        if isinstance(value, dict) and (subtree := find_nulls(value)):
            tree[key] = subtree
        if isinstance(value, list) and (null_list := _find_in_list(value)):
            tree[key] = null_list
    return tree


def drop_nulls(tree: NullTree, merged: Object) -> Object:
    """Replace the elements in *merged* that come from the patch of the tree."""
    changes: Object = {}
    for key, subtree in tree.items():
        old = merged.get(key)
        new = old
        if isinstance(subtree, NullList):
            new = _drop_in_list(subtree, old) if isinstance(old, list) else old
        elif isinstance(old, dict):
            new = drop_nulls(subtree, old)
        if new is not old:
            changes[key] = new
    return merged | changes if changes else merged


def _find_in_list(elements: list[JSON]) -> NullList | None:
    objects = [element for element in elements if isinstance(element, dict)]
    cleaned = [(element, _remove_nulls(element)) for element in objects]
    replacements = tuple((element, new) for element, new in cleaned if new != element)
    members: dict[str, NullTree | NullList] = {}
    for element in objects:
        for key, subtree in find_nulls(element).items():
            members[key] = _unite_trees(members[key], subtree) if key in members else subtree
    return NullList(replacements, members) if replacements else None


def _unite_trees(left: NullTree | NullList, right: NullTree | NullList) -> NullTree | NullList:
    if isinstance(left, NullList) and isinstance(right, NullList):
        members = _unite_trees(left.members, right.members)
        assert not isinstance(members, NullList)  # noqa: S101 - trees unite to a tree
        return NullList((*left.replacements, *right.replacements), members)
    if isinstance(left, NullList) or isinstance(right, NullList):
        return right
    both = {key: _unite_trees(left[key], right[key]) for key in left.keys() & right.keys()}
    return {**left, **right, **both}


def _drop_in_list(nulls: NullList, elements: list[JSON]) -> list[JSON]:
    new = [_drop_in_element(nulls, element) for element in elements]
    return new if any(map(is_not, new, elements)) else elements


def _drop_in_element(nulls: NullList, element: JSON) -> JSON:
    if not isinstance(element, dict):
        return element
    for with_nulls, without_nulls in nulls.replacements:
        if element == with_nulls:
            return without_nulls
    return drop_nulls(nulls.members, element) if nulls.members else element


def _remove_nulls(value: Object) -> Object:
    """The object without nulls at any depth; the same object if it has none."""
    remaining: Object = {}
    is_unchanged = True
    for key, member in value.items():
        new = _remove_nulls_from_value(member)
        is_unchanged = is_unchanged and new is member and member is not None
        if new is not None:
            remaining[key] = new
    return value if is_unchanged else remaining


def _remove_nulls_from_value(value: JSON) -> JSON:
    if isinstance(value, dict):
        return _remove_nulls(value)
    if isinstance(value, list):
        new = [_remove_nulls_from_value(element) for element in value]
        return new if any(map(is_not, new, value)) else value
    return value
