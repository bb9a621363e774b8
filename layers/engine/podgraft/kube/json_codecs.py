"""Types with json.Unmarshaler and json.Marshaler."""

from collections.abc import Callable

import msgspec

from podgraft.base.jsonvalue import JSON, dump
from podgraft.golang import strings
from podgraft.golang.json import plain
from podgraft.golang.reflect import (
    INT,
    INT32,
    STRING,
    UINT8,
    Field,
    Kind,
    Method,
    Slice,
    Struct,
    Value,
    propagate_taint,
    refused_methods,
    scalar_type,
    slice_of,
    struct_type,
)
from podgraft.golang.strconv.atoi import atoi
from podgraft.golang.time import LayoutError

from . import metav1_time, quantity
from .decode_errors import mismatch_error, unmarshal_error
from .errors import QuantityError
from .quantity_types import CODECS, QUANTITY

_INT32 = range(-(2**31), 2**31)
_INT, _TEXT = 0, 1  # values of intstr.Type

_BYTES = slice_of(UINT8)

INT_OR_STRING = struct_type("intstr.IntOrString")
INT_OR_STRING.fields = (
    Field("Type", scalar_type("intstr.Type", Kind.INT64), "Type"),
    Field("IntVal", INT32, "IntVal"),
    Field("StrVal", STRING, "StrVal"),
)
FIELDS_V1 = struct_type("v1.FieldsV1")
FIELDS_V1.fields = (Field("Raw", _BYTES, "Raw"),)


class Marshaler(msgspec.Struct, frozen=True):
    """``decode`` returns the canonical value or raises ``DecodeError``; ``zero`` is for null."""

    decode: Callable[[JSON], JSON]
    zero: JSON


def _decode_quantity(raw: JSON) -> JSON:
    if raw is None:
        return "0"
    text = raw if isinstance(raw, str) else plain.encode(raw)
    try:
        canonical = str(quantity.parse(strings.trim_space(text)))
    except QuantityError as error:
        raise unmarshal_error(error) from error
    return raw if raw == canonical else canonical


def _decode_int_or_string(raw: JSON) -> JSON:
    if raw is None:
        return 0
    if isinstance(raw, str):
        return raw
    number = None
    if isinstance(raw, int | float) and not isinstance(raw, bool):
        number = parse_integer(raw)
    # A range compares None with each of its numbers.
    if number is None or number not in _INT32:
        raise mismatch_error(raw, INT32, final=True)
    return number


def _decode_time(raw: JSON) -> JSON:
    if raw is None:
        return None
    if not isinstance(raw, str):
        raise mismatch_error(raw, STRING, final=True)
    try:
        canonical = metav1_time.canonical(raw)
    except LayoutError as error:
        raise unmarshal_error(error) from error
    return raw if raw == canonical else canonical


def parse_integer(number: float) -> int | None:
    """The integer that Go parses from the literal of a JSON number.

    An integral float is ``1e3`` in YAML, which encoding/json writes as ``1000``. In JSON, Go
    rejects ``1e3`` as an integer; podgraft accepts it.
    """
    if isinstance(number, int):
        return number
    return int(plain.format_number(number)) if number.is_integer() and abs(number) < 2**64 else None


MARSHALERS = {
    FIELDS_V1: Marshaler(lambda raw: raw, None),
    INT_OR_STRING: Marshaler(_decode_int_or_string, 0),
    QUANTITY: Marshaler(_decode_quantity, "0"),
    metav1_time.TIME: Marshaler(_decode_time, None),
}
SELF_MARSHALING = frozenset(MARSHALERS)


def _view_int_or_string(raw: Value) -> Struct:
    match raw:
        case Struct():
            return raw
        case str():
            return Struct(INT_OR_STRING, {"Type": _TEXT, "StrVal": raw})
        case _:
            return Struct(INT_OR_STRING, {"Type": _INT, "IntVal": parse_integer(raw or 0)})


def _text(port: Struct | None) -> str:
    if port is None:
        return "<nil>"
    return port.raw["StrVal"] if port.raw.get("Type") == _TEXT else str(port.raw.get("IntVal", 0))


def _int_value(port: Struct) -> int:
    return atoi(_text(port))


def _marshal_int_or_string(port: Struct) -> Slice:
    text = _text(port)
    return Slice(_BYTES, [*(dump(text) if port.raw.get("Type") == _TEXT else text).encode()])


def _marshal_fields(fields: Struct) -> Slice:
    return Slice(_BYTES, fields.raw.get("Raw") or [*b"null"])


def _view_fields(raw: Value) -> Struct:
    return raw if type(raw) is Struct else Struct(FIELDS_V1, {"Raw": list(dump(raw).encode())})


INT_OR_STRING.convert = propagate_taint(_view_int_or_string)
INT_OR_STRING.methods = {
    "IntValue": Method(_int_value, pointer=True, result=INT),
    "MarshalJSON": Method(_marshal_int_or_string, result=_BYTES),
    "String": Method(_text, pointer=True, result=STRING),
    **refused_methods("intstr.IntOrString", CODECS),
}
_RAW_FIELDS = "DeepCopy Equal GetRawBytes GetRawReader GetRawString String SwaggerDoc"
FIELDS_V1.convert = propagate_taint(_view_fields)
FIELDS_V1.methods = {
    "MarshalJSON": Method(_marshal_fields, result=_BYTES),
    **refused_methods("v1.FieldsV1", f"{CODECS} {_RAW_FIELDS}"),
}
