"""The elements of a list that merges by a key, of which some are in ranges."""

from __future__ import annotations

from collections.abc import Sequence as Items
from itertools import combinations

from podgraft.golang.reflect import Field

from .errors import ExportError
from .literals import guard_with, to_literal
from .symbolic import Guard
from .tree import Map, Member, Sequence, are_exclusive
from .values import NONE, boolean


def find_key(member: Member, own: Field) -> str:
    """The merge key of an element of a list, in CEL."""
    for each in member.members:
        if each.name == own.merge_key and not each.guards:
            return to_literal(each.value, None, "")
    raise ExportError(f"it has an element without the key {own.merge_key}")


def list_keys(static: Items[Member], own: Field) -> str:
    """The merge keys of elements that are not in loops, as a list in CEL."""
    texts = [guard_with(f"[{find_key(each, own)}]", each.guards) for each in static]
    return f"({' + '.join(texts)})" if texts else NONE


def check_shared(value: Sequence, own: Field) -> None:
    """Raise ``ExportError`` if two operations can create one map or list of an element."""
    for left, right in combinations(value.members, 2):
        shared = _list_collections(left) & _list_collections(right)
        if (left.loops or right.loops) and shared and not _are_different(left, right, own):
            raise ExportError(
                f"two elements, of which one is in a range, set {min(shared)}: leave out one with "
                "{{ if ne … }} in the range, or with the branches of one if"
            )


def _are_different(left: Member, right: Member, own: Field) -> bool:
    """Whether elements are never together, or the range leaves out the key of the other one."""
    return (
        any(loop.is_rest for loop in (*left.loops, *right.loops))
        or are_exclusive(left.conditions, right.conditions)
        or any(each in left.guards for each in _make_tests(left, right, own))
        or any(each in right.guards for each in _make_tests(right, left, own))
    )


def _make_tests(member: Member, other: Member, own: Field) -> list[Guard]:
    """The conditions of ranges that leave out another element."""
    loops = [] if other.loops else member.loops
    return [boolean(f"{loop.name_of(own)} != {find_key(other, own)}") for loop in loops]


def _list_collections(member: Member) -> set[str]:
    """The keys of an element that have maps or lists."""
    return {each.key_text for each in member.members if isinstance(each.value, Map | Sequence)}


def is_complete(member: Member, value: Sequence, own: Field) -> bool:
    """Whether a range leaves out only elements that the list names without a condition."""
    named = [each for each in value.members if not each.guards]
    tests = [test for each in named for test in _make_tests(member, each, own)]
    return all(each in tests for each in member.conditions)
