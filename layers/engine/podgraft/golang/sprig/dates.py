"""Dates and durations, as functions of their arguments.

Local time is UTC. Nothing reads the clock: a template with ``now`` or ``ago`` does not load. sprig
uses the current time for a date that is neither a time nor a number of seconds; here, such a date
is an error. As in Go, the name of a zone that does not exist means UTC.
"""

from msgspec.structs import replace

from podgraft.base.zones import UnknownZoneError, find_zone
from podgraft.golang.errors import FunctionError
from podgraft.golang.reflect import INT, INT32, INT64, STRING, Struct, Value, type_of
from podgraft.golang.strconv.atoi import atoi
from podgraft.golang.time import (
    TIME,
    UTC,
    DurationError,
    LayoutError,
    Moment,
    Zone,
    format_duration,
    format_time,
    moment_of,
    parse_duration,
    parse_time,
    time_of,
    wrap_int64,
)

_HTML = "2006-01-02"
_UTC_NAMES = ("", "UTC", "Local")
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
    """Format the date with a layout."""
    return date_in_zone(layout, value, "Local")


def date_in_zone(layout: str, value: Value, zone: str) -> str:
    """``date`` in a zone of the package tzdata."""
    moment = _to_moment(value)
    try:
        found = UTC if zone in _UTC_NAMES else Zone(*find_zone(zone, moment.seconds))
    except UnknownZoneError:
        found = UTC
    return format_time(replace(moment, zone=found), layout)


def html_date(value: Value) -> str:
    """Format the date for an HTML date picker."""
    return date(_HTML, value)


def html_date_in_zone(value: Value, zone: str) -> str:
    """``htmlDate`` in a zone of the package tzdata."""
    return date_in_zone(_HTML, value, zone)


def _to_moment(value: Value) -> Moment:
    type_ = type_of(value)
    if type_ in (INT, INT32, INT64):
        return Moment(int(value))
    if type_ is TIME:
        return moment_of(value)
    raise FunctionError("the date must be a time or an integer; the current time is not available")


def date_modify(duration: str, value: Struct) -> Struct:
    """Add a duration to the date; an invalid duration changes nothing."""
    try:
        return must_date_modify(duration, value)
    except FunctionError:
        return value


def must_date_modify(duration: str, value: Struct) -> Struct:
    """Add a duration to the date."""
    return time_of(moment_of(value).add(parse_duration(duration)))


def to_date(layout: str, text: str) -> Struct:
    """Parse a date; Go's zero time if the text does not match the layout."""
    try:
        return must_to_date(layout, text)
    except LayoutError:
        return time_of(Moment())


def must_to_date(layout: str, text: str) -> Struct:
    """Parse a date."""
    return time_of(parse_time(layout, text))


def unix_epoch(value: Struct) -> str:
    """The seconds since 1970."""
    return str(moment_of(value).seconds)


def duration(seconds: Value) -> str:
    """Format seconds (a string or an int64) as a duration; any other type, even int, is 0.

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
    """The largest unit that a duration exceeds, with the number of units.

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
        raise FunctionError(
            "the time since a date requires the current time, which is not available"
        )
    if type_ is INT64:
        return int(value)
    try:
        return parse_duration(value) if type_ is STRING else 0
    except DurationError:
        return 0
