"""The decoder of cel-cpp's serialized ``CheckedExpr``, straight from protobuf's wire format.

The message is cel/expr/checked.proto of the CEL specification.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from .syntax import Call, Comprehension, Constant, Ident, ListOf, MapOf, Node, Select
from .values import Uint, Value

# A message as its fields: number, and an integer or the bytes of text, double or message.
_Fields: TypeAlias = tuple[tuple[int, int | bytes], ...]


@dataclass(frozen=True, slots=True)
class CheckedExpr:
    """An expression that passed the checker; ``positions`` is a node's ``at`` to its offset."""

    root: Node
    positions: dict[int, int]


def decode_checked_expr(serialised: bytes) -> CheckedExpr:
    """The tree in a ``google.protobuf.Any`` that holds a ``CheckedExpr``."""
    checked = _message(_message(serialised), 2)
    positions = {
        _number(entry, 1): _number(entry, 2) for entry in _messages(_message(checked, 5), 4)
    }
    return CheckedExpr(_node(_message(checked, 4)), positions)


def _node(fields: _Fields) -> Node:
    expr_id = _number(fields, 2)
    kind = next(number for number, _ in fields if number != _ID)
    return _READERS[kind](expr_id, _message(fields, kind))


_ID = 2


def _constant(expr_id: int, fields: _Fields) -> Node:
    kind, raw = fields[0]
    if isinstance(raw, bytes):
        value: Value = raw if kind == _BYTES else raw.decode() if kind == _STRING else _double(raw)
        return Constant(expr_id, value)
    match kind:
        case 1:
            return Constant(expr_id, None)
        case 2:
            return Constant(expr_id, bool(raw))
        case 3:
            return Constant(expr_id, raw - 2**64 if raw >= 2**63 else raw)
        case _:
            return Constant(expr_id, Uint(raw))


_STRING, _BYTES = 6, 7


def _double(raw: bytes) -> float:
    return float(struct.unpack("<d", raw)[0])


def _ident(expr_id: int, fields: _Fields) -> Node:
    return Ident(expr_id, _text(fields, 1).removeprefix("."))


def _select(expr_id: int, fields: _Fields) -> Node:
    return Select(expr_id, _child(fields, 1), _text(fields, 2), bool(_number(fields, 3)))


def _call(expr_id: int, fields: _Fields) -> Node:
    target = tuple(_node(child_fields) for child_fields in _messages(fields, 1))
    arguments = tuple(_node(child_fields) for child_fields in _messages(fields, 3))
    return Call(expr_id, _text(fields, 2), target + arguments)


def _list(expr_id: int, fields: _Fields) -> Node:
    elements = tuple(_node(child_fields) for child_fields in _messages(fields, 1))
    return ListOf(expr_id, elements, frozenset(_packed_varints(fields, 2)))


def _map(expr_id: int, fields: _Fields) -> Node:
    return MapOf(
        expr_id,
        tuple(
            (_child(entry, 3), _child(entry, 4), bool(_number(entry, 5)))
            for entry in _messages(fields, 2)
        ),
    )


def _fold(expr_id: int, fields: _Fields) -> Node:
    return Comprehension(
        at=expr_id,
        variable=_text(fields, 1),
        second_variable=_text(fields, 8),
        range=_child(fields, 2),
        accumulator=_text(fields, 3),
        initial=_child(fields, 4),
        condition=_child(fields, 5),
        step=_child(fields, 6),
        result=_child(fields, 7),
    )


_READERS = {3: _constant, 4: _ident, 5: _select, 6: _call, 7: _list, 8: _map, 9: _fold}


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Protobuf's encoding: a key of field number and wire type, then the field."""
    position = 0
    while position < len(data):
        key, position = _varint(data, position)
        match key & 7:
            case 0:
                value, position = _varint(data, position)
                yield key >> 3, value
            case 1:
                yield key >> 3, data[position : position + 8]
                position += 8
            case _:
                length, position = _varint(data, position)
                yield key >> 3, data[position : position + length]
                position += length


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:  # noqa: PLR2004 - the bit that says more follows
            return value, position
        shift += 7


def _message(parent: bytes | _Fields, number: int | None = None) -> _Fields:
    """A message from its bytes, or the field ``number`` of another (empty where absent)."""
    if isinstance(parent, bytes):
        return tuple(_fields(parent))
    return next((message for message in _messages(parent, number or 0)), ())


def _messages(parent: _Fields, number: int) -> list[_Fields]:
    return [
        tuple(_fields(raw)) for field, raw in parent if field == number and isinstance(raw, bytes)
    ]


def _child(parent: _Fields, number: int) -> Node:
    return _node(_message(parent, number))


def _text(parent: _Fields, number: int) -> str:
    return next((raw.decode() for n, raw in parent if n == number and isinstance(raw, bytes)), "")


def _number(parent: _Fields, number: int) -> int:
    return next((raw for n, raw in parent if n == number and isinstance(raw, int)), 0)


def _packed_varints(parent: _Fields, number: int) -> Iterator[int]:
    for field, raw in parent:
        if field == number and isinstance(raw, int):
            yield raw
        elif field == number and isinstance(raw, bytes):
            position = 0
            while position < len(raw):
                value, position = _varint(raw, position)
                yield value
