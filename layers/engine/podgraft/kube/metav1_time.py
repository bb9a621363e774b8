"""metav1.Time: RFC 3339 in JSON, time.Time in templates (k8s.io/apimachinery 0.37)."""

import operator
from collections.abc import Callable

from msgspec.structs import replace

from podgraft.golang import time as gotime
from podgraft.golang.reflect import (
    BOOL,
    UINT8,
    Field,
    Method,
    Pointer,
    Slice,
    Struct,
    Value,
    pointer_to,
    propagate_taint,
    refused_methods,
    slice_of,
    struct_type,
)

from .quantity_types import CODECS

_BYTES = slice_of(UINT8)
_LAYOUT = "2006-01-02T15:04:05Z07:00"

TIME = struct_type("v1.Time")
TIME.fields = (Field("Time", gotime.TIME, "Time", embedded=True),)


def canonical(text: str) -> str | None:
    """Format a time in UTC without a fraction; ``None`` (null) for the zero time.

    Raises ``LayoutError``.
    """
    moment = _parse_moment(text)
    return None if moment == gotime.Moment() else gotime.format_time(moment, _LAYOUT)


def _parse_moment(text: str) -> gotime.Moment:
    return replace(gotime.parse_time(_LAYOUT, text), zone=gotime.UTC)


def _convert(raw: Value) -> Struct:
    if type(raw) is Struct:
        return raw
    moment = gotime.Moment() if raw is None else _parse_moment(raw)
    return Struct(TIME, {"Time": gotime.time_of(moment)})


def _moment_of(time: Struct) -> gotime.Moment:
    return gotime.moment_of(time.field("Time"))


def _comparison_method(order: Callable[[int, int], bool], *, nil_result: bool) -> Method:
    """A method of pointers; returns ``nil_result`` for two nil pointers, and false for one."""

    def compare(time: Struct | None, other: Pointer) -> bool:
        if time is None or other.target is None:
            return nil_result and time is other.target
        return order(_moment_of(time).sub(_moment_of(other.target)), 0)

    return Method(compare, (pointer_to(TIME),), pointer=True, result=BOOL)


def _is_zero(time: Struct | None) -> bool:
    return time is None or _moment_of(time) == gotime.Moment()


def _canonical_text(time: Struct) -> str | None:
    return canonical(gotime.format_time(_moment_of(time), _LAYOUT))


def _without_fraction(time: Struct) -> Struct:
    return _convert(_canonical_text(time))


def _marshal_json(time: Struct) -> Slice:
    text = _canonical_text(time)
    return Slice(_BYTES, [*(b"null" if text is None else f'"{text}"'.encode())])


_COPIES = "DeepCopy MarshalQueryParameter ProtoTime ToUnstructured UnmarshalQueryParameter"
TIME.convert = propagate_taint(_convert)
TIME.methods = {
    "Before": _comparison_method(operator.lt, nil_result=False),
    "Equal": _comparison_method(operator.eq, nil_result=True),
    "IsZero": Method(_is_zero, pointer=True, result=BOOL),
    "MarshalJSON": Method(_marshal_json, result=_BYTES),
    "Rfc3339Copy": Method(_without_fraction, result=TIME),
    **refused_methods("v1.Time", f"{CODECS} {_COPIES}"),
}
