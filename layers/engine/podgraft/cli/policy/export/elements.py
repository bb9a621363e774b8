"""The elements of a list that merges by a key, of which some are in ranges."""

from __future__ import annotations

from collections.abc import Sequence as Items
from itertools import combinations

from podgraft.golang.reflect import Field

from .errors import ExportError
from .literals import find_constant_key, guard_with, to_key, to_literal
from .loops import Loop
from .symbolic import Guard
from .tree import Map, Member, Sequence, are_exclusive
from .values import NONE, Expression, Reference, boolean


def find_loops(member: Member) -> list[Loop]:
    """The ranges around an element."""
    return [guard for guard in member.guards if isinstance(guard, Loop)]


def find_key(member: Member, own: Field) -> str:
    """The merge key of an element of a list, in CEL."""
    members = member.value.members if isinstance(member.value, Map) else ()
    for each in members:
        if find_constant_key(each) == own.merge_key and not each.guards:
            return to_literal(each.value, None, "")
    raise ExportError(f"it has an element without the key {own.merge_key}")


def list_keys(static: Items[Member], own: Field) -> str:
    """The merge keys of elements that are not in loops, as a list in CEL."""
    texts = [guard_with(f"[{find_key(each, own)}]", each.guards) for each in static]
    return f"({' + '.join(texts)})" if texts else NONE


def check_shared(value: Sequence, own: Field) -> None:
    """Raise ``ExportError`` if two operations can create one map or list of an element."""
    for left, right in combinations(value.members, 2):
        loops = [*find_loops(left), *find_loops(right)]
        shared = _list_collections(left) & _list_collections(right)
        if loops and shared and not _are_different(left, right, own):
            raise ExportError(
                f"two elements, of which one is in a range, set {min(shared)}: leave out one with "
                "{{ if ne … }} in the range, or with the branches of one if"
            )


def _are_different(left: Member, right: Member, own: Field) -> bool:
    """Whether elements are never together, or the range leaves out the key of the other one."""
    tests, others = (
        [each for each in member.guards if isinstance(each, Expression)] for member in (left, right)
    )
    is_rest = any(loop.is_rest for loop in (*find_loops(left), *find_loops(right)))
    return (
        is_rest
        or are_exclusive(tests, others)
        or any(each in left.guards for each in _make_tests(left, right, own))
        or any(each in right.guards for each in _make_tests(right, left, own))
    )


def _make_tests(member: Member, other: Member, own: Field) -> list[Guard]:
    """The conditions of ranges that leave out another element."""
    loops = [] if find_loops(other) else find_loops(member)
    names = [Reference(loop.variable, (own.merge_key,), None).or_value("''") for loop in loops]
    return [boolean(f"{name} != {find_key(other, own)}") for name in names]


def _list_collections(member: Member) -> set[str]:
    """The keys of an element that have maps or lists."""
    members = member.value.members if isinstance(member.value, Map) else ()
    return {to_key(each) for each in members if isinstance(each.value, Map | Sequence)}


def is_complete(member: Member, value: Sequence, own: Field) -> bool:
    """Whether a range leaves out only elements that the list names without a condition."""
    named = [each for each in value.members if not each.guards]
    tests = [test for each in named for test in _make_tests(member, each, own)]
    return all(isinstance(guard, Loop) or guard in tests for guard in member.guards)
