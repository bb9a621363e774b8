"""The merge keys and strategies that a Go type defines, and the directives of a patch."""

import json
from collections.abc import Mapping
from functools import cache

from podgraft.base.jsonvalue import JSON, Object
from podgraft.golang import strings
from podgraft.golang.reflect import Field, GoType, Kind, fields_by_key

from .errors import MergeError

_RETAIN_KEYS = "retainKeys"
_PAIR = 2


def field_of(type_: GoType, key: str) -> Field:
    """The field for ``key``: an exact match, or else a match that ignores case."""
    struct = _elem(type_) if type_.kind is Kind.POINTER else type_
    if struct.kind is not Kind.STRUCT:
        raise MergeError(
            f"the field {key!r} is an object or a list, but {type_} has no such fields",
            f"merging an object in json but data type is not struct, instead is: {_kind(struct)}",
        )
    field = find_field(struct, key)
    if field is None:
        name = struct.name.rpartition(".")[2]
        quoted = json.dumps(key, ensure_ascii=False)
        raise MergeError(
            f"{struct} has no field {key!r}",
            f"unable to find api field in struct {name} for the json field {quoted}",
        )
    return field


def find_field(struct: GoType, key: str) -> Field | None:
    """The field that a key of JSON sets, in any case of letters, as encoding/json finds it."""
    fields = _fields_by_any_key(struct)
    return fields.get(key) or fields.get(strings.fold_name(key))


@cache
def _fields_by_any_key(struct: GoType) -> Mapping[str, Field]:
    """``fields_by_key``, and by the folded name, which any case of letters has."""
    fields = fields_by_key(struct)
    return {strings.fold_name(name): field for name, field in fields.items()} | {**fields}


def element_type(type_: GoType, field: Field) -> GoType:
    """The type of the elements of a list field of ``type_``."""
    list_type = field.type
    if list_type.kind is Kind.POINTER:
        target_type = _elem(list_type)
        return _elem(target_type) if target_type.kind in _LISTS else target_type
    if list_type.kind not in _LISTS:
        raise MergeError(
            f"{field.json!r} is not a list in {type_}",
            f"expected slice or array type, but got: {_kind(type_)}",
        )
    if _elem(list_type).kind in _LISTS:
        raise MergeError("lists of lists cannot be merged", "unexpected slice of slice")
    return _elem(list_type)


def strategy_of(field: Field) -> str:
    """``merge``, ``replace``, or an empty string; ignores ``retainKeys``, which only allows it."""
    if not field.patch_strategy:
        return ""
    strategies = [name for name in field.patch_strategy if name != _RETAIN_KEYS]
    if len(strategies) > 1:
        raise MergeError(
            f"the type of {field.json!r} has several patch strategies",
            f"unexpected patch strategy: [{' '.join(field.patch_strategy)}]",
        )
    return strategies[0] if strategies else ""


_LISTS = (Kind.SLICE, Kind.ARRAY)


def _elem(type_: GoType) -> GoType:
    if type_.elem is None:
        raise TypeError(f"{type_} has no elements")
    return type_.elem


def _kind(type_: GoType) -> str:
    return type_.kind.value


PATCH = "$patch"


def is_directive(value: JSON, *, nulls: bool = False) -> bool:
    """Whether the map is a directive and not a value.

    A directive that is null counts only if ``nulls`` is set.
    """
    return isinstance(value, dict) and PATCH in value and (nulls or value[PATCH] is not None)


def strip_directives(value: JSON, *, keep_nulls: bool = False) -> JSON:
    """Return ``value`` without directives and, unless ``keep_nulls``, without null members.

    Returns the same object if nothing changes. Null elements of lists stay.
    """
    if isinstance(value, dict | list) and not _has_no_directives(value):
        return _rebuild(value, nulls=keep_nulls)
    return value


def _has_no_directives(value: Object | list[JSON]) -> bool:
    """Whether the value contains no null and no directive, the most frequent case."""
    for child in value.values() if isinstance(value, dict) else value:
        if type(child) is dict:
            if PATCH in child or not _has_no_directives(child):
                return False
        elif child is None or (type(child) is list and not _has_no_directives(child)):
            return False
    return True


def _rebuild(value: JSON, *, nulls: bool) -> JSON:
    match value:
        case dict():
            return {
                key: _rebuild(member, nulls=nulls)
                for key, member in value.items()
                if (nulls or member is not None) and not is_directive(member, nulls=nulls)
            }
        case list():
            elements = (element for element in value if not is_directive(element, nulls=nulls))
            return [_rebuild(element, nulls=nulls) for element in elements]
        case _:
            return value
