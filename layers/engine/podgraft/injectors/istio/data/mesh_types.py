"""Istio's mesh messages as templates see them: Go structs behind pointers, with safe getters.

``Types(schema).pointer(PROXY_CONFIG).convert(message)`` shows a message (messages.py) as a
``*v1alpha1.ProxyConfig``: fields have the names protoc-gen-go gives them, members of a oneof are
reached by getter alone, and ``nil.GetTracing.GetZipkin`` is nil.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from threading import RLock
from typing import Any

from podgraft.go import reflect
from podgraft.go.reflect import GoType, Kind, Method, Value
from podgraft.injectors.istio.config import durations
from podgraft.injectors.istio.config.durations import SECOND
from podgraft.injectors.istio.config.mesh_table import ENUMS
from podgraft.injectors.istio.config.protojson import DURATION, STRUCT, Field, Schema, enum
from podgraft.lazy_re import lazy_compile

_SCALARS = {
    "string": reflect.STRING,
    "bool": reflect.BOOL,
    "int32": reflect.INT32,
    "int64": reflect.INT64,
    "uint32": reflect.UINT32,
    "uint64": reflect.UINT64,
    "double": reflect.FLOAT64,
}
_WRAPPED = {
    "wrapperspb.BoolValue": "bool",
    "wrapperspb.Int32Value": "int32",
    "wrapperspb.Int64Value": "int64",
    "wrapperspb.UInt32Value": "uint32",
    "wrapperspb.UInt64Value": "uint64",
}


# Types are compared by identity: two threads must not make the same one twice.
_MAKING = RLock()


class _LazyMessage(GoType):
    """A message's struct, which learns its fields and getters when they are first asked for.

    There are a hundred messages, of which a template touches a few.
    """

    __slots__ = ("_types",)

    def __init__(self, name: str, types: MeshTypes) -> None:
        super().__init__(name, Kind.STRUCT, self._to_struct)
        self._types = types
        del self.fields, self.methods

    def __getattr__(self, name: str) -> Any:
        """Only asked for what has no value: ``fields`` and ``methods``, once."""
        if name not in {"fields", "methods"}:
            raise AttributeError(name)
        with _MAKING:
            shown = self._types.members(self.name)
            self.methods = {f"Get{go.name}": _getter_method(go) for _, go in shown}
            self.fields = tuple(go for field, go in shown if not field.oneof)
        return getattr(self, name)

    def _to_struct(self, raw: Value) -> reflect.Struct:
        return raw if type(raw) is reflect.Struct else reflect.Struct(self, raw or {})


class MeshTypes:
    """The Go types of one release's messages, each made once."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._structs: dict[str, GoType] = {}

    def pointer(self, name: str) -> GoType:
        """The type ``*name``; its ``convert`` shows a message, and ``None`` as nil."""
        with _MAKING:
            if name not in self._structs:
                self._structs[name] = _LazyMessage(name, self)
            return reflect.pointer_to(self._structs[name])

    def members(self, name: str) -> list[tuple[Field, reflect.Field]]:
        """The fields of a message, and as what Go has them."""
        return [(field, self._field(field)) for field in self._schema.type(name).fields]

    def _field(self, field: Field) -> reflect.Field:
        return reflect.Field(go_name(field.name), self._type(field), field.json, omitempty=True)

    def _type(self, field: Field) -> GoType:
        elem = self._elem(field.type)
        match field.shape:
            case "[]":
                return reflect.slice_of(elem)
            case "map[string]":
                return reflect.map_of(reflect.STRING, elem)
            case _:
                return elem

    def _elem(self, name: str) -> GoType:
        if name in _SCALARS:
            return _SCALARS[name]
        return _enum(name) if name in ENUMS else _well_known_type(name) or self.pointer(name)


@cache
def types(schema: Schema) -> MeshTypes:
    """The one set of Go types for a schema."""
    return MeshTypes(schema)


def go_name(proto: str) -> str:
    """The field's name in Go (protoc-gen-go's GoCamelCase).

    >>> go_name("statsd_udp_address"), go_name("mesh_mTLS"), go_name("consecutive_5xx_errors")
    ('StatsdUdpAddress', 'MeshMTLS', 'Consecutive_5XxErrors')
    """
    return _WORDS.sub(lambda found: (found[1] or "").upper() + (found[2] or ""), proto)


def _getter_method(field: reflect.Field) -> Method:
    def get(struct: reflect.Struct | None) -> Value:
        return field.type.convert(None) if struct is None else struct.get(field)

    return Method(get, pointer=True)


@cache
def _enum(name: str) -> GoType:
    names = enum(name)
    numbers = {word: number for number, word in names.items()}

    def name_of(value: Value) -> str:
        return names.get(value, str(int(value)))

    made = reflect.number_type(name, Kind.INT32, {"String": Method(name_of)})
    _set_conversion(made, lambda raw: numbers.get(raw, raw))
    return made


@cache
def _well_known_type(name: str) -> GoType | None:
    """Protobuf's own types: JSON shows them without their fields, so ``convert`` adds those."""
    if name == DURATION:
        return DURATION_POINTER
    if name in _WRAPPED:
        return _message_type(name, {"Value": _SCALARS[_WRAPPED[name]]}, _wrapper(name))
    if name == STRUCT:
        return _message_type(name, {"Fields": reflect.ANY_MAP}, lambda raw: {"fields": raw})
    return None


def _message_type(
    name: str, fields: dict[str, GoType], unpack: Callable[[Value], dict[str, Value]]
) -> GoType:
    struct = reflect.struct_type(name)
    struct.fields = tuple(reflect.Field(go, type_, go.lower()) for go, type_ in fields.items())
    struct.methods = {f"Get{field.name}": _getter_method(field) for field in struct.fields}
    if name == DURATION:
        struct.methods["AsDuration"] = Method(_as_duration, pointer=True)
    made = reflect.pointer_to(struct)
    _set_conversion(made, unpack)
    return made


def _set_conversion(made: GoType, unpack: Callable[[Value], Value]) -> None:
    """Let ``made.convert`` see unpacked JSON, and leave alone what is absent or converted."""
    convert = made.convert

    def convert_prepared(raw: Value) -> Value:
        done = raw is None or isinstance(raw, reflect.Pointer | reflect.Int)
        return convert(raw if done else unpack(raw))

    made.convert = reflect.propagate_taint(convert_prepared)


def _split_duration(raw: Value) -> dict[str, Value]:
    nanoseconds = durations.parse(raw)
    sign = -1 if nanoseconds < 0 else 1
    seconds, nanos = divmod(abs(nanoseconds), SECOND)
    return {"seconds": sign * seconds, "nanos": sign * nanos}


def _wrapper(name: str) -> Callable[[Value], dict[str, Value]]:
    if _WRAPPED[name].endswith("64"):
        return lambda raw: {"value": int(raw)}
    return lambda raw: {"value": raw}


def format_go_duration(duration: reflect.Struct | None) -> str:
    """A ``durationpb.Duration`` as Go prints the time.Duration that it is."""
    return durations.format_go(duration_to_nanoseconds(duration))


def duration_to_nanoseconds(duration: reflect.Struct | None) -> int:
    """How long a ``durationpb.Duration`` is; none is 0."""
    return 0 if duration is None else duration.field("Seconds") * SECOND + duration.field("Nanos")


def _as_duration(duration: reflect.Struct | None) -> Value:
    return _TIME_DURATION.convert(duration_to_nanoseconds(duration))


def _text(duration: Value) -> str:
    return durations.format_go(int(duration))


def _whole_units_method(unit: int) -> Method:
    def count(duration: Value) -> Value:
        return reflect.INT64.convert(int(duration / unit))  # towards zero, as Go divides

    return Method(count)


def _fractional_units_method(unit: int) -> Method:
    def count(duration: Value) -> float:
        return int(duration) / unit

    return Method(count)


DURATION_POINTER = _message_type(
    DURATION, {"Seconds": reflect.INT64, "Nanos": reflect.INT32}, _split_duration
)  # *durationpb.Duration

_TIME_DURATION = reflect.number_type(
    "time.Duration",
    Kind.INT64,
    {
        "String": Method(_text),
        "Nanoseconds": _whole_units_method(1),
        "Microseconds": _whole_units_method(1_000),
        "Milliseconds": _whole_units_method(1_000_000),
        "Seconds": _fractional_units_method(SECOND),
        "Minutes": _fractional_units_method(60 * SECOND),
        "Hours": _fractional_units_method(3600 * SECOND),
    },
)


_WORDS = lazy_compile(r"_(?=[a-z])|([A-Za-z])([a-z]*)")
