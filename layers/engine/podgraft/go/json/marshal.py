"""JSON as Go's encoding/json writes it, from Go values of any type."""

import math
import re
from binascii import b2a_base64
from collections.abc import Iterator
from functools import cache

from podgraft.go.errors import FunctionError
from podgraft.go.reflect import (
    Bool,
    Field,
    GoType,
    Kind,
    Map,
    Method,
    Pointer,
    Slice,
    Struct,
    Value,
    type_of,
)
from podgraft.go.strconv.ftoa import format_float
from podgraft.go.utf8 import decode, encode
from podgraft.lazy_re import lazy_compile

_NAMED = {"\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}
_UNSAFE = lazy_compile('["\\\\\x00-\x1f\u2028\u2029\udc80-\udcff]')
_UNSAFE_IN_HTML = lazy_compile("[<>&]")
_PIECE = lazy_compile(r'"(?:[^"\\]|\\.)*"|\{\}|\[\]|[{}\[\],:]|[^"{}\[\],:]+')


def marshal(value: Value, *, escape_html: bool = True) -> str:
    """json.Marshal; raises ``FunctionError`` for what JSON cannot hold."""
    text = _Encoder().encode_value(value)
    return _UNSAFE_IN_HTML.sub(_unicode_escape, text) if escape_html else text


def marshal_indent(value: Value) -> str:
    """json.MarshalIndent by two blanks."""
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
    """Writes one value; knows the maps, lists and pointers it is inside of."""

    def __init__(self) -> None:
        self._inside: set[int] = set()

    def encode_value(self, value: Value) -> str:
        """The value's JSON, with ``<``, ``>`` and ``&`` as they are."""
        type_ = type_of(value)
        if type_ is None or _is_nil(value):
            return "null"
        marshaled = _call_marshaler(value, type_) if type_.methods or type_.fields else None
        if marshaled is not None:
            return marshaled
        if type_.kind in _REFERENCES:
            return self._encode_reference(value, type_)
        return (
            self._encode_struct(value)
            if type_.kind is Kind.STRUCT
            else _encode_scalar(value, type_)
        )

    def _encode_reference(self, value: Value, type_: GoType) -> str:
        """What may hold itself."""
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
        return self._encode_object(
            (field.json, found)
            for path, field in _fields(value.type)
            if not _is_omitted(field, found := value.walk((*path, field)))
        )

    def _encode_object(self, entries: Iterator[tuple[str, Value]]) -> str:
        return f"{{{','.join(f'{_encode_string(key)}:{self.encode_value(value)}' for key, value in entries)}}}"  # noqa: E501


def _is_omitted(field: Field, value: Value) -> bool:
    """Whether a field is left out; to omitempty no struct is empty."""
    return (field.omitempty and not value) or (field.omitzero and _is_zero(value))


def _is_zero(value: Value) -> bool:
    """Whether its own method IsZero says so, or it is the zero value."""
    if not isinstance(value, Struct):
        return not value
    member = value.type.member("IsZero")
    if member is not None and isinstance(member.target, Method):
        return member.target.call(value.walk(member.path))
    return all(_is_zero(value.get(field)) for field in value.type.fields)


def _is_nil(value: Value) -> bool:
    match value:
        case Map() | Slice():
            return value.raw is None
        case Pointer():
            return value.target is None
        case _:
            return False


def _call_marshaler(value: Value, type_: GoType) -> str | None:
    """What the value's own MarshalJSON, or MarshalText, makes of it."""
    for name in ("MarshalJSON", "MarshalText"):
        member = type_.member(name)
        if member is not None and isinstance(member.target, Method):
            text = _text(member.target.call(value.walk(member.path) if member.path else value))
            return text if name == "MarshalJSON" else _encode_string(text)
    return None


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
    """As ECMAScript writes numbers: few have an exponent, and none a zero in front of it."""
    if not math.isfinite(value):
        raise FunctionError(f"json: unsupported value: {format_float(value, 'g')}")
    if value == 0 or _LEAST_PLAIN <= abs(value) < _LEAST_EXPONENT:
        return format_float(value, "f", bits=bits)
    return format_float(value, "e", bits=bits).replace("e-0", "e-")


def _encode_string(text: str) -> str:
    return f'"{_UNSAFE.sub(_escape, text)}"'


def _escape(found: re.Match[str]) -> str:
    char = found[0]
    if char >= "\udc80":
        return "\\ufffd"
    return _NAMED.get(char) or _unicode_escape(found)


def _unicode_escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


_LEAST_PLAIN, _LEAST_EXPONENT = 1e-6, 1e21
_REFERENCES = (Kind.ARRAY, Kind.MAP, Kind.POINTER, Kind.SLICE)
_KEYS = frozenset(
    kind for kind in Kind if kind is Kind.STRING or kind.value.startswith(("int", "uint"))
) - {Kind.INTERFACE}

_Path = tuple[Field, ...]


@cache
def _fields(type_: GoType) -> tuple[tuple[_Path, Field], ...]:
    """The fields of a struct's JSON object, each with the embedded fields on the way to it.

    Of fields with one name the shallowest counts, and none where two are equally deep.
    """
    found = [*_all_fields(type_, ())]
    depths: dict[str, list[int]] = {}
    for path, field in found:
        depths.setdefault(field.json, []).append(len(path))
    return tuple(
        (path, field)
        for path, field in found
        if len(path) == min(depths[field.json]) and depths[field.json].count(len(path)) == 1
    )


def _all_fields(type_: GoType, path: _Path) -> Iterator[tuple[_Path, Field]]:
    for field in type_.fields:
        if field.inline:
            yield from _all_fields(field.type, (*path, field))
        elif field.name[:1].isupper():
            yield path, field


def _text(value: Value) -> str:
    """What a marshaler returned, a string or []byte, as text."""
    return value if isinstance(value, str) else decode(bytes(value))
