"""Istio's mesh messages as JSON: their fields, and the decoder.

A message is a dict in protobuf's JSON form, with its fields in declaration order. Enums are names,
64-bit integers are text, and durations have the form ``45s``. Zero values are absent, except set
members of a oneof. For this reason, compact JSON of a message is its protojson. The decoder follows
golang/protobuf's jsonpb, with which istiod reads the mesh configuration and its annotations.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TypeAlias

import msgspec

from podgraft.base.jsonvalue import JSON, Object
from podgraft.base.tables import read_table
from podgraft.core.injectors.istio.config.durations import format_protobuf
from podgraft.core.injectors.istio.releases import Profile
from podgraft.golang.json import plain
from podgraft.golang.json.unmarshal import unmarshal
from podgraft.golang.time import DurationError, parse_duration
from podgraft.kube.decode_errors import json_type_name
from podgraft.kube.patch import pointer

MESH_CONFIG = "v1alpha1.MeshConfig"
PROXY_CONFIG = "v1alpha1.ProxyConfig"
PROXY_CONFIG_RESOURCE = "v1beta1.ProxyConfig"

DURATION = "durationpb.Duration"
STRUCT = "structpb.Struct"

Message: TypeAlias = Object

# Istio's mesh messages; tools/generate/mesh_types.py writes the table.
_TABLE = read_table(__file__, "mesh.json")
# An enum by its Go name: its members, as NAME=NUMBER.
ENUMS: Mapping[str, str] = _TABLE["enums"]
# A message by its Go name: a row a field, in declaration order: proto name, type, oneof.
MESSAGES: Mapping[str, Sequence[str]] = _TABLE["messages"]

_SHAPES = ("[]", "map[string]")


class FieldError(msgspec.Struct, frozen=True):
    """A value of another type than its field; ``pointer`` is its JSON Pointer."""

    pointer: str
    problem: str

    def __str__(self) -> str:
        return f"{self.pointer}: {self.problem}" if self.pointer else self.problem


class MessageError(ValueError):
    """A message does not decode; ``errors`` are all of its errors."""

    def __init__(self, *errors: FieldError) -> None:
        super().__init__(*errors)
        self.errors = errors

    def __str__(self) -> str:
        return "; ".join(map(str, self.errors))


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """A field; ``type`` names a scalar or a Go type, and ``shape`` is one of _SHAPES or empty."""

    name: str
    json: str
    type: str
    shape: str  # one of _SHAPES, or "" for a single value
    oneof: str


class MessageType(msgspec.Struct, frozen=True):
    """The fields of a message in declaration order, and by each of their JSON names."""

    name: str
    fields: tuple[Field, ...]
    by_key: Mapping[str, Field]


class Schema:
    """The message types of one release."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self._types: dict[str, MessageType] = {}
        self._enums: dict[str, Mapping[int, str]] = {}

    def type(self, name: str) -> MessageType:
        """Return the message type with a Go name."""
        if name not in self._types:
            self._types[name] = self._make_type(name)
        return self._types[name]

    def enum_members(self, name: str) -> Mapping[int, str]:
        """Return the names of an enum's members in the release, by number."""
        if name not in self._enums:
            self._enums[name] = {
                number: member
                for number, member in enum(name).items()
                if self.profile.has_mesh_name(f"{name}.{member}")
            }
        return self._enums[name]

    def _make_type(self, name: str) -> MessageType:
        fields = tuple(
            field
            for field in map(_parse_field, MESSAGES[name])
            if self._has_field(f"{name}.{field.name}", field.type)
        )
        by_key = {f.name: f for f in fields} | {f.json: f for f in fields}
        return MessageType(name, fields, by_key)

    def _has_field(self, field: str, type_: str) -> bool:
        has_name = self.profile.has_mesh_name
        return has_name(field) and has_name(f"{field} {type_}")


@cache
def schema(profile: Profile) -> Schema:
    """Return the schema of a release."""
    return Schema(profile)


@cache
def enum(name: str) -> Mapping[int, str]:
    """Return the names of an enum's members by number."""
    members = (member.partition("=") for member in ENUMS[name].split())
    return {int(number): member_name for member_name, _, number in members}


def decode_message(schema: Schema, name: str, raw: JSON) -> Message:
    """Decode a message; unknown fields are dropped, and zeros are preserved.

    Raises ``MessageError``. A merge needs the zeros of a layer; ``normalize`` removes them.
    """
    errors: list[FieldError] = []
    message = decode_valid_fields(schema, name, raw, errors)
    if errors:
        raise MessageError(*errors)
    return message


def decode_valid_fields(schema: Schema, name: str, raw: JSON, errors: list[FieldError]) -> Message:
    """Decode a message without its invalid fields, and add their errors to ``errors``."""
    return _MessageDecoder(schema, errors).decode_message(schema.type(name), raw, "")


def normalize(schema: Schema, name: str, message: Message) -> Message:
    """Return the message without zeros, with its fields in order."""
    return {
        field.json: message[field.json]
        for field in schema.type(name).fields
        if field.json in message
        and (field.oneof or not _is_zero(schema, field, message[field.json]))
    }


def _parse_field(row: str) -> Field:
    """Parse a row of the table to a field."""
    name, type_text, *oneof = row.split(" ")
    shape = next((prefix for prefix in _SHAPES if type_text.startswith(prefix)), "")
    first, *others = name.split("_")
    return Field(
        name=name,
        json=first + "".join(part[:1].upper() + part[1:] for part in others),
        type=type_text.removeprefix(shape),
        shape=shape,
        oneof="".join(oneof),
    )


def _is_zero(schema: Schema, field: Field, value: JSON) -> bool:
    """Whether protojson omits the value; it never omits messages and wrappers."""
    if field.shape:
        return not value and not schema.profile.prints_empty_collections
    if field.type in ENUMS:
        return value == enum(field.type).get(0)
    return field.type in _SCALARS and not value


class _MessageDecoder(msgspec.Struct, frozen=True):
    """Decodes messages; collects errors, and drops invalid fields."""

    schema: Schema
    errors: list[FieldError]

    def decode_message(self, type_: MessageType, raw: JSON, path: str) -> Message:
        if not isinstance(raw, dict):
            self._add_error(path, f"{_unmarshal_error(raw)} of type map[string]json.RawMessage")
            return {}
        message: Message = {}
        for key, value in raw.items():
            field = type_.by_key.get(key)
            if field is None or value is None or (key != field.json and field.json in raw):
                continue
            error_count = len(self.errors)
            member = self._decode_field(field, value, f"{path}/{pointer.escape(key)}")
            if len(self.errors) == error_count:
                message[field.json] = member
        return _resolve_oneofs(type_, message)

    def _decode_field(self, field: Field, raw: JSON, path: str) -> JSON:
        match field.shape, raw:
            case "", _:
                return self._decode_value(field.type, raw, path)
            case "[]", list():
                return [
                    self._decode_value(field.type, element, f"{path}/{index}")
                    for index, element in enumerate(raw)
                ]
            case "map[string]", dict():
                return {
                    key: self._decode_entry(field.type, raw[key], f"{path}/{pointer.escape(key)}")
                    for key in sorted(raw)
                }
            case _:
                return self._add_error(
                    path, f"{_unmarshal_error(raw)} of type {field.shape}json.RawMessage"
                )

    def _decode_entry(self, type_: str, raw: JSON, path: str) -> JSON:
        """Decode a value of a map; gogo's jsonpb decodes null to a nil message."""
        if raw is None and self.schema.profile.nil_tags_refused and type_ in MESSAGES:
            return None
        return self._decode_value(type_, raw, path)

    def _decode_value(self, type_: str, raw: JSON, path: str) -> JSON:
        try:
            if type_ in ENUMS:
                return _decode_enum(type_, self.schema.enum_members(type_), raw)
            if type_ in _DECODERS:
                return _DECODERS[type_](raw)
        except (ValueError, OverflowError) as error:
            return self._add_error(path, str(error))
        message = self.decode_message(self.schema.type(type_), {} if raw is None else raw, path)
        return normalize(self.schema, type_, message)

    def _add_error(self, path: str, problem: str) -> None:
        self.errors.append(FieldError(path, problem))


def _resolve_oneofs(type_: MessageType, message: Message) -> Message:
    """Return the message with one member of each oneof; in jsonpb, the last declared one wins."""
    last_members = {
        field.oneof: field.json for field in type_.fields if field.oneof and field.json in message
    }
    if not last_members:
        return message
    dropped = {
        field.json
        for field in type_.fields
        if field.oneof and last_members.get(field.oneof, field.json) != field.json
    }
    return {key: value for key, value in message.items() if key not in dropped}


def _decode_enum(type_: str, names: Mapping[int, str], raw: JSON) -> JSON:
    match raw:
        case None:
            return names.get(0, 0)
        case str() if raw in names.values():
            return raw
        case int() if not isinstance(raw, bool):
            return names.get(raw, raw)
        case float() if raw.is_integer():
            return names.get(int(raw), int(raw))
        case _:
            allowed = ", ".join(names.values())
            value_text = f'"{raw}"' if isinstance(raw, str) else raw
            raise ValueError(f"unknown value {value_text} for enum {type_}; use {allowed}")


def _decode_string(raw: JSON) -> JSON:
    if raw is None:
        return ""
    if isinstance(raw, str):
        return raw
    raise ValueError(f"{_unmarshal_error(raw)} of type string")


def _decode_bool(raw: JSON) -> JSON:
    if raw is None or isinstance(raw, bool):
        return bool(raw)
    raise ValueError(f"{_unmarshal_error(raw)} of type bool")


def _decode_double(raw: JSON) -> JSON:
    if isinstance(raw, str) and raw.strip() in _NOT_FINITE:
        return raw.strip()
    value = _parse_quoted(raw) if isinstance(raw, str) else raw
    if value is None:
        return 0.0
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    raise ValueError(f"{_unmarshal_error(value)} of type float64")


def _integer_decoder(name: str, low: int, high: int) -> Callable[[JSON], JSON]:
    def decode_integer(raw: JSON) -> JSON:
        value = _parse_quoted(raw) if isinstance(raw, str) else raw
        if value is None:
            return 0
        if value.__class__ not in (int, float):
            raise ValueError(f"{_unmarshal_error(value)} of type {name}")
        assert isinstance(value, int | float)  # noqa: S101 - for the type checker
        number = int(value) if float(value).is_integer() else None
        literal = str(raw).strip() if isinstance(raw, str) else plain.encode(value)
        if isinstance(raw, str) and not _INTEGER.fullmatch(literal):
            number = None  # Go rejects the notation, not the value
        if number is None or not low <= number < high:
            raise ValueError(
                f"json: cannot unmarshal number {literal} into Go value of type {name}"
            )
        return number

    return decode_integer


def _parse_quoted(text: str) -> JSON:
    """Parse a quoted number; jsonpb parses its content as JSON.

    Raises ``ValueError`` with encoding/json's text.
    """
    result = unmarshal(text)
    if result.error is not None:
        raise ValueError(result.error)
    return result.value


_INTEGER = re.compile("-?[0-9]+")
_NOT_FINITE = ("NaN", "Infinity", "-Infinity")


def _string_decoder(decode: Callable[[JSON], JSON]) -> Callable[[JSON], JSON]:
    return lambda raw: str(decode(raw))


def _decode_duration(raw: JSON) -> JSON:
    try:
        if isinstance(raw, str):
            return format_protobuf(parse_duration(raw))
    except DurationError as error:
        raise ValueError(f"bad Duration: {error}") from error
    raise ValueError(f'{_unmarshal_error(raw)} of type string; write it as "5s"')


def _decode_struct(raw: JSON) -> JSON:
    if isinstance(raw, dict):
        return raw
    raise ValueError(f"{_unmarshal_error(raw)} of type structpb.Struct")


def _unmarshal_error(raw: JSON) -> str:
    """Return the start of Go's error text for a value of another JSON type."""
    type_name = "object" if raw is None else json_type_name(raw)
    return f"json: cannot unmarshal {type_name} into Go value"


_int32 = _integer_decoder("int32", -(1 << 31), 1 << 31)
_uint32 = _integer_decoder("uint32", 0, 1 << 32)
_int64 = _integer_decoder("int64", -(1 << 63), 1 << 63)
_uint64 = _integer_decoder("uint64", 0, 1 << 64)

_SCALARS: dict[str, Callable[[JSON], JSON]] = {
    "string": _decode_string,
    "bool": _decode_bool,
    "int32": _int32,
    "uint32": _uint32,
    "double": _decode_double,
}
_DECODERS: dict[str, Callable[[JSON], JSON]] = _SCALARS | {
    DURATION: _decode_duration,
    STRUCT: _decode_struct,
    "wrapperspb.BoolValue": _decode_bool,
    "wrapperspb.Int32Value": _int32,
    "wrapperspb.UInt32Value": _uint32,
    "wrapperspb.Int64Value": _string_decoder(_int64),
    "wrapperspb.UInt64Value": _string_decoder(_uint64),
}
