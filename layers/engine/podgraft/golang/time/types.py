"""The types of package time for templates, with the methods that need no clock.

Methods that return several values are omitted, because templates cannot call them. Methods that
serialize a time, and methods for locations, are errors.
"""

from collections.abc import Callable

from msgspec.structs import replace

from podgraft.golang.reflect import (
    BOOL,
    FLOAT64,
    INT,
    INT64,
    STRING,
    UINT8,
    GoType,
    Kind,
    Method,
    Struct,
    Value,
    refused_methods,
    register_container,
    scalar_type,
    slice_of,
    struct_type,
)

from .durations import HOUR, MICROSECOND, MILLISECOND, MINUTE, SECOND, format_duration, quote
from .layouts import MONTHS, WEEKDAYS, format_time
from .moments import LOCAL, UTC, Moment, Zone, make_moment

_BYTES = slice_of(UINT8)
_STRING = "2006-01-02 15:04:05.999999999 -0700 MST"
_RFC_3339 = "2006-01-02T15:04:05.999999999Z07:00"
_INT64_RANGE = (-(1 << 63), (1 << 63) - 1)

TIME = struct_type("time.Time")
MONTH = scalar_type("time.Month", Kind.INT)
WEEKDAY = scalar_type("time.Weekday", Kind.INT)
DURATION = scalar_type("time.Duration", Kind.INT64)


# The seconds carry the taint of a time that comes from text of a pod.
register_container(
    Moment,
    lambda moment: (moment.seconds,),
    lambda moment, copy: replace(moment, seconds=copy(moment.seconds)),
)


def _month_name(month: int) -> str:
    return MONTHS[month - 1] if 0 < month <= len(MONTHS) else f"%!Month({int(month)})"


def _weekday_name(day: int) -> str:
    return WEEKDAYS[day] if 0 <= day < len(WEEKDAYS) else f"%!Weekday({int(day)})"


MONTH.methods = {"String": Method(_month_name, result=STRING)}
WEEKDAY.methods = {"String": Method(_weekday_name, result=STRING)}


def time_of(moment: Moment) -> Struct:
    """Convert a moment to time.Time."""
    return Struct(TIME, {"": moment})


def moment_of(time: Struct) -> Moment:
    """Convert time.Time, including its zero value, to a moment."""
    return time.raw.get("", Moment())


def wrap_int64(nanoseconds: int) -> int:
    """Wrap around as Go's int64 arithmetic does."""
    return (nanoseconds + (1 << 63) & (1 << 64) - 1) - (1 << 63)


def _getter_method(result: GoType, call: Callable[[Moment], Value]) -> Method:
    def get(time: Struct) -> Value:
        return result.convert(call(moment_of(time)))

    return Method(get, result=result)


def _transform_method(call: Callable[..., Moment], *parameters: GoType) -> Method:
    def change(time: Struct, *arguments: Value) -> Struct:
        return time_of(call(moment_of(time), *arguments))

    return Method(change, parameters, result=TIME)


def _comparison_method(result: GoType, convert: Callable[[int], Value]) -> Method:
    def compare(time: Struct, other: Struct) -> Value:
        return convert(moment_of(time).sub(moment_of(other)))

    return Method(compare, (TIME,), result=result)


def _format(time: Struct, layout: str) -> str:
    return format_time(moment_of(time), layout)


def _zone_method(zone: Zone) -> Method:
    def show(time: Struct) -> Struct:
        return time_of(replace(moment_of(time), zone=zone))

    return Method(show, result=TIME)


def _subtract(time: Struct, other: Struct) -> Value:
    """Sub: the largest or the smallest duration on overflow."""
    least, most = _INT64_RANGE
    return DURATION.convert(min(max(moment_of(time).sub(moment_of(other)), least), most))


def _add_date(time: Moment, years: int, months: int, days: int) -> Moment:
    """AddDate: add the calendar parts in the zone, then normalize."""
    year, month, day = time.date
    moment = make_moment((year + years, month + months, day + days), time.clock, time.nanoseconds)
    return replace(moment, seconds=moment.seconds - time.zone.offset, zone=time.zone)


def _truncate(time: Moment, unit: int) -> Moment:
    """Truncate: round down to a multiple of ``unit`` since Go's zero time."""
    return time.add(-(time.sub(Moment()) % unit)) if unit > 0 else time


def _round(time: Moment, unit: int) -> Moment:
    """Round: to the nearest multiple of ``unit``; halves round up."""
    rest = time.sub(Moment()) % unit if unit > 0 else 0
    return time.add(unit - rest if 2 * rest >= unit > 0 else -rest)


def _go_string(time: Moment) -> str:
    year, month, day = time.date
    zone = time.zone.variable or f"time.Location({quote(time.zone.name)})"
    parts = (year, f"time.{MONTHS[month - 1]}", day, *time.clock, time.nanoseconds, zone)
    return f"time.Date({', '.join(map(str, parts))})"


def _rfc_3339(time: Moment) -> str:
    return format_time(time, _RFC_3339)


# Methods for locations, and methods that serialize to bytes.
_REFUSED = """
    AppendBinary AppendFormat AppendText GobDecode GobEncode In Location MarshalBinary
    UnmarshalBinary UnmarshalJSON UnmarshalText
"""
TIME.methods = {
    "Add": _transform_method(Moment.add, DURATION),
    "AddDate": _transform_method(_add_date, INT, INT, INT),
    "After": _comparison_method(BOOL, lambda order: order > 0),
    "Before": _comparison_method(BOOL, lambda order: order < 0),
    "Compare": _comparison_method(INT, lambda order: (order > 0) - (order < 0)),
    "Day": _getter_method(INT, lambda time: time.date[2]),
    "Equal": _comparison_method(BOOL, lambda order: order == 0),
    "Format": Method(_format, (STRING,), result=STRING),
    "GoString": _getter_method(STRING, _go_string),
    "Hour": _getter_method(INT, lambda time: time.clock[0]),
    "IsDST": _getter_method(BOOL, lambda _: False),
    "IsZero": _getter_method(BOOL, lambda time: time.sub(Moment()) == 0),
    "Local": _zone_method(LOCAL),
    "MarshalJSON": _getter_method(_BYTES, lambda time: [*f'"{_rfc_3339(time)}"'.encode()]),
    "MarshalText": _getter_method(_BYTES, lambda time: [*_rfc_3339(time).encode()]),
    "Minute": _getter_method(INT, lambda time: time.clock[1]),
    "Month": _getter_method(MONTH, lambda time: time.date[1]),
    "Nanosecond": _getter_method(INT, lambda time: time.nanoseconds),
    "Round": _transform_method(_round, DURATION),
    "Second": _getter_method(INT, lambda time: time.clock[2]),
    "String": _getter_method(STRING, lambda time: format_time(time, _STRING)),
    "Sub": Method(_subtract, (TIME,), result=DURATION),
    "Truncate": _transform_method(_truncate, DURATION),
    "UTC": _zone_method(UTC),
    "Unix": _getter_method(INT64, lambda time: time.seconds),
    "UnixMicro": _getter_method(INT64, lambda time: wrap_int64(time.sub(Moment(0)) // MICROSECOND)),
    "UnixMilli": _getter_method(INT64, lambda time: wrap_int64(time.sub(Moment(0)) // MILLISECOND)),
    "UnixNano": _getter_method(INT64, lambda time: wrap_int64(time.sub(Moment(0)))),
    "Weekday": _getter_method(WEEKDAY, lambda time: time.weekday),
    "Year": _getter_method(INT, lambda time: time.date[0]),
    "YearDay": _getter_method(INT, lambda time: time.day_of_year),
    **refused_methods("time.Time", _REFUSED),
}


def _integer_units_method(unit: int) -> Method:
    """A method that returns the number of units, rounded toward zero."""

    def count(duration: int) -> Value:
        return INT64.convert(abs(int(duration)) // unit * (-1 if duration < 0 else 1))

    return Method(count, result=INT64)


def _fractional_units_method(unit: int) -> Method:
    """A method that returns the units with a fraction; Go divides the remainder separately."""

    def share(duration: int) -> float:
        units, rest = divmod(abs(duration), unit)
        return (units + rest / unit) * (-1 if duration < 0 else 1)

    return Method(share, result=FLOAT64)


def _round_duration(duration: int, unit: int) -> Value:
    """Round: to the nearest multiple of ``unit``; halves round away from zero."""
    size = abs(int(duration))
    if unit > 0:
        size = min((2 * size + unit) // (2 * unit) * unit, _INT64_RANGE[1])
    return DURATION.convert(-size if duration < 0 else size)


def _truncate_duration(duration: int, unit: int) -> Value:
    """Truncate: round toward zero to a multiple of ``unit``."""
    size = abs(int(duration))
    size -= size % unit if unit > 0 else 0
    return DURATION.convert(-size if duration < 0 else size)


def _absolute_duration(duration: int) -> Value:
    return DURATION.convert(min(abs(duration), _INT64_RANGE[1]))


DURATION.methods = {
    "Abs": Method(_absolute_duration, result=DURATION),
    "Hours": _fractional_units_method(HOUR),
    "Microseconds": _integer_units_method(MICROSECOND),
    "Milliseconds": _integer_units_method(MILLISECOND),
    "Minutes": _fractional_units_method(MINUTE),
    "Nanoseconds": _integer_units_method(1),
    "Round": Method(_round_duration, (DURATION,), result=DURATION),
    "Seconds": _fractional_units_method(SECOND),
    "String": Method(format_duration, result=STRING),
    "Truncate": Method(_truncate_duration, (DURATION,), result=DURATION),
}
