"""Typed JSON as Go values: the reading that values.go does, for the engine."""

from podgraft import govalue as go
from podgraft.govalue import GoType, Kind, Value

from .universe import TYPES


def decode(raw: Value) -> Value:
    """The Go value that typed JSON describes; see values.go for its form."""
    match raw:
        case {"$type": str(name)}:
            return _typed(type_named(name), raw.get("value"))
        case dict():
            return {key: decode(item) for key, item in raw.items()}
        case list():
            return [decode(item) for item in raw]
        case _:
            return raw


def type_named(name: str) -> GoType:
    """The type that Go prints as ``name``."""
    if name.startswith("*"):
        return go.pointer_to(type_named(name[1:]))
    if name.startswith("map["):
        key, _, elem = name[len("map[") :].partition("]")
        return go.map_of(type_named(key), type_named(elem))
    if name.startswith("["):
        length, _, elem = name[1:].partition("]")
        elem_type = type_named(elem)
        return go.array_of(int(length), elem_type) if length else go.slice_of(elem_type)
    return TYPES[name]


def _typed(type_: GoType, raw: Value) -> Value:
    if raw is None:
        return type_.convert(None)
    match type_.kind:
        case Kind.INTERFACE:
            return decode(raw)
        case Kind.STRUCT:
            fields = {field.json: field.type for field in type_.fields}
            raw = {name: _typed(fields[name], item) for name, item in raw.items()}
        case Kind.POINTER:
            return go.Pointer(type_, _typed(_elem(type_), raw))
        case Kind.SLICE | Kind.ARRAY:
            raw = [_typed(_elem(type_), item) for item in raw]
        case Kind.MAP:
            raw = _pairs(type_, raw)
        case Kind.FLOAT32 | Kind.FLOAT64:
            raw = float(raw)
        case Kind.COMPLEX64 | Kind.COMPLEX128:
            raw = complex(*map(float, raw))
        case Kind.STRING if isinstance(raw, dict):
            raw = bytes.fromhex(raw["hex"]).decode("utf-8", "surrogateescape")
        case _:
            pass
    return type_.convert(raw)


def _pairs(type_: GoType, raw: Value) -> dict[Value, Value]:
    key_type, elem_type = type_.key or go.STRING, _elem(type_)
    pairs = raw.items() if isinstance(raw, dict) else raw
    return {_typed(key_type, key): _typed(elem_type, item) for key, item in pairs}


def _elem(type_: GoType) -> GoType:
    assert type_.elem is not None
    return type_.elem
