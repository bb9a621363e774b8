"""What a Go type says about merging the fields of its JSON object."""

import json
from collections.abc import Mapping
from functools import cache

from podgraft.go.reflect import Field, GoType, Kind

from .errors import MergeError

_RETAIN_KEYS = "retainKeys"
_PAIR = 2


def field_of(type_: GoType, key: str) -> Field:
    """The field that ``key`` is decoded into: its own, else one that differs in case alone."""
    struct = _dereference_type(type_)
    if struct.kind is not Kind.STRUCT:
        raise MergeError(
            f"the field {key!r} holds an object or a list, and {type_} has no fields of such types",
            f"merging an object in json but data type is not struct, instead is: {_kind(struct)}",
        )
    fields = _fields(struct)
    found = fields.get(key) or fields.get(_fold_case(key))
    if found is None:
        name = struct.name.rpartition(".")[2]
        quoted = json.dumps(key, ensure_ascii=False)
        raise MergeError(
            f"{struct} has no field {key!r}",
            f"unable to find api field in struct {name} for the json field {quoted}",
        )
    return found


def element_type(type_: GoType, field: Field) -> GoType:
    """The type of the elements of a list field of ``type_``."""
    listed = field.type
    if listed.kind is Kind.POINTER:
        pointed = _elem(listed)
        return _elem(pointed) if pointed.kind in _LISTS else pointed
    if listed.kind not in _LISTS:
        raise MergeError(
            f"{field.json!r} is no list in {type_}",
            f"expected slice or array type, but got: {_kind(type_)}",
        )
    if _elem(listed).kind in _LISTS:
        raise MergeError("lists of lists cannot be merged", "unexpected slice of slice")
    return _elem(listed)


def strategy_of(field: Field) -> str:
    """``merge``, ``replace`` or nothing; ``retainKeys`` beside it says only that it is allowed."""
    strategies = [name for name in field.patch_strategy if name != _RETAIN_KEYS]
    if len(strategies) > 1:
        raise MergeError(
            f"the type of {field.json!r} names several patch strategies",
            f"unexpected patch strategy: [{' '.join(field.patch_strategy)}]",
        )
    return strategies[0] if strategies else ""


_LISTS = (Kind.SLICE, Kind.ARRAY)


def _dereference_type(type_: GoType) -> GoType:
    return _elem(type_) if type_.kind is Kind.POINTER else type_


def _elem(type_: GoType) -> GoType:
    if type_.elem is None:
        raise TypeError(f"{type_} has no elements")
    return type_.elem


def _kind(type_: GoType) -> str:
    return type_.kind.value


@cache
def _fields(struct: GoType) -> Mapping[str, Field]:
    """The fields by JSON name, embedded structs included; case-folded names after the real ones."""
    named: dict[str, Field] = {field.json: field for field in struct.fields if not field.inline}
    for field in struct.fields:
        if field.inline:
            for name, inner in _fields(_dereference_type(field.type)).items():
                named.setdefault(name, inner)
    for name, field in list(named.items()):
        named.setdefault(_fold_case(name), field)
    return named


def _fold_case(name: str) -> str:
    """A name as encoding/json compares it where no field matches exactly."""
    return name.casefold()
