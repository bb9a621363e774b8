"""Pairs of overlays that can conflict: those that set values at the same path.

To find whether the order of two overlays matters, ``conflicts`` applies them in both orders. That
is too slow for every pair of a thousand overlays. This module selects the pairs to try: two partial
objects have the same result in both orders if they set no path in common, and neither replaces a
value that contains a path of the other. The check is conservative: it can select pairs without a
conflict, but it never misses one.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import TypeAlias

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, Object
from podgraft.golang import strings
from podgraft.golang.reflect import Field, GoType, Kind, fields_by_key

Path: TypeAlias = tuple[str, ...]

# The merge key of an element that matches those that a list does not name (``partial.py``).
OTHERS = "*"

# The value of a path with a directive, which can change everything at the path and below.
_ANY_VALUE = ""


def find_candidate_pairs(
    partials: Sequence[tuple[Object, Collection[str]]], type_: GoType | None
) -> list[tuple[int, int]]:
    """Return the pairs to try, as sorted indexes; linear in the numbers of paths and pairs.

    Each partial object has the names in ``setIfAbsent`` of its overlay.
    """
    paths_by_overlay = [
        set(_find_set_paths(partial, type_, (), if_absent)) for partial, if_absent in partials
    ]
    # The overlays that set a path itself, by value.
    setters: dict[Path, dict[str, list[int]]] = {}
    for index, overlay_paths in enumerate(paths_by_overlay):
        for path, text in overlay_paths:
            setters.setdefault(path, {}).setdefault(text, []).append(index)
    pairs = {
        (min(left, right), max(left, right))
        for left, overlay_paths in enumerate(paths_by_overlay)
        for path, text in overlay_paths
        for right in _overlapping_overlays(setters, path, text)
        if left != right
    }
    return sorted(pairs)


@cache
def find_merge_keys(type_: GoType | None) -> frozenset[str]:
    """The merge keys of all lists in a type."""
    stack, visited = [type_], set[GoType]()
    keys: set[str] = set()
    while stack:
        each = stack.pop()
        if each is not None and each not in visited:
            visited.add(each)
            keys.update(field.merge_key for field in each.fields)
            stack += [each.elem, *(field.type for field in each.fields)]
    return frozenset(keys - {""})


def json_fields(type_: GoType | None) -> Mapping[str, Field]:
    """The fields of a struct, or of the target of a pointer, by JSON name; else empty."""
    struct = type_.elem if type_ is not None and type_.kind is Kind.POINTER else type_
    return {} if struct is None or struct.kind is not Kind.STRUCT else fields_by_key(struct)


def child_type(field: Field | None, outer: GoType | None) -> GoType | None:
    """The type of the value of a key: that of a field, or the element type of a map."""
    if field is not None:
        return field.type
    return outer.elem if outer is not None and outer.kind is Kind.MAP else None


def _overlapping_overlays(
    setters: Mapping[Path, Mapping[str, list[int]]], path: Path, text: str
) -> Iterator[int]:
    """Find overlays that set another value at the path, or any value at a parent of the path."""
    for end in range(len(path)):
        for indexes in setters.get(path[:end], {}).values():
            yield from indexes
    for value, indexes in setters[path].items():
        if value != text or text == _ANY_VALUE:
            yield from indexes


def _find_set_paths(
    value: JSON, type_: GoType | None, path: Path, if_absent: Collection[str]
) -> Iterator[tuple[Path, str]]:
    """Find every path that a partial object sets, with its value as text."""
    if not isinstance(value, dict) or not value:
        yield path, jsonvalue.dump(value)
    elif any(key.startswith("$") for key in value):
        yield path, _ANY_VALUE
    else:
        fields = json_fields(type_)
        for key, member in value.items():
            # encoding/json accepts a field name in any case.
            member_path = (*path, strings.fold_name(key))
            if key in if_absent:
                yield member_path, _ANY_VALUE
            else:
                yield from _member_paths(member, fields.get(key), type_, member_path, if_absent)


def _member_paths(
    value: JSON,
    field: Field | None,
    outer: GoType | None,
    path: Path,
    if_absent: Collection[str],
) -> Iterator[tuple[Path, str]]:
    strategy = field.patch_strategy if field is not None else ()
    if isinstance(value, list) and field is not None and "merge" in strategy:
        yield from _element_paths(value, field, path, if_absent)
    elif "replace" in strategy:
        yield path, jsonvalue.dump(value)
    else:
        yield from _find_set_paths(value, child_type(field, outer), path, if_absent)


def _element_paths(
    elements: list[JSON], field: Field, path: Path, if_absent: Collection[str]
) -> Iterator[tuple[Path, str]]:
    """Find the paths in the elements of a merged list.

    If an element has no key, or matches others, the path is that of the list itself.
    """
    if not field.merge_key:
        for element in elements:
            text = jsonvalue.dump(element)
            yield (*path, text), text
        return
    keyed: dict[str, Object] = {}
    for element in elements:
        if not isinstance(element, dict) or field.merge_key not in element or "$patch" in element:
            break
        if element[field.merge_key] == OTHERS:
            break
        keyed[jsonvalue.dump(element[field.merge_key])] = element
    if len(keyed) < len(elements):
        yield path, _ANY_VALUE
        return
    for key, element in keyed.items():
        yield from _find_set_paths(element, field.type.elem, (*path, key), if_absent)
