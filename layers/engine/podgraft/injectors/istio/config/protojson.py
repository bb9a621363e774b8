"""Istio's mesh messages as JSON: what fields there are, and how text becomes a message.

A message is a dict in protobuf's JSON form with its fields in declaration order: enums by name,
64-bit integers as text, durations as ``45s``, and nothing that is zero (except a set member of a
oneof), so printing it compactly is protojson. Reading follows golang/protobuf's jsonpb, which
istiod reads the mesh configuration and its annotations with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TypeAlias

from podgraft.go.json.unmarshal import unmarshal
from podgraft.injectors.istio import gojson, releases
from podgraft.injectors.istio.releases import Profile
from podgraft.jsonvalue import JSON, Object
from podgraft.lazy_dataclass import dataclass
from podgraft.lazy_re import lazy_compile
from podgraft.patch import pointer

from . import durations
from .mesh_table import ENUMS, MESSAGES

MESH_CONFIG = "v1alpha1.MeshConfig"
PROXY_CONFIG = "v1alpha1.ProxyConfig"
PROXY_CONFIG_RESOURCE = "v1beta1.ProxyConfig"

DURATION = "durationpb.Duration"
STRUCT = "structpb.Struct"

Message: TypeAlias = Object

_SHAPES = ("[]", "map[string]")


@dataclass(frozen=True, slots=True)
class FieldError:
    """A value that is not of its field's type; ``path`` is a JSON Pointer to it."""

    pointer: str
    problem: str

    def __str__(self) -> str:
        return f"{self.pointer}: {self.problem}" if self.pointer else self.problem


class MessageError(ValueError):
    """A message cannot be read; ``found`` is all that is wrong in it."""

    def __init__(self, *found: FieldError) -> None:
        super().__init__(*found)
        self.errors = found

    def __str__(self) -> str:
        return "; ".join(map(str, self.errors))


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A field: ``type`` is a scalar's word or a Go type's name, ``shape`` how many there are."""

    name: str
    json: str
    type: str
    shape: str  # of _SHAPES, or "" for one
    oneof: str


@dataclass(frozen=True, slots=True)
class MessageType:
    """A message's fields in declaration order, and by each name that JSON may give them."""

    name: str
    fields: tuple[Field, ...]
    by_key: Mapping[str, Field]


class Schema:
    """The messages as one release knows them."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self._types: dict[str, MessageType] = {}

    def type(self, name: str) -> MessageType:
        """The message type of that Go name."""
        if name not in self._types:
            self._types[name] = self._make_type(name)
        return self._types[name]

    def _make_type(self, name: str) -> MessageType:
        fields = tuple(
            field
            for field in map(_parse_field, MESSAGES[name].split("\n")[1:-1])
            if self._has_field(f"{name}.{field.name}", field.type)
        )
        by_key = {f.name: f for f in fields} | {f.json: f for f in fields}
        return MessageType(name, fields, by_key)

    def _has_field(self, field: str, type_: str) -> bool:
        spans = releases.MESH_FIELDS
        return self.profile.is_available(field, spans) and self.profile.is_available(
            f"{field} {type_}", spans
        )


@cache
def schema(profile: Profile) -> Schema:
    """The one schema of a release."""
    return Schema(profile)


@cache
def enum(name: str) -> Mapping[int, str]:
    """The names of an enum's members by their numbers."""
    members = (member.partition("=") for member in ENUMS[name].split())
    return {int(number): word for word, _, number in members}


def decode_message(schema: Schema, name: str, raw: JSON) -> Message:
    """The message that ``raw`` describes; unknown fields are left out, zeros stay as given.

    Raises ``MessageError``. Zeros matter where the message is laid over another: ``settled``
    takes them out.
    """
    found: list[FieldError] = []
    message = decode_valid_fields(schema, name, raw, found)
    if found:
        raise MessageError(*found)
    return message


def decode_valid_fields(schema: Schema, name: str, raw: JSON, found: list[FieldError]) -> Message:
    """The message without the fields that hold what is wrong, which is added to ``found``."""
    return _MessageDecoder(schema, found).decode_message(schema.type(name), raw, "")


def normalize(schema: Schema, name: str, message: Message) -> Message:
    """The message without zeros, its fields in order."""
    return {
        field.json: message[field.json]
        for field in schema.type(name).fields
        if field.json in message
        and (field.oneof or not _is_zero(schema, field, message[field.json]))
    }


def _parse_field(line: str) -> Field:
    """The field that a line of the table describes."""
    name, spelled, *oneof = line.split(" ")
    shape = next((prefix for prefix in _SHAPES if spelled.startswith(prefix)), "")
    first, *rest = name.split("_")
    return Field(
        name=name,
        json=first + "".join(word[:1].upper() + word[1:] for word in rest),
        type=spelled.removeprefix(shape),
        shape=shape,
        oneof="".join(oneof),
    )


def _is_zero(schema: Schema, field: Field, value: JSON) -> bool:
    """Whether protojson leaves the value out: not for messages and wrappers, which are set."""
    if field.shape:
        return not value and not schema.profile.empty_collections_kept
    if field.type in ENUMS:
        return value == enum(field.type).get(0)
    return field.type in _SCALARS and not value


@dataclass(frozen=True, slots=True)
class _MessageDecoder:
    """Reads messages; what is wrong is noted, and the field that holds it left out."""

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
            before = len(self.errors)
            read = self._decode_field(field, value, f"{path}/{pointer.escape(key)}")
            if len(self.errors) == before:
                message[field.json] = read
        return _resolve_oneofs(type_, message)

    def _decode_field(self, field: Field, raw: JSON, path: str) -> JSON:
        match field.shape, raw:
            case "", _:
                return self._decode_value(field.type, raw, path)
            case "[]", list():
                return [
                    self._decode_value(field.type, each, f"{path}/{index}")
                    for index, each in enumerate(raw)
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
        """The value of a map; gogo's jsonpb read a null as no message."""
        if raw is None and self.schema.profile.nil_tags_refused and type_ in MESSAGES:
            return None
        return self._decode_value(type_, raw, path)

    def _decode_value(self, type_: str, raw: JSON, path: str) -> JSON:
        try:
            if type_ in ENUMS:
                return _decode_enum(type_, raw)
            if type_ in _DECODERS:
                return _DECODERS[type_](raw)
        except (ValueError, OverflowError) as error:
            return self._add_error(path, str(error))
        read = self.decode_message(self.schema.type(type_), {} if raw is None else raw, path)
        return normalize(self.schema, type_, read)

    def _add_error(self, path: str, problem: str) -> None:
        self.errors.append(FieldError(path, problem))


def _resolve_oneofs(type_: MessageType, message: Message) -> Message:
    """The message with one member of each oneof: jsonpb keeps the one that is declared last."""
    chosen = {
        field.oneof: field.json for field in type_.fields if field.oneof and field.json in message
    }
    if not chosen:
        return message
    left = {
        field.json
        for field in type_.fields
        if field.oneof and chosen.get(field.oneof, field.json) != field.json
    }
    return {key: value for key, value in message.items() if key not in left}


def _decode_enum(type_: str, raw: JSON) -> JSON:
    names = enum(type_)
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
            shown = f'"{raw}"' if isinstance(raw, str) else raw
            raise ValueError(f"unknown value {shown} for enum {type_}; use {allowed}")


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
    def read(raw: JSON) -> JSON:
        value = _parse_quoted(raw) if isinstance(raw, str) else raw
        if value is None:
            return 0
        if value.__class__ not in (int, float):
            raise ValueError(f"{_unmarshal_error(value)} of type {name}")
        assert isinstance(value, int | float)  # noqa: S101 - for the type checker
        number = int(value) if float(value).is_integer() else None
        literal = str(raw).strip() if isinstance(raw, str) else gojson.encode(value)
        if isinstance(raw, str) and not _INTEGER.fullmatch(literal):
            number = None  # Go refuses the notation, not the value
        if number is None or not low <= number < high:
            raise ValueError(
                f"json: cannot unmarshal number {literal} into Go value of type {name}"
            )
        return number

    return read


def _parse_quoted(text: str) -> JSON:
    """The value of a number in quotes, of which jsonpb reads the content as JSON.

    Raises ``ValueError`` with encoding/json's text.
    """
    read = unmarshal(text)
    if read.error is not None:
        raise ValueError(read.error)
    return read.value


_INTEGER = lazy_compile("-?[0-9]+")
_NOT_FINITE = ("NaN", "Infinity", "-Infinity")


def _string_decoder(read: Callable[[JSON], JSON]) -> Callable[[JSON], JSON]:
    return lambda raw: str(read(raw))


def _decode_duration(raw: JSON) -> JSON:
    try:
        if isinstance(raw, str):
            return durations.format_protobuf(durations.parse(raw))
    except durations.DurationError as error:
        raise ValueError(f"bad Duration: {error}") from error
    raise ValueError(f'{_unmarshal_error(raw)} of type string; write it as "5s"')


def _decode_struct(raw: JSON) -> JSON:
    if isinstance(raw, dict):
        return raw
    raise ValueError(f"{_unmarshal_error(raw)} of type structpb.Struct")


def _unmarshal_error(raw: JSON) -> str:
    """The beginning of Go's complaint about a value of the wrong JSON type."""
    match raw:
        case bool():
            word = "bool"
        case int() | float():
            word = "number"
        case str():
            word = "string"
        case list():
            word = "array"
        case _:
            word = "object"
    return f"json: cannot unmarshal {word} into Go value"


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
