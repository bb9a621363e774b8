"""Which overlays can matter to each other at all: those that touch one place.

Whether the order of two overlays matters is found out by trying both, which is too much for every
pair of a thousand. Two partial objects that set nothing in common, and where neither takes away
what the other is inside of, give the same in either order: they need no trial. Here is said more
often than needed that a trial is, never less often.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TypeAlias

from podgraft import jsonvalue
from podgraft.go.reflect import Field, GoType, Kind
from podgraft.jsonvalue import JSON, Object

Path: TypeAlias = tuple[str, ...]

# In place of a value: a directive, which may do anything to what is at its path and below.
_ANY_VALUE = ""


def find_candidate_pairs(partials: Sequence[Object], type_: GoType | None) -> list[tuple[int, int]]:
    """The pairs to try, as indexes in order; their number and the paths' are what it costs."""
    touches = [set(_set_paths(partial, type_, ())) for partial in partials]
    places: dict[Path, _PathSetters] = {}
    for index, touched in enumerate(touches):
        for path, text in touched:
            places.setdefault(path, _PathSetters()).by_value.setdefault(text, []).append(index)
    found = {
        (min(one, other), max(one, other))
        for one, touched in enumerate(touches)
        for path, text in touched
        for other in _overlapping_overlays(places, path, text)
        if one != other
    }
    return sorted(found)


def json_fields(type_: GoType | None) -> Mapping[str, Field]:
    """The fields of a struct or of what a pointer leads to, by JSON name; else none."""
    struct = type_.elem if type_ is not None and type_.kind is Kind.POINTER else type_
    return {} if struct is None or struct.kind is not Kind.STRUCT else _fields(struct)


def child_type(field: Field | None, outer: GoType | None) -> GoType | None:
    """The type of what is under a key: a field's, or the element type of a map."""
    if field is not None:
        return field.type
    return outer.elem if outer is not None and outer.kind is Kind.MAP else None


@dataclass(slots=True)
class _PathSetters:
    """Which overlays touch one path itself, by the value that they set there."""

    by_value: dict[str, list[int]] = field(default_factory=dict[str, list[int]])


def _overlapping_overlays(
    places: Mapping[Path, _PathSetters], path: Path, text: str
) -> Iterator[int]:
    """Who sets something else at the path, or anything at a path that this one is inside of."""
    for end in range(len(path)):
        place = places.get(path[:end])
        if place is not None:
            for indexes in place.by_value.values():
                yield from indexes
    for other, indexes in places[path].by_value.items():
        if other != text or text == _ANY_VALUE:
            yield from indexes


def _set_paths(value: JSON, type_: GoType | None, path: Path) -> Iterator[tuple[Path, str]]:
    """Every path that a partial object sets, and the value as text."""
    if not isinstance(value, dict) or not value:
        yield path, jsonvalue.dump(value)
    elif any(key.startswith("$") for key in value):
        yield path, _ANY_VALUE
    else:
        known = json_fields(type_)
        for key, each in value.items():
            # encoding/json takes a name in any case.
            yield from _member_paths(each, known.get(key), type_, (*path, key.casefold()))


def _member_paths(
    value: JSON, field: Field | None, outer: GoType | None, path: Path
) -> Iterator[tuple[Path, str]]:
    strategy = field.patch_strategy if field is not None else ()
    if isinstance(value, list) and field is not None and "merge" in strategy:
        yield from _element_paths(value, field, path)
    elif "replace" in strategy:
        yield path, jsonvalue.dump(value)
    else:
        yield from _set_paths(value, child_type(field, outer), path)


def _element_paths(elements: list[JSON], field: Field, path: Path) -> Iterator[tuple[Path, str]]:
    """Each element of a merged list by its merge key; what is not so plain touches the list."""
    if not field.merge_key:
        for element in elements:
            text = jsonvalue.dump(element)
            yield (*path, text), text
        return
    keyed: dict[str, Object] = {}
    for element in elements:
        if not isinstance(element, dict) or field.merge_key not in element or "$patch" in element:
            break
        keyed[jsonvalue.dump(element[field.merge_key])] = element
    if len(keyed) < len(elements):
        yield path, _ANY_VALUE
        return
    for key, element in keyed.items():
        yield from _set_paths(element, field.type.elem, (*path, key))


@cache
def _fields(struct: GoType) -> Mapping[str, Field]:
    own = {each.json: each for each in struct.fields if not each.inline}
    for embedded in (each.type for each in struct.fields if each.inline):
        own = {**json_fields(embedded), **own}
    return own
