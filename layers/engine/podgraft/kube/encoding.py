"""The encoder of Go's structs to JSON objects (encoding/json, Go 1.26)."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple, TypeAlias

from podgraft.base.jsonvalue import JSON
from podgraft.golang.reflect import GoType, Kind, Value

from .decoding import decode
from .json_codecs import MARSHALERS

Encode: TypeAlias = Callable[[Value], Value]


def encode(type_: GoType, raw: JSON) -> JSON:
    """Return the JSON that Go writes after it decoded ``raw``, to compare or to store.

    Fields have the order of the struct, and keys of maps are sorted. Zero values without omitempty
    are present, and so are structs even with omitempty (``resources: {}``). Raises ``DecodeError``.
    """
    return _encoder(type_)(decode(type_, raw))


class _FieldEncoder(NamedTuple):
    json: str
    encode: Encode
    omits: bool


class _StructEncoder:
    """The encoder of a struct, which is built for the first object of the type."""

    __slots__ = ("rows", "type")

    def __init__(self, type_: GoType) -> None:
        self.type = type_
        self.rows: Sequence[_FieldEncoder] = ()

    def encode(self, decoded: Value) -> Value:
        self.rows = self.rows or tuple(_field_encoders(self.type))
        raw: dict[str, Value] = decoded or {}
        return {
            row.json: row.encode(raw.get(row.json))
            for row in self.rows
            if not (row.omits and raw.get(row.json) is None)
        }


def _field_encoders(type_: GoType) -> Iterator[_FieldEncoder]:
    for field in type_.fields:
        if field.inline:
            yield from _field_encoders(field.type)
        else:
            # encoding/json never treats a struct as empty; omitzero calls its method IsZero.
            omits = field.omitzero or (field.omitempty and field.type.kind is not Kind.STRUCT)
            yield _FieldEncoder(field.json, _encoder(field.type), omits)


@cache
def _encoder(type_: GoType) -> Encode:
    if type_ in MARSHALERS:
        return _zero_for_null(MARSHALERS[type_].zero)
    match type_.kind, type_.elem:
        case Kind.STRUCT, _:
            return _StructEncoder(type_).encode
        case Kind.POINTER, GoType() as target:
            return _skip_nil(_encoder(target))
        case Kind.SLICE, GoType() as elem:
            return _skip_nil(_list(_encoder(elem)))
        case Kind.MAP, GoType() as elem:
            return _skip_nil(_map(_encoder(elem)))
        case Kind.STRING, _:
            return _zero_for_null("")
        case Kind.BOOL, _:
            return _zero_for_null(False)
        case _:
            return _zero_for_null(0)


def _zero_for_null(zero: JSON) -> Encode:
    return lambda decoded: zero if decoded is None else decoded


def _skip_nil(encode_target: Encode) -> Encode:
    return lambda decoded: None if decoded is None else encode_target(decoded)


def _list(encode_element: Encode) -> Encode:
    return lambda decoded: [encode_element(value) for value in decoded]


def _map(encode_element: Encode) -> Encode:
    return lambda decoded: {key: encode_element(decoded[key]) for key in sorted(decoded)}
