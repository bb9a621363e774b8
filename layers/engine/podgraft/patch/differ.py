"""The difference of two JSON values as JSON Patch: few operations, the same ones every time.

Objects are compared member by member. Lists are first aligned: equal ends are passed over, then
what remains is matched by identity (a container's name, a mount's path) or, where elements have
none, by value; matched elements are compared in turn, the others removed or added. So a container
put in front of ten others is one ``add``, and a variable added to its environment is one ``add``
inside it. No step is more than linear times logarithm in the size of the two values.
"""

from bisect import bisect_left
from collections.abc import Hashable, Iterator, Sequence

from podgraft.jsonvalue import JSON, Object, dump, equal

from .operations import Operation
from .pointer import escape

# What tells the elements of Kubernetes' lists apart, in the order in which they are tried: a field
# serves when every element of both lists has it and none has it twice.
_IDENTITIES = (
    "name",
    "mountPath",
    "devicePath",
    "containerPort",
    "ip",
    "topologyKey",
    "uid",
    "key",
)


def diff(before: JSON, after: JSON) -> list[Operation]:
    """The operations that turn ``before`` into ``after``; none for equal values.

    Types count: ``True``, ``1`` and ``1.0`` differ. Values in the operations are shared with
    ``after``, not copied.
    """
    operations: list[Operation] = []
    _compare(before, after, "", operations)
    return operations


def _compare(before: JSON, after: JSON, path: str, operations: list[Operation]) -> None:
    if before is after:
        return
    match before, after:
        case dict(), dict():
            _compare_objects(before, after, path, operations)
        case list(), list():
            _compare_lists(before, after, path, operations)
        case _:
            if not equal(before, after):
                operations.append({"op": "replace", "path": path, "value": after})


def _compare_objects(before: Object, after: Object, path: str, operations: list[Operation]) -> None:
    for key in sorted(before.keys() | after.keys()):
        if key not in after:
            operations.append({"op": "remove", "path": f"{path}/{escape(key)}"})
        elif key not in before:
            operations.append({"op": "add", "path": f"{path}/{escape(key)}", "value": after[key]})
        elif before[key] is not after[key]:
            _compare(before[key], after[key], f"{path}/{escape(key)}", operations)


def _compare_lists(
    before: list[JSON], after: list[JSON], path: str, operations: list[Operation]
) -> None:
    """Walk both lists from the left; ``at`` is the index in the list as patched so far."""
    head, tail = _equal_ends(before, after)
    before, after = before[head : len(before) - tail], after[head : len(after) - tail]
    at = head
    for old, new in _alignment(before, after):
        if new is None:
            operations.append({"op": "remove", "path": f"{path}/{at}"})
            continue
        if old is None:
            operations.append({"op": "add", "path": f"{path}/{at}", "value": after[new]})
        else:
            _compare(before[old], after[new], f"{path}/{at}", operations)
        at += 1


def _equal_ends(before: list[JSON], after: list[JSON]) -> tuple[int, int]:
    """How many elements are equal at the head and, beyond those, at the tail."""
    shorter = min(len(before), len(after))
    head = 0
    while head < shorter and equal(before[head], after[head]):
        head += 1
    tail = 0
    while tail < shorter - head and equal(before[-1 - tail], after[-1 - tail]):
        tail += 1
    return head, tail


def _alignment(
    before: list[JSON], after: list[JSON]
) -> Iterator[tuple[int, int] | tuple[int, None] | tuple[None, int]]:
    """Each element of either list once, in order: with its partner, or with ``None`` for none."""
    field = _identity(before, after)
    both = bool(before and after)  # with one list empty there is nothing to match
    anchors = _longest_ordered_pairs(_labels(before, field), _labels(after, field)) if both else []
    old = new = 0
    for old_anchor, new_anchor in [*anchors, (len(before), len(after))]:
        # Between anchors, elements without identity are paired by place: a changed argument is one
        # replace. Elements with one are different things, and changing one into another is noise.
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
    """The field that names the elements of both lists, if one does."""
    if before and after and all(isinstance(element, dict) for element in (*before, *after)):
        for field in _IDENTITIES:
            if _names_all(field, before) and _names_all(field, after):
                return field
    return None


def _names_all(field: str, elements: list[JSON]) -> bool:
    names = [element.get(field) for element in elements if isinstance(element, dict)]
    return all(isinstance(name, str | int) for name in names) and len(set(names)) == len(names)


def _labels(elements: list[JSON], field: str | None) -> list[Hashable]:
    """One hashable label an element, each different: its name, or its text and which time."""
    if field is not None:
        return [str(element[field]) for element in elements if isinstance(element, dict)]
    times: dict[str, int] = {}
    labels: list[Hashable] = []
    for text in map(dump, elements):
        times[text] = times.get(text, 0) + 1
        labels.append((text, times[text]))
    return labels


def _longest_ordered_pairs(
    before: Sequence[Hashable], after: Sequence[Hashable]
) -> list[tuple[int, int]]:
    """The most pairs of equal labels whose order is the same in both: patience sorting."""
    place = {label: index for index, label in enumerate(before)}
    pairs = [(place[label], index) for index, label in enumerate(after) if label in place]
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
