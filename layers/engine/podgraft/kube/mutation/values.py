"""The values of mutations as JSON: ``Object{…}`` as an apply configuration, and patch values.

Source: k8s.io/apiserver 0.37, pkg/cel/mutation (dynamic/objects.go, jsonpatch.go); cel-go,
ConvertToNative to google.protobuf.Value; structpb.NewValue.

Differences from Kubernetes: an apply configuration cannot contain null, bytes, durations, and other
values that Kubernetes merges as values of Go or rejects with the name of a Go type.
"""

import math
from base64 import b64encode
from collections.abc import Iterator

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, MAX_DEPTH, Object
from podgraft.golang.strconv.quote import quote
from podgraft.kube.cel.extent import MAX_VALUES, measure
from podgraft.kube.cel.library.times import text_of_duration, text_of_timestamp
from podgraft.kube.cel.values import (
    Duration,
    Optional,
    Struct,
    Timestamp,
    Uint,
    Value,
    is_list,
    is_map,
    type_name,
)
from podgraft.kube.matching.go_values import GoValues
from podgraft.kube.patch import ExplicitNull
from podgraft.kube.structured import NilList

from .errors import MutationError

ROOT = "Object"
_PATCH = "JSONPatch"
# google.protobuf.Value has doubles: cel-go writes greater integers as text.
_MAX_SAFE_INTEGER = 2**53 - 1
_MAX_WHOLE_DOUBLE = 1e21


class ConversionError(MutationError):
    """A value of an expression that the mutation cannot use."""


def to_apply_configuration(value: Value, go_values: GoValues) -> Object:
    """Return the apply configuration of an expression; raises ``ConversionError``."""
    if not isinstance(value, Struct) or value.type_name != ROOT:
        raise ConversionError(
            f"unsupported return type from ApplyConfiguration expression: {_name(value)}"
        )
    _check_size(value)
    _check_names(value)
    for key, member in value.fields.items():
        type_ = go_values.find(member, in_struct=True)
        if type_ is not None:
            problem = f"field {quote(key)}: a list or map of values of {type_} cannot be merged"
            raise ConversionError(f"{problem}; write Object…{{…}} for each")
    return {key: _to_plain(member, key, go_values) for key, member in value.fields.items()}


def to_operations(value: Value, go_values: GoValues) -> list[Object]:
    """Return the JSON Patch of an expression; raises ``ConversionError``."""
    if not is_list(value):
        raise ConversionError("type mismatch: JSONPatchType.expression should evaluate to array")
    return [_to_operation(element, go_values) for element in value]


def _to_operation(value: Value, go_values: GoValues) -> Object:
    if not isinstance(value, Struct) or value.type_name != _PATCH:
        raise ConversionError(
            "type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch: "
            f"got {_name(value)}"
        )
    fields = value.fields
    operation: Object = {"op": fields.get("op", ""), "path": fields.get("path", "")}
    if fields.get("from"):
        operation["from"] = fields["from"]
    for key, text in operation.items():
        _check_quotation(key, str(text))
    if "value" in fields:
        operation["value"] = _to_patch_value(fields["value"], go_values)
    return operation


def _check_quotation(key: str, text: str) -> None:
    r"""Refuse a text that is no JSON as Go quotes it, with ``\x01``: kube-apiserver does so."""
    try:
        jsonvalue.load(quote(text).encode())
    except jsonvalue.NotJSONError as error:
        raise MutationError(f"JSON Patch: failed to decode {key}: {error}") from error


def _to_patch_value(value: Value, go_values: GoValues) -> JSON:
    if value is None:
        return ExplicitNull()
    _check_size(value)
    if isinstance(value, Struct):
        _check_names(value)
    try:
        _check_converts(value, go_values)
        return _to_json(value, go_values)
    except ConversionError as error:
        raise ConversionError(
            f"JSONPath valueExpression evaluated to a type that could not marshal to JSON: {error}"
        ) from error


def _check_size(value: Value) -> None:
    """Refuse what no object can contain: a value can contain another one many times."""
    members, levels = measure((value,))
    if members > MAX_VALUES:
        raise ConversionError(f"the value contains more than {MAX_VALUES} values")
    if levels > MAX_DEPTH:
        raise ConversionError(f"the value is nested deeper than {MAX_DEPTH} levels")


def _check_converts(value: Value, go_values: GoValues) -> None:
    type_ = go_values.find(value)
    if type_ is None:
        return
    if isinstance(value, Struct):
        raise ConversionError(f"proto: invalid type: {type_.removeprefix('struct type ')}")
    target = "*structpb.Value" if type_.startswith("struct") else "'*structpb.Value'"
    raise ConversionError(f"type conversion error from {type_} to {target}")


def _check_names(value: Struct) -> None:
    """Check that each struct has the type of its path, from the type of the outermost on."""
    errors = [*_find_name_mismatches(value, value.type_name)]
    if errors:
        raise ConversionError("type mismatch: " + "\n".join(errors))


def _find_name_mismatches(value: Value, path: str) -> Iterator[str]:
    match value:
        case Struct():
            if value.type_name != path:
                yield (
                    f"unexpected type name {quote(value.type_name)}, expected {quote(path)}, "
                    "which matches field name path from root Object type"
                )
            for key, member in value.fields.items():
                yield from _find_name_mismatches(member, f"{path}.{key}")
        case _ if is_list(value):
            for element in value:
                yield from _find_name_mismatches(element, path)
        case _ if is_map(value):
            for member in value.values():
                yield from _find_name_mismatches(member, path)
        case _:
            pass


def _to_plain(value: Value, key: str, go_values: GoValues) -> JSON:
    """A value of an apply configuration."""
    match value:
        case Struct(fields=fields):
            return {name: _to_plain(member, name, go_values) for name, member in fields.items()}
        case _ if is_list(value):
            if go_values.is_nil_slice(value):
                return NilList()
            convert = _to_plain if go_values.is_joined(value) else _to_member
            return [convert(element, key, go_values) for element in value]
        case _ if is_map(value):
            items = value.items()
            return {_to_key(name): _to_member(member, key, go_values) for name, member in items}
        case bool() | str() | float():
            return value
        case int():
            return int(value)
        case _:
            problem = f"field {quote(key)}: a value of type {_name(value)} cannot be merged"
            raise ConversionError(f"{problem}; use strings, numbers, booleans, lists, and objects")


def _to_member(value: Value, key: str, go_values: GoValues) -> JSON:
    """A member of a list or map, which kube-apiserver does not convert if it is a literal."""
    if go_values.is_literal(value):
        problem = f"field {quote(key)}: a literal list or map inside another cannot be merged"
        raise ConversionError(f"{problem}; write Object…{{…}} for each")
    return _to_plain(value, key, go_values)


def _to_key(key: Value) -> str:
    if isinstance(key, str):
        return key
    raise ConversionError(f"unsupported type conversion from '{_name(key)}' to string")


def _to_json(value: Value, go_values: GoValues) -> JSON:  # noqa: C901 - one case for each type
    """A value as cel-go converts it to google.protobuf.Value."""
    match value:
        case None | bool() | str():
            return value
        case int():
            return int(value) if abs(value) <= _MAX_SAFE_INTEGER else str(int(value))
        case float():
            return _to_number(value)
        case bytes():
            return b64encode(value).decode()
        case Duration():
            return text_of_duration(value)
        case Timestamp():
            return text_of_timestamp(value)
        case _ if is_list(value):
            return [_to_json(element, go_values) for element in value]
        case _ if is_map(value):
            return {_to_key(key): _to_json(member, go_values) for key, member in value.items()}
        case Struct():
            return _to_struct_member(value, go_values)
        case Optional(present=True, value=inner):
            return _to_json(inner, go_values)
        case Optional():
            raise ConversionError("optional.none() dereference")
        case _:
            name = _name(value).rpartition(".")[2]
            raise ConversionError(f"type conversion error from '{name}' to '*structpb.Value'")


def _to_struct_member(value: Value, go_values: GoValues) -> JSON:
    """A value inside a struct: the numbers are doubles, and few types are allowed."""
    match value:
        case bool() | str():
            return value
        case int() | float():
            return _to_number(float(value))
        case bytes():
            return b64encode(value).decode()
        case Struct(fields=fields):
            return {key: _to_struct_member(member, go_values) for key, member in fields.items()}
        case _ if is_list(value) or is_map(value):
            return _to_struct_members(value, go_values)
        case _:
            raise ConversionError(f"invalid type in an object: {_name(value)}")


def _to_struct_members(value: list[Value] | dict[Value, Value], go_values: GoValues) -> JSON:
    members = value if isinstance(value, list) else value.values()
    if any(map(go_values.is_literal, members)) and not go_values.is_joined(value):
        raise ConversionError("proto: invalid type: a literal list or map inside another")
    if isinstance(value, list):
        return [_to_struct_member(element, go_values) for element in value]
    return {_to_key(key): _to_struct_member(member, go_values) for key, member in value.items()}


def _to_number(value: float) -> JSON:
    if math.isnan(value) or math.isinf(value):
        raise ConversionError("google.protobuf.Value cannot have NaN or Inf")
    return int(value) if value == int(value) and abs(value) < _MAX_WHOLE_DOUBLE else value


def _name(value: Value) -> str:
    """The name of a type in a message."""
    match value:
        case Struct():
            return value.type_name
        case Uint():
            return "uint"
        case _:
            return type_name(value)
