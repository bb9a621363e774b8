"""The difference of two JSON values as JSON Patch: few operations, in deterministic order.

Objects are compared by member. Lists are aligned first: after the equal ends, elements match by
identity (the name of a container, the path of a mount) or, without an identity, by value. Matching
elements are compared, and the others are removed or added. A container that is inserted before ten
others is one ``add``, and a new environment variable is one ``add`` inside the container.

The order of operations is the hazard: the path of each operation refers to the list after all
previous operations. The differ walks both lists from the left and counts the index in the list as
patched so far, so a removed element does not advance the index. Each step takes O(n log n) at most.
"""

from bisect import bisect_left
from collections.abc import Hashable, Iterator, Sequence
from operator import lt
from typing import Literal, TypeAlias, TypedDict

from podgraft.base.jsonvalue import JSON, Object, dump, equal

from .pointer import escape


class Add(TypedDict):
    """Set a member of an object, or insert before an index of a list."""

    op: Literal["add"]
    path: str
    value: JSON


class Remove(TypedDict):
    """Remove the value at the path."""

    op: Literal["remove"]
    path: str


class Replace(TypedDict):
    """Replace the value at the path."""

    op: Literal["replace"]
    path: str
    value: JSON


Operation: TypeAlias = Add | Remove | Replace


# The fields that identify elements of Kubernetes' lists, in order of preference. A field must be
# present and unique in all elements of both lists.
IDENTITIES = (
    "name",
    "mountPath",
    "devicePath",
    "containerPort",
    "ip",
    "topologyKey",
    "uid",
    "key",
)

_ABSENT = object()


def diff(before: JSON, after: JSON) -> list[Operation]:
    """Return the operations that change ``before`` to ``after``; empty for equal values.

    Types are significant: ``True``, ``1``, and ``1.0`` differ. The operations share values with
    ``after``.
    """
    operations: list[Operation] = []
    _compare(before, after, "", operations)
    return operations


def _compare(before: JSON, after: JSON, path: str, operations: list[Operation]) -> None:
    if before is after:
        return
    if before.__class__ is str and after.__class__ is str:  # most values that differ
        if before != after:
            operations.append({"op": "replace", "path": path, "value": after})
    elif isinstance(before, dict) and isinstance(after, dict):
        _compare_objects(before, after, path, operations)
    elif isinstance(before, list) and isinstance(after, list):
        _compare_lists(before, after, path, operations)
    elif not equal(before, after):
        operations.append({"op": "replace", "path": path, "value": after})


def _compare_objects(before: Object, after: Object, path: str, operations: list[Operation]) -> None:
    changed = [key for key, value in after.items() if before.get(key, _ABSENT) is not value]
    if not before.keys() <= after.keys():
        changed += before.keys() - after.keys()
    changed.sort()
    for key in changed:
        member_path = f"{path}/{key if key.isalnum() else escape(key)}"
        if key not in after:
            operations.append({"op": "remove", "path": member_path})
        elif key not in before:
            operations.append({"op": "add", "path": member_path, "value": after[key]})
        else:
            _compare(before[key], after[key], member_path, operations)


def _compare_lists(
    before: list[JSON], after: list[JSON], path: str, operations: list[Operation]
) -> None:
    """Walk both lists from the left; ``index`` is the index in the list as patched so far."""
    head, tail = _equal_ends(before, after)
    before, after = before[head : len(before) - tail], after[head : len(after) - tail]
    index = head
    for old, new in _alignment(before, after):
        if new is None:
            operations.append({"op": "remove", "path": f"{path}/{index}"})
            continue
        if old is None:
            operations.append({"op": "add", "path": f"{path}/{index}", "value": after[new]})
        else:
            _compare(before[old], after[new], f"{path}/{index}", operations)
        index += 1


def _equal_ends(before: list[JSON], after: list[JSON]) -> tuple[int, int]:
    """The number of equal elements at the head and, without these, at the tail."""
    shorter = min(len(before), len(after))
    head = 0
    while head < shorter and (before[head] is after[head] or equal(before[head], after[head])):
        head += 1
    tail = 0
    while tail < shorter - head and equal(before[-1 - tail], after[-1 - tail]):
        tail += 1
    return head, tail


def _alignment(
    before: list[JSON], after: list[JSON]
) -> Iterator[tuple[int, int] | tuple[int, None] | tuple[None, int]]:
    """Each element of both lists once, in order: with its match, or with ``None``."""
    field = _identity(before, after)
    both = bool(before and after)  # an empty list has no matches
    anchors = _longest_ordered_pairs(_labels(before, field), _labels(after, field)) if both else []
    old = new = 0
    for old_anchor, new_anchor in [*anchors, (len(before), len(after))]:
        # Between anchors, elements without identity are paired by index: a changed argument is one
        # replace. Elements with different identities are never paired.
        while field is None and old < old_anchor and new < new_anchor:
            yield old, new
            old, new = old + 1, new + 1
        for index in range(old, old_anchor):
            yield index, None
        for index in range(new, new_anchor):
            yield None, index
        if old_anchor < len(before):
            yield old_anchor, new_anchor
        old, new = old_anchor + 1, new_anchor + 1


def _identity(before: list[JSON], after: list[JSON]) -> str | None:
    """The field that identifies the elements of both lists, if there is one."""
    if before and after and all(isinstance(element, dict) for element in (*before, *after)):
        for field in IDENTITIES:
            if _names_all(field, before) and _names_all(field, after):
                return field
    return None


def _names_all(field: str, elements: list[JSON]) -> bool:
    names = _read_names(field, elements)
    return None not in names and len(set(names)) == len(names)


def _read_names(field: str, elements: list[JSON]) -> list[str | int | None]:
    """The name of each element; ``None`` if it is neither a text nor an integer.

    The names keep their types: in a custom resource, 1 and ``"1"`` are two elements.
    """
    values = [element.get(field) for element in elements if isinstance(element, dict)]
    return [
        value if isinstance(value, str | int) and not isinstance(value, bool) else None
        for value in values
    ]


def _labels(elements: list[JSON], field: str | None) -> list[Hashable]:
    """A unique hashable label for each element: its name, or its text and a counter."""
    if field is not None:
        return [*_read_names(field, elements)]
    times: dict[str, int] = {}
    labels: list[Hashable] = []
    for text in map(dump, elements):
        times[text] = times.get(text, 0) + 1
        labels.append((text, times[text]))
    return labels


def _longest_ordered_pairs(
    before: Sequence[Hashable], after: Sequence[Hashable]
) -> list[tuple[int, int]]:
    """The longest common subsequence of two lists of unique labels: patience sorting."""
    positions = {label: index for index, label in enumerate(before)}
    pairs = [(positions[label], index) for index, label in enumerate(after) if label in positions]
    if all(map(lt, pairs, pairs[1:])):  # most pods keep the order of their containers
        return pairs
    tops: list[int] = []
    ends: list[int] = []
    previous: list[int] = []
    for number, (old, _) in enumerate(pairs):
        pile = bisect_left(tops, old)
        tops[pile : pile + 1] = [old]
        ends[pile : pile + 1] = [number]
        previous.append(ends[pile - 1] if pile else -1)
    chain: list[tuple[int, int]] = []
    number = ends[-1] if ends else -1
    while number >= 0:
        chain.append(pairs[number])
        number = previous[number]
    return chain[::-1]
