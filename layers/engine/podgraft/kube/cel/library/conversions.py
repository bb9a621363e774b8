"""Conversions between the basic types, and ``size``, ``type`` and ``dyn``."""

import math
from collections.abc import Callable
from operator import attrgetter

from podgraft.golang.strconv.atof import parse_float
from podgraft.golang.strconv.atoi import NumError, parse_bool, parse_int, parse_uint
from podgraft.golang.strconv.ftoa import format_float
from podgraft.kube.cel.cost import traversal_cost
from podgraft.kube.cel.errors import EvaluationError
from podgraft.kube.cel.overloads import copies_text, function, identity, member, reads_text
from podgraft.kube.cel.values import (
    INT_MAX,
    INT_MIN,
    NANOSECONDS,
    TypeValue,
    Uint,
    Value,
    check_int,
    check_uint,
    conversion_error,
    type_name,
)

from .times import text_of_duration, text_of_timestamp


def double_text(value: float) -> str:
    """A double as Go's %g prints it with the fewest digits: ``1``, ``0.1``, ``1e+06``."""
    return format_float(value, "g")


def _parse_function(parse: Callable[[str], Value], target_type: str) -> Callable[[str], Value]:
    """The conversion from text by a function of strconv."""

    def convert(text: str) -> Value:
        try:
            return parse(text)
        except NumError as error:
            raise conversion_error(text, target_type) from error

    return convert


def _int_of_double(value: float) -> int:
    if not INT_MIN < value < INT_MAX:  # also for NaN
        raise EvaluationError("integer overflow")
    return math.trunc(value)


def _uint_of_double(value: float) -> Uint:
    return check_uint(math.trunc(value) if math.isfinite(value) else -1)


def _uint_of_text(text: str) -> Uint:
    return check_uint(parse_uint(text))


def text_of_bytes(data: bytes) -> str:
    """The text of UTF-8; raises ``EvaluationError`` for other bytes."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise EvaluationError("invalid UTF-8 in bytes, cannot convert to string") from error


_STRINGS = (
    function("string", "string -> string", identity),
    function("string", "bool -> string", lambda value: "true" if value else "false"),
    copies_text(function("string", "bytes -> string", text_of_bytes, traversal_cost)),
    function("string", "double -> string", double_text),
    function("string", "duration -> string", text_of_duration),
    function("string", "int -> string", str),
    function("string", "timestamp -> string", text_of_timestamp),
    function("string", "uint -> string", str),
)

CONVERSIONS = (
    *_STRINGS,
    function("int", "int -> int", identity),
    function("int", "double -> int", _int_of_double),
    function("int", "duration -> int", attrgetter("nanoseconds")),
    reads_text(function("int", "string -> int", _parse_function(parse_int, "int"))),
    function("int", "timestamp -> int", lambda value: value.nanoseconds // NANOSECONDS),
    function("int", "uint -> int", check_int),
    function("uint", "uint -> uint", identity),
    function("uint", "double -> uint", _uint_of_double),
    function("uint", "int -> uint", check_uint),
    reads_text(function("uint", "string -> uint", _parse_function(_uint_of_text, "uint"))),
    function("double", "double -> double", identity),
    function("double", "int -> double", float),
    reads_text(function("double", "string -> double", _parse_function(parse_float, "double"))),
    function("double", "uint -> double", float),
    function("bool", "bool -> bool", identity),
    reads_text(function("bool", "string -> bool", _parse_function(parse_bool, "bool"))),
    function("bytes", "bytes -> bytes", identity),
    copies_text(function("bytes", "string -> bytes", str.encode, traversal_cost)),
    function("type", "A -> type(A)", lambda value: TypeValue(type_name(value))),
    function("dyn", "A -> dyn", identity),
    *(
        make("size", f"{sized} -> int", len)
        for sized in ("bytes", "list(A)", "map(A,B)", "string")
        for make in (function, member)
    ),
)
