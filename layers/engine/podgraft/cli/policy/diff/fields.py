"""The fields in which two objects differ, with names instead of positions in lists.

Two workloads have the same change if the same fields change, wherever their containers are.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, Object

# The fields that identify an element of a list, in this order.
_KEYS = ("name", "mountPath", "devicePath", "containerPort", "ip", "key", "topologyKey")


class FieldChange(Struct, frozen=True):
    """One field. A missing value is ``None``, and ``is_added`` or ``is_removed`` is set."""

    path: str
    before: JSON
    after: JSON
    is_added: bool = False
    is_removed: bool = False

    def to_json(self) -> Object:
        """Encode the change; a missing value has no key."""
        encoded: Object = {"path": self.path}
        if not self.is_added:
            encoded["before"] = self.before
        if not self.is_removed:
            encoded["after"] = self.after
        return encoded


def find_changes(before: Object | None, after: Object | None) -> Iterator[FieldChange]:
    """Return the fields that differ; a missing object has no fields."""
    return _compare_objects("", before or {}, after or {})


def _compare(path: str, before: JSON, after: JSON) -> Iterator[FieldChange]:
    if jsonvalue.equal(before, after):
        return
    match before, after:
        case dict(), dict():
            yield from _compare_objects(path, before, after)
        case list(), list():
            yield from _compare_lists(path, before, after)
        case _:
            yield FieldChange(path, before, after)


def _compare_objects(path: str, before: Object, after: Object) -> Iterator[FieldChange]:
    for key in sorted(before.keys() | after.keys()):
        step = f"[{key}]" if any(character in key for character in "./[] ") else f".{key}"
        yield from _compare_members(f"{path}{step}" if path else key, key, before, after)


def _compare_members(path: str, key: str, before: Object, after: Object) -> Iterator[FieldChange]:
    if key not in before:
        yield FieldChange(path, None, after[key], is_added=True)
    elif key not in after:
        yield FieldChange(path, before[key], None, is_removed=True)
    else:
        yield from _compare(path, before[key], after[key])


def _compare_lists(
    path: str, before: Sequence[JSON], after: Sequence[JSON]
) -> Iterator[FieldChange]:
    """Compare elements by their key; without a common key, the list is one value."""
    key = _find_key((*before, *after), before, after)
    if key is None:
        yield FieldChange(path, list(before), list(after))
        return
    old, new = _index(before, key), _index(after, key)
    for name in dict.fromkeys((*old, *new)):
        yield from _compare_members(f"{path}[{name}]", name, old, new)
    old_order: list[JSON] = [name for name in old if name in new]
    new_order: list[JSON] = [name for name in new if name in old]
    if old_order != new_order:
        yield FieldChange(f"{path}[]", old_order, new_order)


def _find_key(elements: Sequence[JSON], *lists: Sequence[JSON]) -> str | None:
    """Return the first key that each element has, and that no list repeats."""
    for key in _KEYS:
        if all(
            isinstance(each, dict) and type(each.get(key)) in {str, int} for each in elements
        ) and all(len(_index(each, key)) == len(each) for each in lists):
            return key
    return None


def _index(elements: Sequence[JSON], key: str) -> dict[str, JSON]:
    return {str(each[key]): each for each in elements if isinstance(each, dict)}
