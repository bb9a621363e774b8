"""The types of package time as templates see them, with the methods that need no clock.

Left out are methods that change their receiver, those that give more than one value (templates
cannot call them), and those about locations.
"""

from collections.abc import Callable
from dataclasses import replace

from podgraft.govalue import (
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
    number,
    slice_of,
    struct,
)

from .durations import HOUR, MICROSECOND, MILLISECOND, MINUTE, SECOND, print_duration
from .layouts import MONTHS, WEEKDAYS, format_moment
from .moments import LOCAL, UTC, Moment, Zone, moment
from .quoting import quote

_BYTES = slice_of(UINT8)
_STRING = "2006-01-02 15:04:05.999999999 -0700 MST"
_RFC_3339 = "2006-01-02T15:04:05.999999999Z07:00"
_INT64_RANGE = (-(1 << 63), (1 << 63) - 1)

TIME = struct("time.Time")
MONTH = number("time.Month", Kind.INT)
WEEKDAY = number("time.Weekday", Kind.INT)
DURATION = number("time.Duration", Kind.INT64)


def _month_name(month: int) -> str:
    return MONTHS[month - 1] if 0 < month <= len(MONTHS) else f"%!Month({int(month)})"


def _weekday_name(day: int) -> str:
    return WEEKDAYS[day] if 0 <= day < len(WEEKDAYS) else f"%!Weekday({int(day)})"


MONTH.methods = {"String": Method(_month_name, result=STRING)}
WEEKDAY.methods = {"String": Method(_weekday_name, result=STRING)}


def time_of(moment: Moment) -> Struct:
    """The time.Time of a moment."""
    return Struct(TIME, {"": moment})


def moment_of(time: Struct) -> Moment:
    """The moment of a time.Time, its zero value included."""
    return time.raw.get("", Moment())


def wrapped(nanoseconds: int) -> int:
    """What Go's int64 arithmetic would leave."""
    return (nanoseconds + (1 << 63) & (1 << 64) - 1) - (1 << 63)


def _getter(result: GoType, call: Callable[[Moment], Value]) -> Method:
    def get(time: Struct) -> Value:
        return result.convert(call(moment_of(time)))

    return Method(get, result=result)


def _changer(call: Callable[..., Moment], *parameters: GoType) -> Method:
    def change(time: Struct, *arguments: Value) -> Struct:
        return time_of(call(moment_of(time), *arguments))

    return Method(change, parameters, result=TIME)


def _comparison(result: GoType, holds: Callable[[int], Value]) -> Method:
    def compare(time: Struct, other: Struct) -> Value:
        return holds(_order(moment_of(time), moment_of(other)))

    return Method(compare, (TIME,), result=result)


def _order(left: Moment, right: Moment) -> int:
    ours, theirs = (left.seconds, left.nanoseconds), (right.seconds, right.nanoseconds)
    return (ours > theirs) - (ours < theirs)


def _format(time: Struct, layout: str) -> str:
    return format_moment(moment_of(time), layout)


def _shown_in(zone: Zone) -> Method:
    def show(time: Struct) -> Struct:
        return time_of(replace(moment_of(time), zone=zone))

    return Method(show, result=TIME)


def _elapsed(time: Struct, other: Struct) -> Value:
    """Sub: the largest or the smallest duration for what does not fit."""
    least, most = _INT64_RANGE
    return DURATION.convert(min(max(moment_of(time).since(moment_of(other)), least), most))


def _moved(time: Moment, years: int, months: int, days: int) -> Moment:
    """AddDate: the calendar's parts added, then normalized, where the zone is."""
    year, month, day = time.date
    found = moment((year + years, month + months, day + days), time.clock, time.nanoseconds)
    return replace(found, seconds=found.seconds - time.zone.offset, zone=time.zone)


def _cut(time: Moment, unit: int) -> Moment:
    """Truncate: down to a multiple of ``unit`` since Go's zero time."""
    return time.plus(-(time.since(Moment()) % unit)) if unit > 0 else time


def _rounded(time: Moment, unit: int) -> Moment:
    """Round: to the nearest multiple of ``unit``, halves up."""
    rest = time.since(Moment()) % unit if unit > 0 else 0
    return time.plus(unit - rest if 2 * rest >= unit > 0 else -rest)


def _go_string(time: Moment) -> str:
    year, month, day = time.date
    zone = time.zone.variable or f"time.Location({quote(time.zone.name)})"
    parts = (year, f"time.{MONTHS[month - 1]}", day, *time.clock, time.nanoseconds, zone)
    return f"time.Date({', '.join(map(str, parts))})"


def _rfc_3339(time: Moment) -> str:
    return format_moment(time, _RFC_3339)


def _bytes(text: str) -> list[int]:
    return [*text.encode()]


TIME.methods = {
    "Add": _changer(Moment.plus, DURATION),
    "AddDate": _changer(_moved, INT, INT, INT),
    "After": _comparison(BOOL, lambda order: order > 0),
    "Before": _comparison(BOOL, lambda order: order < 0),
    "Compare": _comparison(INT, lambda order: order),
    "Day": _getter(INT, lambda time: time.date[2]),
    "Equal": _comparison(BOOL, lambda order: order == 0),
    "Format": Method(_format, (STRING,), result=STRING),
    "GoString": _getter(STRING, _go_string),
    "Hour": _getter(INT, lambda time: time.clock[0]),
    "IsDST": _getter(BOOL, lambda _: False),
    "IsZero": _getter(BOOL, lambda time: _order(time, Moment()) == 0),
    "Local": _shown_in(LOCAL),
    "MarshalJSON": _getter(_BYTES, lambda time: _bytes(f'"{_rfc_3339(time)}"')),
    "MarshalText": _getter(_BYTES, lambda time: _bytes(_rfc_3339(time))),
    "Minute": _getter(INT, lambda time: time.clock[1]),
    "Month": _getter(MONTH, lambda time: time.date[1]),
    "Nanosecond": _getter(INT, lambda time: time.nanoseconds),
    "Round": _changer(_rounded, DURATION),
    "Second": _getter(INT, lambda time: time.clock[2]),
    "String": _getter(STRING, lambda time: format_moment(time, _STRING)),
    "Sub": Method(_elapsed, (TIME,), result=DURATION),
    "Truncate": _changer(_cut, DURATION),
    "UTC": _shown_in(UTC),
    "Unix": _getter(INT64, lambda time: time.seconds),
    "UnixMicro": _getter(INT64, lambda time: wrapped(time.since(Moment(0)) // MICROSECOND)),
    "UnixMilli": _getter(INT64, lambda time: wrapped(time.since(Moment(0)) // MILLISECOND)),
    "UnixNano": _getter(INT64, lambda time: wrapped(time.since(Moment(0)))),
    "Weekday": _getter(WEEKDAY, lambda time: time.weekday),
    "Year": _getter(INT, lambda time: time.date[0]),
    "YearDay": _getter(INT, lambda time: time.day_of_year),
}


def _count(unit: int) -> Method:
    """Whole units, cut towards zero."""

    def count(duration: int) -> Value:
        return INT64.convert(abs(int(duration)) // unit * (-1 if duration < 0 else 1))

    return Method(count, result=INT64)


def _share(unit: int) -> Method:
    """Units with their fraction: the whole ones and the rest divided apart, as Go does."""

    def share(duration: int) -> float:
        whole, rest = divmod(abs(duration), unit)
        return (whole + rest / unit) * (-1 if duration < 0 else 1)

    return Method(share, result=FLOAT64)


def _absolute(duration: int) -> Value:
    return DURATION.convert(min(abs(duration), _INT64_RANGE[1]))


DURATION.methods = {
    "Abs": Method(_absolute, result=DURATION),
    "Hours": _share(HOUR),
    "Microseconds": _count(MICROSECOND),
    "Milliseconds": _count(MILLISECOND),
    "Minutes": _share(MINUTE),
    "Nanoseconds": _count(1),
    "Seconds": _share(SECOND),
    "String": Method(print_duration, result=STRING),
}
