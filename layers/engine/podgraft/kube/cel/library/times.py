"""Timestamps and durations: reading, printing, and their parts."""

import math
from collections.abc import Callable

from podgraft.base.zones import UnknownZoneError, find_zone
from podgraft.golang import time as gotime
from podgraft.golang.strconv.atoi import NumError, parse_int
from podgraft.golang.strconv.ftoa import format_float
from podgraft.kube.cel.errors import EvaluationError
from podgraft.kube.cel.overloads import function, identity, member, reads_text
from podgraft.kube.cel.values import (
    INT_MAX,
    INT_MIN,
    NANOSECONDS,
    Duration,
    Timestamp,
    conversion_error,
)

# cel-go common/types/timestamp.go: 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z.
_FIRST_SECOND, _LAST_SECOND = -62_135_596_800, 253_402_300_799
_RFC_3339 = "2006-01-02T15:04:05Z07:00"
_RFC_3339_NANOSECONDS = "2006-01-02T15:04:05.999999999Z07:00"
_LAST_MINUTE = 59


def check_duration(nanoseconds: int) -> Duration:
    """The duration, where 64 bits of nanoseconds hold it (about 292 years)."""
    if not INT_MIN <= nanoseconds <= INT_MAX:
        raise EvaluationError("integer overflow")
    return Duration(nanoseconds)


def check_timestamp(nanoseconds: int, offset: int = 0) -> Timestamp:
    """The timestamp, where its year is 1 to 9999."""
    if not _FIRST_SECOND <= nanoseconds // NANOSECONDS <= _LAST_SECOND:
        raise EvaluationError("timestamp overflow")
    return Timestamp(nanoseconds, offset)


def timestamp(text: str) -> Timestamp:
    """Read RFC 3339.

    >>> timestamp("1970-01-01T01:00:00.5+01:00").nanoseconds
    500000000
    """
    try:
        moment = gotime.parse_time(_RFC_3339, text)
    except gotime.LayoutError as error:
        raise conversion_error(text, "google.protobuf.Timestamp") from error
    nanoseconds = moment.seconds * NANOSECONDS + moment.nanoseconds
    return check_timestamp(nanoseconds, moment.zone.offset)


def duration(text: str) -> Duration:
    """Read Go's form, ``1h30m``.

    >>> duration("-1.5s").nanoseconds
    -1500000000
    """
    try:
        return check_duration(gotime.parse_duration(text))
    except gotime.DurationError as error:
        raise conversion_error(text, "google.protobuf.Duration") from error


def _moment(value: Timestamp, offset: int) -> gotime.Moment:
    seconds, nanoseconds = divmod(value.nanoseconds, NANOSECONDS)
    return gotime.Moment(seconds, nanoseconds, gotime.Zone("", offset))


def text_of_timestamp(value: Timestamp) -> str:
    """RFC 3339 with its own offset, with as many digits of a second as it has."""
    return gotime.format_time(_moment(value, value.offset), _RFC_3339_NANOSECONDS)


def text_of_duration(value: Duration) -> str:
    """Seconds with an ``s``, as Go prints ``Duration.Seconds``: ``5400s``, ``0.5s``."""
    seconds, nanoseconds = divmod(abs(value.nanoseconds), NANOSECONDS)
    number = math.copysign(seconds + nanoseconds / 1e9, value.nanoseconds)
    return f"{format_float(number, 'f')}s"


def _moment_in(value: Timestamp, zone: str) -> gotime.Moment:
    """The moment in a zone: a name or an offset (cel-go common/types/timestamp.go, timeZone).

    ``Local`` is UTC, as in the containers of kube-apiserver.
    """
    hours, colon, minutes = zone.partition(":")
    if not colon:
        if zone in ("", "UTC", "Local"):
            return _moment(value, 0)
        try:
            return _moment(value, find_zone(zone, value.nanoseconds // NANOSECONDS)[1])
        except UnknownZoneError as error:
            raise EvaluationError(f"unknown time zone {zone}") from error
    try:
        hour, minute = (parse_int(text, function="Atoi") for text in (hours, minutes))
    except NumError as error:
        raise EvaluationError(str(error)) from error
    if not 0 <= minute <= _LAST_MINUTE:
        raise EvaluationError(f"timezone offset minutes out of range [0, 59]: {zone}")
    offset = hour * 60 - minute if zone.startswith("-") else hour * 60 + minute
    return _moment(value, offset * 60)


def _part_function(read: Callable[[gotime.Moment], int]) -> Callable[..., int]:
    def part(value: Timestamp, zone: str = "UTC") -> int:
        return read(_moment_in(value, zone))

    return part


_TIMESTAMP_PARTS: dict[str, Callable[..., int]] = {
    "getFullYear": _part_function(lambda moment: moment.date[0]),
    "getMonth": _part_function(lambda moment: moment.date[1] - 1),
    "getDate": _part_function(lambda moment: moment.date[2]),
    "getDayOfMonth": _part_function(lambda moment: moment.date[2] - 1),
    "getDayOfWeek": _part_function(lambda moment: moment.weekday),
    "getDayOfYear": _part_function(lambda moment: moment.day_of_year - 1),
    "getHours": _part_function(lambda moment: moment.clock[0]),
    "getMinutes": _part_function(lambda moment: moment.clock[1]),
    "getSeconds": _part_function(lambda moment: moment.clock[2]),
    "getMilliseconds": _part_function(lambda moment: moment.nanoseconds // 1_000_000),
}


def _integer_units_function(unit: int) -> Callable[[Duration], int]:
    def parts(value: Duration) -> int:
        units = abs(value.nanoseconds) // unit
        return -units if value.nanoseconds < 0 else units

    return parts


TIMES = (
    *(
        member(name, signature, read)
        for name, read in _TIMESTAMP_PARTS.items()
        for signature in ("timestamp -> int", "timestamp string -> int")
    ),
    member("getHours", "duration -> int", _integer_units_function(3_600 * NANOSECONDS)),
    member("getMinutes", "duration -> int", _integer_units_function(60 * NANOSECONDS)),
    member("getSeconds", "duration -> int", _integer_units_function(NANOSECONDS)),
    member("getMilliseconds", "duration -> int", _integer_units_function(1_000_000)),
    function("timestamp", "timestamp -> timestamp", identity),
    function(
        "timestamp", "int -> timestamp", lambda seconds: check_timestamp(seconds * NANOSECONDS)
    ),
    reads_text(function("timestamp", "string -> timestamp", timestamp)),
    function("duration", "duration -> duration", identity),
    reads_text(function("duration", "string -> duration", duration)),
)
