"""Typed JSON as Go values: the reading that values.go does, for the engine."""

from collections.abc import Iterable
from typing import cast

from podgraft.base.jsonvalue import JSON
from podgraft.golang import reflect as go
from podgraft.golang.reflect import GoType, Kind, Value

from .go_types import TYPES, array_of


def decode(raw: JSON) -> Value:
    """The Go value that typed JSON describes; see values.go for its form."""
    if isinstance(raw, list):
        return [decode(item) for item in raw]
    if not isinstance(raw, dict):
        return raw
    if "$type" in raw:
        return _decode_type(find_type(str(raw["$type"])), raw.get("value"))
    return {key: decode(item) for key, item in raw.items()}


def find_type(name: str) -> GoType:
    """The type that Go prints as ``name``."""
    if name.startswith("*"):
        return go.pointer_to(find_type(name[1:]))
    if name.startswith("map["):
        key, _, elem = name[len("map[") :].partition("]")
        return go.map_of(find_type(key), find_type(elem))
    if name.startswith("["):
        length, _, elem = name[1:].partition("]")
        elem_type = find_type(elem)
        return array_of(int(length), elem_type) if length else go.slice_of(elem_type)
    return TYPES[name]


def _decode_type(type_: GoType, raw: JSON) -> Value:
    if raw is None:
        return type_.convert(None)
    match type_.kind:
        case Kind.INTERFACE:
            return decode(raw)
        case Kind.STRUCT:
            fields = {field.json: field.type for field in type_.fields}
            items = cast("dict[str, JSON]", raw).items()
            return type_.convert({name: _decode_type(fields[name], item) for name, item in items})
        case Kind.POINTER:
            return go.Pointer(type_, _decode_type(_elem(type_), raw))
        case Kind.SLICE | Kind.ARRAY:
            return type_.convert(
                [_decode_type(_elem(type_), item) for item in cast("list[JSON]", raw)]
            )
        case Kind.MAP:
            key_type = type_.key or go.STRING
            pairs = (
                (_decode_type(key_type, k), _decode_type(_elem(type_), v)) for k, v in _pairs(raw)
            )
            return type_.convert(dict(pairs))
        case _:
            return type_.convert(_scalar(type_.kind, raw))


def _pairs(raw: JSON) -> Iterable[tuple[JSON, JSON]]:
    if isinstance(raw, dict):
        return raw.items()
    return cast("list[tuple[JSON, JSON]]", raw)


def _scalar(kind: Kind, raw: JSON) -> Value:
    match kind:
        case Kind.FLOAT32 | Kind.FLOAT64:
            return float(cast("str | float", raw))
        case Kind.COMPLEX64 | Kind.COMPLEX128:
            real, imaginary = cast("list[str | float]", raw)
            return complex(float(real), float(imaginary))
        case Kind.STRING if isinstance(raw, dict):
            return bytes.fromhex(str(raw["hex"])).decode("utf-8", "surrogateescape")
        case _:
            return raw


def _elem(type_: GoType) -> GoType:
    assert type_.elem is not None
    return type_.elem
