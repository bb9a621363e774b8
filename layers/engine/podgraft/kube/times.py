"""metav1.Time as templates see it: time.Time in UTC (Go 1.26), the zone of every container."""

import operator
import re
from collections.abc import Callable

from podgraft.govalue import (
    BOOL,
    INT,
    INT64,
    STRING,
    Field,
    GoType,
    Kind,
    Method,
    Pointer,
    Struct,
    Value,
    number,
    pointer_to,
    struct,
)

from .timestamp import Instant, days_before, parse, spelled_year

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_WEEKDAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")


def _weekday(instant: Instant) -> int:
    return (instant.days + 1) % 7


def _yearday(instant: Instant) -> int:
    return instant.days - days_before(instant.date[0], 1, 1) + 1


def _hour12(instant: Instant) -> int:
    return instant.clock[0] % 12 or 12


# What a part of a layout stands for (time.nextStdChunk); zones and fractions are read otherwise.
_SPELLINGS: dict[str, Callable[[Instant], str]] = {
    "January": lambda t: _MONTHS[t.date[1] - 1],
    "Jan": lambda t: _MONTHS[t.date[1] - 1][:3],
    "Monday": lambda t: _WEEKDAYS[_weekday(t)],
    "Mon": lambda t: _WEEKDAYS[_weekday(t)][:3],
    "MST": lambda _: "UTC",
    "2006": lambda t: spelled_year(t.date[0]),
    "06": lambda t: f"{abs(t.date[0]) % 100:02}",
    "01": lambda t: f"{t.date[1]:02}",
    "1": lambda t: f"{t.date[1]}",
    "02": lambda t: f"{t.date[2]:02}",
    "_2": lambda t: f"{t.date[2]:2}",
    "2": lambda t: f"{t.date[2]}",
    "002": lambda t: f"{_yearday(t):03}",
    "__2": lambda t: f"{_yearday(t):3}",
    "15": lambda t: f"{t.clock[0]:02}",
    "03": lambda t: f"{_hour12(t):02}",
    "3": lambda t: f"{_hour12(t)}",
    "04": lambda t: f"{t.clock[1]:02}",
    "4": lambda t: f"{t.clock[1]}",
    "05": lambda t: f"{t.clock[2]:02}",
    "5": lambda t: f"{t.clock[2]}",
    "PM": lambda t: ("AM", "PM")[t.clock[0] // 12],
    "pm": lambda t: ("am", "pm")[t.clock[0] // 12],
}
_LAYOUT_PART = (
    r"January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|002|0[1-6]|15|1|__2|_2(?!006)|2006|[2345]|PM|pm"
    r"|(?P<offset>-07(?:0000|:00:00|00|:00)?)"
    r"|(?P<zulu>Z07(?:0000|:00:00|00|:00)?)"
    r"|(?P<fraction>[.,](?:0+|9+)(?![0-9]))"
)


def format_(instant: Instant, layout: str) -> str:
    """time.Time.Format, in UTC.

    >>> format_(Instant(), "Mon Jan _2 15:04:05.000 MST 2006")
    'Mon Jan  1 00:00:00.000 UTC 0001'
    """
    return re.sub(_LAYOUT_PART, lambda part: _spelled(instant, part), layout)


def _spelled(instant: Instant, part: re.Match[str]) -> str:
    match part.lastgroup:
        case "offset":
            return part[0].replace("-07", "+00")
        case "zulu":
            return "Z"
        case "fraction":
            text = part[0][0] + f"{instant.nanoseconds:09}"[: len(part[0]) - 1]
            return text if part[0].endswith("0") else text.rstrip("0").rstrip(".,")
        case _:
            return _SPELLINGS[part[0]](instant)


def _named(name: str, spell: Callable[[int], str]) -> GoType:
    return number(name, Kind.INT, {"String": Method(spell, result=STRING)})


_MONTH = _named("time.Month", lambda month: _MONTHS[month - 1])
_WEEKDAY = _named("time.Weekday", lambda day: _WEEKDAYS[day])
_GO_TIME = struct("time.Time")
TIME = struct("v1.Time")
TIME.fields = (Field("Time", _GO_TIME, "Time", embedded=True),)
_POINTER = pointer_to(TIME)


def _convert(raw: Value) -> Struct:
    if type(raw) is Struct:
        return raw
    instant = Instant() if raw is None else parse(raw)
    return Struct(TIME, {"Time": Struct(_GO_TIME, {"": instant})})


def _instant(time: Struct) -> Instant:
    """The instant under a time.Time or a metav1.Time."""
    return _instant(time.field("Time")) if time.type is TIME else time.raw.get("", Instant())


def _getter(call: Callable[[Instant], Value], result: GoType) -> Method:
    def get(time: Struct) -> Value:
        return result.convert(call(_instant(time)))

    return Method(get, result=result)


def _comparison(holds: Callable[[Instant, Instant], bool]) -> Method:
    def compare(time: Struct, other: Struct) -> bool:
        return holds(_instant(time), _instant(other))

    return Method(compare, (_GO_TIME,), result=BOOL)


def _pointer_comparison(holds: Callable[[Instant, Instant], bool], *, both_nil: bool) -> Method:
    def compare(time: Struct | None, other: Pointer) -> bool:
        if time is None or other.target is None:
            return both_nil and time is other.target
        return holds(_instant(time), _instant(other.target))

    return Method(compare, (_POINTER,), pointer=True, result=BOOL)


def _format(time: Struct, layout: str) -> str:
    return format_(_instant(time), layout)


def _is_zero(time: Struct | None) -> bool:
    return time is None or _instant(time) == Instant()


_GO_TIME.methods = {
    "After": _comparison(operator.gt),
    "Before": _comparison(operator.lt),
    "Day": _getter(lambda t: t.date[2], INT),
    "Equal": _comparison(operator.eq),
    "Format": Method(_format, (STRING,), result=STRING),
    "Hour": _getter(lambda t: t.clock[0], INT),
    "IsZero": _getter(lambda t: t == Instant(), BOOL),
    "Minute": _getter(lambda t: t.clock[1], INT),
    "Month": _getter(lambda t: t.date[1], _MONTH),
    "Nanosecond": _getter(lambda t: t.nanoseconds, INT),
    "Second": _getter(lambda t: t.clock[2], INT),
    "String": _getter(lambda t: format_(t, "2006-01-02 15:04:05.999999999 -0700 MST"), STRING),
    "Unix": _getter(lambda t: t.unix, INT64),
    "Weekday": _getter(_weekday, _WEEKDAY),
    "Year": _getter(lambda t: t.date[0], INT),
    "YearDay": _getter(_yearday, INT),
}
TIME.convert = _convert
TIME.methods = {
    "Before": _pointer_comparison(operator.lt, both_nil=False),
    "Equal": _pointer_comparison(operator.eq, both_nil=True),
    "IsZero": Method(_is_zero, pointer=True, result=BOOL),
    "Rfc3339Copy": _getter(str, TIME),
}
