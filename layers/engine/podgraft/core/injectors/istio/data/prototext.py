"""The text form of mesh messages: the method String of a message (encoding/prototext).

Go prints one space or two between fields; which one depends on the hash of the program. podgraft
always prints one.
"""

import math
import re
from collections.abc import Iterator, Mapping

from podgraft.base.jsonvalue import JSON
from podgraft.core.injectors.istio.config.protojson import (
    DURATION,
    ENUMS,
    STRUCT,
    Field,
    Message,
    Schema,
)
from podgraft.golang.strconv.ftoa import format_float
from podgraft.golang.time import SECOND, parse_duration

_INTEGERS = frozenset(("int32", "int64", "uint32", "uint64"))
_WRAPPER = "wrapperspb."
_ESCAPED = re.compile('["\\\\\x00-\x1f\x7f-\x9f\udc80-\udcff]')
_NAMED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def format_message(schema: Schema, name: str, message: Message) -> str:
    """Return the fields of a message in declaration order, as ``name:value``."""
    members: list[str] = []
    for field in schema.type(name).fields:
        if field.json in message:
            members += _format_field(schema, field, message[field.json])
    return " ".join(members)


def format_duration(nanoseconds: int) -> str:
    """The fields of a ``durationpb.Duration``."""
    sign = -1 if nanoseconds < 0 else 1
    seconds, nanos = divmod(abs(nanoseconds), SECOND)
    numbers = {"seconds": sign * seconds, "nanos": sign * nanos}
    return " ".join(f"{name}:{number}" for name, number in numbers.items() if number)


def format_wrapper(type_: str, value: JSON) -> str:
    """The field of a wrapper, such as ``wrapperspb.BoolValue``."""
    return f"value:{_format_scalar(type_, value)}" if _is_nonzero(value) else ""


def format_struct(value: Mapping[str, JSON]) -> str:
    """The fields of a ``structpb.Struct``."""
    return " ".join(
        f"fields:{{key:{_quote(key)} value:{{{_format_value(value[key])}}}}}"
        for key in sorted(value)
    )


def _format_field(schema: Schema, field: Field, value: JSON) -> Iterator[str]:
    """The text of a field: an element of a list and an entry of a map is a field each."""
    if field.shape == "[]" and isinstance(value, list):
        for element in value:
            yield f"{field.name}:{_format_single(schema, field.type, element)}"
    elif field.shape and isinstance(value, dict):
        for key in sorted(value):
            element = _format_single(schema, field.type, value[key])
            yield f"{field.name}:{{key:{_quote(key)} value:{element}}}"
    elif not field.shape and (field.oneof or _is_set(field.type, value)):
        yield f"{field.name}:{_format_single(schema, field.type, value)}"


def _format_single(schema: Schema, type_: str, value: JSON) -> str:
    if type_ in ENUMS or not (_is_message(type_)):
        return _format_scalar(type_, value)
    if type_ == DURATION:
        return f"{{{format_duration(parse_duration(str(value)))}}}"
    if type_.startswith(_WRAPPER):
        return f"{{{format_wrapper(type_, value)}}}"
    members: Message = value if isinstance(value, dict) else {}
    text = format_struct(members) if type_ == STRUCT else format_message(schema, type_, members)
    return f"{{{text}}}"


def _is_message(type_: str) -> bool:
    return "." in type_


def _is_set(type_: str, value: JSON) -> bool:
    """Whether a single value is printed: a message always, a scalar if it is not zero."""
    if type_ in ENUMS:
        return value not in (ENUMS[type_].partition("=")[0], 0)
    return _is_message(type_) or _is_nonzero(value)


def _is_nonzero(value: JSON) -> bool:
    return value not in (None, 0, "", "0")


def _format_scalar(type_: str, value: JSON) -> str:
    name = type_.removeprefix(_WRAPPER)
    if type_ in ENUMS or isinstance(value, bool):
        return str(value).lower() if isinstance(value, bool) else str(value)
    if name in _INTEGERS or name.endswith(("32Value", "64Value")):
        return str(value)
    if isinstance(value, int | float):
        return _format_float(float(value))
    return _NOT_FINITE[str(value)] if type_ == "double" else _quote(str(value))


_NOT_FINITE = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}


def _format_float(number: float) -> str:
    if math.isnan(number):
        return "nan"
    return format_float(number, "g") if math.isfinite(number) else ("inf", "-inf")[number < 0]


def _format_value(value: JSON) -> str:
    """The fields of a ``structpb.Value``."""
    match value:
        case None:
            return "null_value:NULL_VALUE"
        case bool():
            return f"bool_value:{str(value).lower()}"
        case int() | float():
            return f"number_value:{_format_float(float(value))}"
        case str():
            return f"string_value:{_quote(value)}"
        case dict():
            return f"struct_value:{{{format_struct(value)}}}"
        case _:
            elements = (f"values:{{{_format_value(element)}}}" for element in value)
            return f"list_value:{{{' '.join(elements)}}}"


def _quote(text: str) -> str:
    return f'"{_ESCAPED.sub(lambda match: _escape(match[0]), text)}"'


def _escape(char: str) -> str:
    if char in _NAMED:
        return _NAMED[char]
    code = ord(char)
    if "\x80" <= char <= "\x9f":
        return f"\\u{code:04x}"
    return f"\\x{code & 0xFF:02x}"
