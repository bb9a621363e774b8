"""What ``google.protobuf.Int64Value{value: 1}`` and its like make: plain values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from podgraft.golang.reflect import round_to_float32

from .declarations import WRAPPERS
from .errors import EvaluationError
from .library.times import check_duration, check_timestamp
from .types import BOOL, BYTES, DOUBLE, INT, STRING, UINT, Type
from .values import NANOSECONDS, NUMBERS, Uint, Value, is_list, is_map, kind, type_name

# Makes a value of the fields that are set.
Construct: TypeAlias = Callable[[dict[str, Value]], Value]


def _wrapper(zero: Value) -> Construct:
    return lambda fields: fields.get("value", zero)


def _nanoseconds(fields: Mapping[str, Value]) -> int:
    return int(fields.get("seconds", 0)) * NANOSECONDS + int(fields.get("nanos", 0))


def unknown_type(name: str) -> Construct:
    """A constructor of a type that only kube-apiserver makes values of."""

    def construct(_fields: dict[str, Value]) -> Value:
        raise EvaluationError(f"unknown type '{name}'")

    return construct


_ZEROS: Mapping[Type, Value] = {
    BOOL: False,
    BYTES: b"",
    DOUBLE: 0.0,
    INT: 0,
    STRING: "",
    UINT: Uint(0),
}


def _json_value(value: Value) -> Value:
    """A value of ``google.protobuf.Value``: JSON, in which all numbers are doubles."""
    if is_list(value):
        return [_json_value(each) for each in value]
    if is_map(value):
        return {str(key): _json_value(each) for key, each in value.items()}
    if kind(value) in NUMBERS:
        return float(value)
    if value is None or isinstance(value, str | bool):
        return value
    raise EvaluationError(f"type conversion error from '{type_name(value)}' to JSON")


def _value(fields: dict[str, Value]) -> Value:
    for name, value in fields.items():
        return None if name == "null_value" else _json_value(value)
    return None


CONSTRUCTORS: Mapping[str, Construct] = {
    **{name: _wrapper(_ZEROS[type_._replace(wrapper=False)]) for name, type_ in WRAPPERS.items()},
    "google.protobuf.FloatValue": lambda fields: round_to_float32(fields.get("value", 0.0)),
    "google.protobuf.Value": _value,
    "google.protobuf.Struct": lambda fields: _json_value(fields.get("fields", {})),
    "google.protobuf.ListValue": lambda fields: _json_value(fields.get("values", [])),
    "google.protobuf.Duration": lambda fields: check_duration(_nanoseconds(fields)),
    "google.protobuf.Timestamp": lambda fields: check_timestamp(_nanoseconds(fields)),
}
