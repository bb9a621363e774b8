"""Go types of Istio's mesh messages for templates: pointers to structs, with nil-safe getters.

``MeshTypes(schema).pointer(PROXY_CONFIG).convert(message)`` converts a message (protojson.py) to a
``*v1alpha1.ProxyConfig``. Fields have the names of protoc-gen-go. Members of a oneof are available
by getter only, and ``nil.GetTracing.GetZipkin`` is nil.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache

from podgraft.core.injectors.istio.config.durations import split_protobuf
from podgraft.core.injectors.istio.config.protojson import (
    DURATION,
    ENUMS,
    STRUCT,
    Field,
    Schema,
    enum,
)
from podgraft.golang import reflect
from podgraft.golang import time as gotime
from podgraft.golang.errors import FunctionError
from podgraft.golang.json import plain
from podgraft.golang.reflect import GoType, Kind, Method, Value
from podgraft.golang.reflect.tainted_values import remove_taint
from podgraft.golang.time import SECOND

from . import prototext

_BYTES = reflect.slice_of(reflect.UINT8)
_ENUM_NUMBER = reflect.scalar_type("protoreflect.EnumNumber", Kind.INT32)
_SCALARS = {
    "string": reflect.STRING,
    "bool": reflect.BOOL,
    "int32": reflect.INT32,
    "int64": reflect.INT64,
    "uint32": reflect.UINT32,
    "uint64": reflect.UINT64,
    "double": reflect.FLOAT64,
}
WRAPPED = {
    f"wrapperspb.{name}Value": name.lower()
    for name in ("Bool", "Int32", "Int64", "UInt32", "UInt64")
}


class MeshTypes:
    """The Go types of one release's messages, each created once."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self._structs: dict[str, GoType] = {}

    def pointer(self, name: str) -> GoType:
        """Return the type ``*name``; its ``convert`` converts a message, and None to nil."""
        with reflect.TYPES_LOCK:
            if name not in self._structs:
                self._structs[name] = reflect.LazyStruct(name, make_members=self._make_members)
            return reflect.pointer_to(self._structs[name])

    def _make_members(
        self, message: GoType
    ) -> tuple[tuple[reflect.Field, ...], Mapping[str, Method]]:
        fields = {each: self._make_field(each) for each in self.schema.type(message.name).fields}
        methods = _message_methods(self.schema, message.name) | {
            f"Get{go.name}": _getter_method(go) for go in fields.values()
        }
        return tuple(go for field, go in fields.items() if not field.oneof), methods

    def _make_field(self, field: Field) -> reflect.Field:
        return reflect.Field(
            go_name(field.name), self._field_type(field), field.json, omitempty=True
        )

    def _field_type(self, field: Field) -> GoType:
        elem = self._element_type(field.type)
        match field.shape:
            case "[]":
                return reflect.slice_of(elem)
            case "map[string]":
                return reflect.map_of(reflect.STRING, elem)
            case _:
                return elem

    def _element_type(self, name: str) -> GoType:
        if name in _SCALARS:
            return _SCALARS[name]
        return _enum_type(name) if name in ENUMS else _well_known_type(name) or self.pointer(name)


@cache
def types(schema: Schema) -> MeshTypes:
    """Return the Go types of a schema."""
    return MeshTypes(schema)


def go_name(proto: str) -> str:
    """Return the Go name of a field (protoc-gen-go's GoCamelCase).

    >>> go_name("statsd_udp_address"), go_name("mesh_mTLS"), go_name("consecutive_5xx_errors")
    ('StatsdUdpAddress', 'MeshMTLS', 'Consecutive_5XxErrors')
    """
    return _WORDS.sub(lambda match: (match[1] or "").upper() + (match[2] or ""), proto)


# Methods of messages that return interfaces or copies, or change the message.
_REFUSED = "DeepCopy DeepCopyInterface ProtoReflect UnmarshalJSON"


def _message_methods(schema: Schema, name: str) -> dict[str, Method]:
    """The methods of a message in addition to its getters."""

    def format_text(struct: reflect.Struct | None) -> str:
        if struct is None:
            return "<nil>"
        return prototext.format_message(schema, name, remove_taint(struct).raw)

    def marshal_json(struct: reflect.Struct | None) -> Value:
        return [*plain.encode(remove_taint(struct).raw).encode()] if struct else [*b"null"]

    oneofs = {f"Get{go_name(field.oneof)}" for field in schema.type(name).fields if field.oneof}
    return {
        "MarshalJSON": Method(marshal_json, pointer=True, result=_BYTES),
        "String": Method(format_text, pointer=True, result=reflect.STRING),
        **reflect.refused_methods(name, _REFUSED),
        **reflect.refused_methods(name, " ".join(sorted(oneofs))),
    }


def _getter_method(field: reflect.Field) -> Method:
    def get(struct: reflect.Struct | None) -> Value:
        return field.type.convert(None) if struct is None else struct.get(field)

    return Method(get, pointer=True, result=field.type)


@cache
def _enum_type(name: str) -> GoType:
    names = enum(name)
    numbers = {member_name: number for number, member_name in names.items()}

    def name_of(value: Value) -> str:
        return names.get(value, str(int(value)))

    def point_to(value: Value) -> Value:
        return reflect.pointer_to(go_type).convert(value)

    methods = {
        "Enum": Method(point_to),
        "Number": Method(_enum_number, result=_ENUM_NUMBER),
        "String": Method(name_of, result=reflect.STRING),
        **reflect.refused_methods(name, "Descriptor Type"),
    }
    go_type = reflect.scalar_type(name, Kind.INT32, methods)
    _set_conversion(go_type, lambda raw: numbers.get(raw, raw))
    return go_type


@cache
def _well_known_type(name: str) -> GoType | None:
    """Return the type of a well-known message; ``convert`` adds the fields that JSON omits."""
    if name == DURATION:
        return DURATION_POINTER
    if name in WRAPPED:
        return _message_type(
            name,
            {"Value": _SCALARS[WRAPPED[name]]},
            _wrapper_unpacker(name),
            lambda struct: prototext.format_wrapper(name, struct.raw.get("value")),
        )
    if name == STRUCT:
        return _message_type(
            name,
            {"Fields": reflect.ANY_MAP},
            lambda raw: {"fields": raw},
            lambda struct: prototext.format_struct(struct.raw["fields"]),
            "AsMap MarshalJSON UnmarshalJSON",
        )
    return None


def _message_type(
    name: str,
    fields: dict[str, GoType],
    unpack: Callable[[Value], dict[str, Value]],
    format_text: Callable[[reflect.Struct], str],
    refused: str = "",
) -> GoType:
    def text_of(struct: reflect.Struct | None) -> str:
        return "<nil>" if struct is None else format_text(remove_taint(struct))

    struct = reflect.struct_type(name)
    struct.fields = tuple(
        reflect.Field(go, type_, go.lower(), omitempty=True) for go, type_ in fields.items()
    )
    struct.methods = {f"Get{field.name}": _getter_method(field) for field in struct.fields} | {
        "String": Method(text_of, pointer=True, result=reflect.STRING),
        **reflect.refused_methods(name, f"ProtoReflect {refused}"),
    }
    if name == DURATION:
        struct.methods |= {
            "AsDuration": Method(_as_duration, pointer=True, result=gotime.DURATION),
            "CheckValid": Method(_check_valid, pointer=True),
            "IsValid": Method(_is_valid, pointer=True, result=reflect.BOOL),
        }
    go_type = reflect.pointer_to(struct)
    _set_conversion(go_type, unpack)
    return go_type


def _set_conversion(go_type: GoType, unpack: Callable[[Value], Value]) -> None:
    """Make ``go_type.convert`` unpack JSON first, unless the value is nil or converted."""
    convert = go_type.convert

    def convert_prepared(raw: Value) -> Value:
        is_converted = raw is None or isinstance(raw, reflect.Pointer | reflect.Int)
        return convert(raw if is_converted else unpack(raw))

    go_type.convert = reflect.propagate_taint(convert_prepared)


def _wrapper_unpacker(name: str) -> Callable[[Value], dict[str, Value]]:
    if WRAPPED[name].endswith("64"):
        return lambda raw: {"value": int(raw)}
    return lambda raw: {"value": raw}


def duration_to_nanoseconds(duration: reflect.Struct | None) -> int:
    """Convert a ``durationpb.Duration`` to nanoseconds; None is 0."""
    return 0 if duration is None else duration.field("Seconds") * SECOND + duration.field("Nanos")


def _enum_number(value: Value) -> Value:
    return _ENUM_NUMBER.convert(int(value))


def _is_valid(duration: reflect.Struct | None) -> bool:
    return duration is not None


def _check_valid(duration: reflect.Struct | None) -> None:
    """The error of a duration that is out of range, which only a nil duration is."""
    if duration is None:
        raise FunctionError("invalid nil Duration")


def _as_duration(duration: reflect.Struct | None) -> Value:
    return gotime.DURATION.convert(duration_to_nanoseconds(duration))


DURATION_POINTER = _message_type(
    DURATION,
    {"Seconds": reflect.INT64, "Nanos": reflect.INT32},
    lambda raw: dict(zip(("seconds", "nanos"), split_protobuf(raw), strict=True)),
    lambda struct: prototext.format_duration(duration_to_nanoseconds(struct)),
)  # *durationpb.Duration

_WORDS = re.compile(r"_(?=[a-z])|([A-Za-z])([a-z]*)")
