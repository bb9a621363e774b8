"""Conversions between the basic types, and ``size``, ``type`` and ``dyn``."""

from __future__ import annotations

import math
import re
from operator import attrgetter

from podgraft.golang.strconv.ftoa import format_float
from podgraft.kube.cel.cost import traversal_cost
from podgraft.kube.cel.errors import EvaluationError
from podgraft.kube.cel.overloads import function, member
from podgraft.kube.cel.values import (
    INT_MAX,
    INT_MIN,
    NANOSECONDS,
    Timestamp,
    TypeValue,
    Uint,
    Value,
    check_int,
    check_uint,
    type_name,
)

from .times import text_of_duration, text_of_timestamp

# At most as many digits as 64 bits have: Python refuses to read thousands of them.
_INTEGER = re.compile(r"[+-]?0*\d{1,20}", re.ASCII)
_UNSIGNED = re.compile(r"0*\d{1,20}", re.ASCII)
_DOUBLE = re.compile(
    r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?|nan)", re.ASCII | re.IGNORECASE
)
_BOOLS = {
    **dict.fromkeys(("1", "t", "T", "TRUE", "true", "True"), True),
    **dict.fromkeys(("0", "f", "F", "FALSE", "false", "False"), False),
}


def double_text(value: float) -> str:
    """A double as Go's %g prints it with the fewest digits: ``1``, ``0.1``, ``1e+06``."""
    return format_float(value, "g")


def _conversion_error(value: Value, target_type: str) -> EvaluationError:
    return EvaluationError(f"type conversion error from '{type_name(value)}' to '{target_type}'")


def _int_of_text(text: str) -> int:
    value = int(_strip_leading_zeros(text)) if _INTEGER.fullmatch(text) else None
    if value is None or not INT_MIN <= value <= INT_MAX:
        raise _conversion_error(text, "int")
    return value


def _strip_leading_zeros(digits: str) -> str:
    """Without leading zeros."""
    return re.sub(r"^([+-]?)0+(?=\d)", r"\1", digits)


def _uint_of_text(text: str) -> Uint:
    if not _UNSIGNED.fullmatch(text):
        raise _conversion_error(text, "uint")
    return check_uint(int(_strip_leading_zeros(text)))


def _truncate_double(value: float) -> int:
    if not math.isfinite(value):
        raise EvaluationError("integer overflow")
    return math.trunc(value)


def _int_of_double(value: float) -> int:
    truncated = _truncate_double(value)
    if not INT_MIN < value < INT_MAX:
        raise EvaluationError("integer overflow")
    return truncated


def _double_of_text(text: str) -> float:
    value = float(text) if _DOUBLE.fullmatch(text) else None
    if value is None or (math.isinf(value) and text[-1].isdigit()):  # overflow is an error in Go
        raise _conversion_error(text, "double")
    return value


def _bool_of_text(text: str) -> bool:
    if text not in _BOOLS:
        raise _conversion_error(text, "bool")
    return _BOOLS[text]


def _uint_of_double(value: float) -> Uint:
    return check_uint(_truncate_double(value))


def _text_of_bool(value: bool) -> str:
    return "true" if value else "false"


def _type(value: Value) -> TypeValue:
    return TypeValue(type_name(value))


def _text_of_bytes(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise EvaluationError("invalid UTF-8 in bytes, cannot convert to string") from error


def _seconds(value: Timestamp) -> int:
    return value.nanoseconds // NANOSECONDS


def _identity(value: Value) -> Value:
    return value


STRINGS = (
    function("string", "string -> string", _identity),
    function("string", "int -> string", str),
    function("string", "uint -> string", str),
    function("string", "double -> string", double_text),
    function("string", "bool -> string", _text_of_bool),
    function("string", "bytes -> string", _text_of_bytes, traversal_cost),
    function("string", "timestamp -> string", text_of_timestamp),
    function("string", "duration -> string", text_of_duration),
)

CONVERSIONS = (
    function("int", "int -> int", _identity),
    function("int", "uint -> int", check_int),
    function("int", "double -> int", _int_of_double),
    function("int", "string -> int", _int_of_text),
    function("int", "timestamp -> int", _seconds),
    function("int", "duration -> int", attrgetter("nanoseconds")),
    function("uint", "uint -> uint", _identity),
    function("uint", "int -> uint", check_uint),
    function("uint", "double -> uint", _uint_of_double),
    function("uint", "string -> uint", _uint_of_text),
    function("double", "double -> double", _identity),
    function("double", "int -> double", float),
    function("double", "uint -> double", float),
    function("double", "string -> double", _double_of_text),
    function("bool", "bool -> bool", _identity),
    function("bool", "string -> bool", _bool_of_text),
    function("bytes", "bytes -> bytes", _identity),
    function("bytes", "string -> bytes", str.encode, traversal_cost),
    function("type", "A -> type(A)", _type),
    function("dyn", "A -> dyn", _identity),
    *(
        make("size", f"{sized} -> int", len)
        for make in (function, member)
        for sized in ("string", "bytes", "list(A)", "map(A,B)")
    ),
)
