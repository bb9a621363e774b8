"""encoding/json's Marshal for Go values of any type."""

import math
import re
from binascii import b2a_base64
from collections.abc import Iterator
from functools import cache

import msgspec

from podgraft.golang.errors import FunctionError
from podgraft.golang.reflect import (
    Bool,
    Field,
    GoType,
    Kind,
    Method,
    Struct,
    Value,
    is_nil,
    type_of,
)
from podgraft.golang.strconv.ftoa import format_float
from podgraft.golang.utf8 import decode, encode

from .plain import format_number

_Path = tuple[Field, ...]

_NAMED = {"\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}
_UNSAFE = re.compile('["\\\\\x00-\x1f\u2028\u2029\udc80-\udcff]')
_UNSAFE_IN_HTML = re.compile("[<>&]")
_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|\{\}|\[\]|[{}\[\],:]|[^"{}\[\],:]+')


def marshal(value: Value, *, escape_html: bool = True) -> str:
    """json.Marshal; raises ``FunctionError`` for a value that JSON cannot represent."""
    text = _Encoder().encode_value(value)
    return _UNSAFE_IN_HTML.sub(_unicode_escape, text) if escape_html else text


def marshal_indent(value: Value) -> str:
    """json.MarshalIndent with two spaces."""
    out: list[str] = []
    margin = "\n"
    for piece in _PIECE.findall(marshal(value)):
        if piece in ("{", "["):
            margin += "  "
            out += piece, margin
        elif piece in ("}", "]"):
            margin = margin[:-2]
            out += margin, piece
        elif piece == ",":
            out += piece, margin
        else:
            out.append(": " if piece == ":" else piece)
    return "".join(out)


class _Encoder:
    """An encoder of one value that tracks the enclosing maps, lists, and pointers."""

    def __init__(self) -> None:
        self._inside: set[int] = set()

    def encode_value(self, value: Value) -> str:
        """Encode the value as JSON, without escapes for ``<``, ``>``, and ``&``."""
        # Most values are strings and numbers without methods.
        if value.__class__ is str:
            return _encode_string(value)
        if value.__class__ is int:
            return str(value)
        type_ = type_of(value)
        if type_ is None or is_nil(value):
            return "null"
        marshaler = _find_marshaler(type_) if type_.methods or type_.fields else None
        if marshaler is not None:
            return _call_marshaler(value, *marshaler)
        if type_.kind in _REFERENCES:
            return self._encode_reference(value, type_)
        is_struct = type_.kind is Kind.STRUCT
        return self._encode_struct(value) if is_struct else _encode_scalar(value, type_)

    def _encode_reference(self, value: Value, type_: GoType) -> str:
        """Encode a value that can contain itself."""
        if id(value) in self._inside:
            raise FunctionError(f"json: unsupported value: encountered a cycle via {type_}")
        self._inside.add(id(value))
        if type_.kind is Kind.POINTER:
            text = self.encode_value(value.target)
        elif type_.kind is Kind.MAP:
            text = self._encode_map(value, type_)
        else:
            text = self._encode_list(value, type_)
        self._inside.discard(id(value))
        return text

    def _encode_list(self, values: Value, type_: GoType) -> str:
        if type_.kind is Kind.SLICE and type_.elem and type_.elem.kind is Kind.UINT8:
            return f'"{b2a_base64(bytes(values), newline=False).decode()}"'
        return f"[{','.join(map(self.encode_value, values))}]"

    def _encode_map(self, values: Value, type_: GoType) -> str:
        if type_.key is None or type_.key.kind not in _KEYS:
            raise FunctionError(f"json: unsupported type: {type_}")
        entries = {str(key): value for key, value in values.items()}
        return self._encode_object((key, entries[key]) for key in sorted(entries, key=encode))

    def _encode_struct(self, value: Struct) -> str:
        """Encode a struct without a marshaler."""
        raws, members = value.raw, list[str]()
        for field in _fields(value.type):
            raw = raws.get(field.name) if field.is_direct else None
            if raw and raw.__class__ is field.plain:  # most values
                members.append(
                    field.key + (_encode_string(raw) if raw.__class__ is str else str(raw))
                )
            elif raw is not None or not field.is_omitted_if_absent:
                member = value.walk(field.path)
                if not _is_omitted(field.path[-1], member):
                    members.append(field.key + self.encode_value(member))
        return f"{{{','.join(members)}}}"

    def _encode_object(self, entries: Iterator[tuple[str, Value]]) -> str:
        members = (f"{_encode_string(key)}:{self.encode_value(value)}" for key, value in entries)
        return f"{{{','.join(members)}}}"


def _is_omitted(field: Field, value: Value) -> bool:
    """Whether a field is omitted; omitempty omits no struct."""
    return (field.omitempty and not value) or (field.omitzero and _is_zero(value))


def _is_zero(value: Value) -> bool:
    """Whether the value's method IsZero returns true, or it is the zero value."""
    if not isinstance(value, Struct):
        return not value
    member = value.type.member("IsZero")
    if member is not None and isinstance(member.target, Method):
        return member.target.call(value.walk(member.path))
    return all(_is_zero(value.get(field)) for field in value.type.fields)


@cache
def _find_marshaler(type_: GoType) -> tuple[str, _Path, Method] | None:
    """The name, path, and method of MarshalJSON or MarshalText; ``None`` if it has neither."""
    for name in ("MarshalJSON", "MarshalText"):
        member = type_.member(name)
        if member is not None and isinstance(member.target, Method):
            return name, member.path, member.target
    return None


def _call_marshaler(value: Value, name: str, path: _Path, method: Method) -> str:
    text = _text(method.call(value.walk(path) if path else value))
    return text if name == "MarshalJSON" else _encode_string(text)


def _encode_scalar(value: Value, type_: GoType) -> str:
    match value:
        case bool() | Bool():
            return "true" if value else "false"
        case str():
            return _encode_string(value)
        case int():
            return str(int(value))
        case float():
            return _encode_number(value, 32 if type_.kind is Kind.FLOAT32 else 64)
        case _:
            raise FunctionError(f"json: unsupported type: {type_}")


def _encode_number(value: float, bits: int) -> str:
    if not math.isfinite(value):
        raise FunctionError(f"json: unsupported value: {format_float(value, 'g')}")
    return format_number(value, bits)


def _encode_string(text: str) -> str:
    return f'"{_UNSAFE.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    if char >= "\udc80":
        return "\\ufffd"
    return _NAMED.get(char) or _unicode_escape(match)


def _unicode_escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


_REFERENCES = (Kind.ARRAY, Kind.MAP, Kind.POINTER, Kind.SLICE)
_KEYS = frozenset(
    kind for kind in Kind if kind is Kind.STRING or kind.value.startswith(("int", "uint"))
) - {Kind.INTERFACE}


class _EncodedField(msgspec.Struct, frozen=True):
    """A field of a struct's JSON object, with its path, which ends with the field.

    ``key`` is the text before the value. ``is_direct`` is whether the struct has the raw value
    under ``name``. ``plain`` is the class of raw values without methods.
    """

    name: str
    key: str
    path: _Path
    is_direct: bool
    is_omitted_if_absent: bool
    plain: type[str | int] | None


@cache
def _fields(type_: GoType) -> tuple[_EncodedField, ...]:
    """The fields of a struct's JSON object.

    Of fields with the same name, the shallowest wins; of two at the same depth, neither is encoded.
    """
    fields = [*_all_fields(type_, ())]
    depths: dict[str, list[int]] = {}
    for path, field in fields:
        depths.setdefault(field.json, []).append(len(path))
    return tuple(
        _EncodedField(
            name=field.json,
            key=f"{_encode_string(field.json)}:",
            path=(*path, field),
            is_direct=not path,
            is_omitted_if_absent=not path and _is_omitted_if_absent(field),
            plain=None if field.type.methods else _PLAIN.get(field.type.kind),
        )
        for path, field in fields
        if len(path) == min(depths[field.json]) and depths[field.json].count(len(path)) == 1
    )


_PLAIN: dict[Kind, type[str | int]] = {
    Kind.STRING: str,
    Kind.INT: int,
    Kind.INT32: int,
    Kind.INT64: int,
}


def _is_omitted_if_absent(field: Field) -> bool:
    """Whether the zero value of the field is empty; structs and arrays never are."""
    return field.omitempty and field.type.kind not in {Kind.STRUCT, Kind.ARRAY}


def _all_fields(type_: GoType, path: _Path) -> Iterator[tuple[_Path, Field]]:
    for field in type_.fields:
        if field.inline:
            yield from _all_fields(field.type, (*path, field))
        elif field.name[:1].isupper():
            yield path, field


def _text(value: Value) -> str:
    """The result of a marshaler, a string or []byte, as text."""
    return value if isinstance(value, str) else decode(bytes(value))
