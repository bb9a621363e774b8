"""Dates and durations, as far as they follow from their arguments.

Local time is UTC. What would read the clock fails: ``now`` and ``ago`` are refused when a template
is loaded, and a date that is neither a time nor a number of seconds, for which sprig takes the
present, fails when it is met. UTC is the only zone, since no result may depend on the time zone
files of the machine at hand.
"""

from dataclasses import replace

from podgraft.go.reflect import INT, INT32, INT64, STRING, Struct, Value, type_of
from podgraft.go.time import (
    TIME,
    UTC,
    DurationError,
    LayoutError,
    Moment,
    format_duration,
    format_time,
    moment_of,
    parse_duration,
    parse_time,
    time_of,
    wrap_int64,
)
from podgraft.texttemplate.errors import FunctionError

from .cast import atoi

_HTML = "2006-01-02"
_SECONDS = 1_000_000_000  # nanoseconds
_UNITS = (
    ("y", 365 * 24 * 3600),
    ("mo", 30 * 24 * 3600),
    ("d", 24 * 3600),
    ("h", 3600),
    ("m", 60),
    ("s", 1),
)


def date(layout: str, value: Value) -> str:
    """The date in a layout."""
    return date_in_zone(layout, value, "Local")


def date_in_zone(layout: str, value: Value, zone: str) -> str:
    """``date`` in UTC, which is the only zone."""
    if zone not in ("", "UTC", "Local"):
        raise FunctionError(f"time zone {zone}: only UTC is known")
    return format_time(replace(_to_moment(value), zone=UTC), layout)


def html_date(value: Value) -> str:
    """The date as HTML's date pickers have it."""
    return date(_HTML, value)


def html_date_in_zone(value: Value, zone: str) -> str:
    """``htmlDate`` in UTC, which is the only zone."""
    return date_in_zone(_HTML, value, zone)


def _to_moment(value: Value) -> Moment:
    type_ = type_of(value)
    if type_ in (INT, INT32, INT64):
        return Moment(int(value))
    if type_ is TIME:
        return moment_of(value)
    raise FunctionError("the date is neither a time nor an integer, and the clock is not read")


def date_modify(duration: str, value: Struct) -> Struct:
    """The date so much later; itself for what is no duration."""
    try:
        return must_date_modify(duration, value)
    except FunctionError:
        return value


def must_date_modify(duration: str, value: Struct) -> Struct:
    """The date so much later."""
    try:
        return time_of(moment_of(value).add(parse_duration(duration)))
    except DurationError as error:
        raise FunctionError(str(error)) from error


def to_date(layout: str, text: str) -> Struct:
    """The date in the text; Go's zero time for one that is not as the layout says."""
    try:
        return time_of(parse_time(layout, text))
    except LayoutError:
        return time_of(Moment())


def must_to_date(layout: str, text: str) -> Struct:
    """The date in the text."""
    try:
        return time_of(parse_time(layout, text))
    except LayoutError as error:
        raise FunctionError(str(error)) from error


def unix_epoch(value: Struct) -> str:
    """Seconds since 1970."""
    return str(moment_of(value).seconds)


def duration(seconds: Value) -> str:
    """Seconds, as text or int64, as a duration; anything else, plain int too, is 0.

    >>> duration("95")
    '1m35s'
    """
    number = 0
    if seconds.__class__ is str:
        number = atoi(seconds)
    elif type_of(seconds) is INT64:
        number = int(seconds)
    return format_duration(wrap_int64(number * _SECONDS))


def duration_round(value: Value) -> str:
    """The largest unit that a duration exceeds, and how many of it.

    >>> duration_round("2h10m5s"), duration_round("168h")
    ('2h', '7d')
    """
    size = abs(_nanoseconds(value))
    for unit, seconds in _UNITS:
        if size > seconds * _SECONDS:
            return f"{size // (seconds * _SECONDS)}{unit}"
    return "0s"


def _nanoseconds(value: Value) -> int:
    type_ = type_of(value)
    if type_ is TIME:
        raise FunctionError("the time since a date would need the clock, which is not read")
    if type_ is INT64:
        return int(value)
    try:
        return parse_duration(value) if type_ is STRING else 0
    except DurationError:
        return 0
