"""Timestamps and durations: reading, printing, and their parts."""

from __future__ import annotations

import re
from collections.abc import Callable

from podgraft.kube.cel.errors import EvaluationError
from podgraft.kube.cel.overloads import Overload, function, member
from podgraft.kube.cel.values import INT_MAX, INT_MIN, NANOSECONDS, Duration, Timestamp

_DAY = 86_400

# cel-go common/types/timestamp.go: 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z.
_FIRST_SECOND, _LAST_SECOND = -62_135_596_800, 253_402_300_799

_TIMESTAMP = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII
)
_OFFSET = re.compile(r"([+-]?)(\d\d):(\d\d)", re.ASCII)
_DURATION = re.compile(r"(\d{1,20}(?:\.\d{0,99})?|\.\d{1,99})(ns|us|µs|μs|ms|s|m|h)", re.ASCII)
_UNITS = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,
    "μs": 1_000,
    "ms": 1_000_000,
    "s": NANOSECONDS,
    "m": 60 * NANOSECONDS,
    "h": 3_600 * NANOSECONDS,
}
_MONTH_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


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
    match = _TIMESTAMP.fullmatch(text)
    if match is None:
        raise EvaluationError(f'parsing time "{text}": not an RFC 3339 timestamp')
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    if not (1 <= month <= 12 and 1 <= day <= _days_in(year, month)) or (  # noqa: PLR2004
        hour > 23 or minute > 59 or second > 59  # noqa: PLR2004 - a day's hours, an hour's minutes
    ):
        raise EvaluationError(f'parsing time "{text}": out of range')
    fraction = int(f"{match[7] or '0':0<9.9}")
    offset = _offset_seconds(match[8], match[9], match[10]) if match[8] else 0
    seconds = (
        _days_since_epoch(year, month, day) * _DAY + hour * 3_600 + minute * 60 + second - offset
    )
    return check_timestamp(seconds * NANOSECONDS + fraction, offset)


def duration(text: str) -> Duration:
    """Read Go's form, ``1h30m``.

    >>> duration("-1.5s").nanoseconds
    -1500000000
    """
    sign, digits = (-1, text[1:]) if text[:1] == "-" else (1, text.removeprefix("+"))
    if digits == "0":
        return Duration(0)
    parts = _DURATION.findall(digits)
    if not digits or "".join(number + unit for number, unit in parts) != digits:
        raise EvaluationError(f'time: invalid duration "{text}"')
    return check_duration(sign * sum(_nanoseconds(number, unit) for number, unit in parts))


def _nanoseconds(number: str, unit: str) -> int:
    integer, _, fraction = number.partition(".")
    scale = _UNITS[unit]
    return int(integer or "0") * scale + int(fraction or "0") * scale // 10 ** len(fraction)


def _days_in(year: int, month: int) -> int:
    leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)  # noqa: PLR2004
    return _MONTH_DAYS[month - 1] + leap


def _days_since_epoch(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 in the proleptic Gregorian calendar."""
    shifted = year - (month <= 2)  # noqa: PLR2004 - years begin in March, so leap days end them
    era = shifted // 400
    of_era = shifted - era * 400
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468


def _date_from_days(days: int) -> tuple[int, int, int]:
    """Year, month and day; the inverse of ``_days``."""
    era, of_era = divmod(days + 719_468, 146_097)
    year = (of_era - of_era // 1_460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    shifted = (5 * of_year + 2) // 153
    month = (shifted + 2) % 12 + 1
    return year + era * 400 + (month <= 2), month, of_year - (153 * shifted + 2) // 5 + 1  # noqa: PLR2004


def text_of_timestamp(value: Timestamp) -> str:
    """RFC 3339 with its own offset, with as many digits of a second as it has."""
    seconds, nanoseconds = divmod(value.nanoseconds + value.offset * NANOSECONDS, NANOSECONDS)
    days, of_day = divmod(seconds, _DAY)
    year, month, day = _date_from_days(days)
    fraction = f".{nanoseconds:09d}".rstrip("0") if nanoseconds else ""
    clock = f"{of_day // 3_600:02d}:{of_day // 60 % 60:02d}:{of_day % 60:02d}{fraction}"
    sign, minutes = "-" if value.offset < 0 else "+", abs(value.offset) // 60
    zone = f"{sign}{minutes // 60:02d}:{minutes % 60:02d}" if value.offset else "Z"
    return f"{year:04d}-{month:02d}-{day:02d}T{clock}{zone}"


def text_of_duration(value: Duration) -> str:
    """Seconds with an ``s``: ``5400s``, ``0.5s``."""
    seconds, nanoseconds = divmod(abs(value.nanoseconds), NANOSECONDS)
    fraction = f".{nanoseconds:09d}".rstrip("0") if nanoseconds else ""
    return f"{'-' if value.nanoseconds < 0 else ''}{seconds}{fraction}s"


def _offset_seconds(sign: str, hours: str, minutes: str) -> int:
    seconds = int(hours) * 3_600 + int(minutes) * 60
    return -seconds if sign == "-" else seconds


def _local_time(value: Timestamp, zone: str) -> tuple[int, int]:
    """Days since 1970 and seconds of the day in a zone: ``UTC`` or an offset.

    Named zones would require the zone files of the machine, and results must not depend on them.
    """
    offset = _OFFSET.fullmatch(zone)
    if offset is None and zone != "UTC":
        raise EvaluationError(f"unknown time zone {zone}: write an offset such as +02:00")
    shift = _offset_seconds(*offset.groups()) if offset else 0
    return divmod(value.nanoseconds // NANOSECONDS + shift, _DAY)


def _part_function(read: Callable[[int, int], int]) -> Callable[..., int]:
    def part(value: Timestamp, zone: str = "UTC") -> int:
        return read(*_local_time(value, zone))

    return part


def _day_of_year(days: int, _seconds: int) -> int:
    return days - _days_since_epoch(_date_from_days(days)[0], 1, 1)


# 1970-01-01 was a Thursday, day 4 of a week that begins with Sunday, day 0.
_TIMESTAMP_PARTS: dict[str, Callable[..., int]] = {
    "getFullYear": _part_function(lambda days, _seconds: _date_from_days(days)[0]),
    "getMonth": _part_function(lambda days, _seconds: _date_from_days(days)[1] - 1),
    "getDate": _part_function(lambda days, _seconds: _date_from_days(days)[2]),
    "getDayOfMonth": _part_function(lambda days, _seconds: _date_from_days(days)[2] - 1),
    "getDayOfWeek": _part_function(lambda days, _seconds: (days + 4) % 7),
    "getDayOfYear": _part_function(_day_of_year),
    "getHours": _part_function(lambda _days, seconds: seconds // 3_600),
    "getMinutes": _part_function(lambda _days, seconds: seconds // 60 % 60),
    "getSeconds": _part_function(lambda _days, seconds: seconds % 60),
}


def _milliseconds(value: Timestamp, zone: str = "UTC") -> int:
    _local_time(value, zone)
    return value.nanoseconds % NANOSECONDS // 1_000_000


def _integer_units_function(unit: int) -> Callable[[Duration], int]:
    def parts(value: Duration) -> int:
        units = abs(value.nanoseconds) // unit
        return -units if value.nanoseconds < 0 else units

    return parts


def _parts() -> list[Overload]:
    rows: list[Overload] = []
    for name, read in {**_TIMESTAMP_PARTS, "getMilliseconds": _milliseconds}.items():
        rows.append(member(name, "timestamp -> int", read))
        rows.append(member(name, "timestamp string -> int", read))
    return rows


def _since_1970(seconds: int) -> Timestamp:
    return check_timestamp(seconds * NANOSECONDS)


def _identity_timestamp(value: Timestamp) -> Timestamp:
    return value


def _identity_duration(value: Duration) -> Duration:
    return value


TIMES = (
    *_parts(),
    member("getHours", "duration -> int", _integer_units_function(3_600 * NANOSECONDS)),
    member("getMinutes", "duration -> int", _integer_units_function(60 * NANOSECONDS)),
    member("getSeconds", "duration -> int", _integer_units_function(NANOSECONDS)),
    member("getMilliseconds", "duration -> int", _integer_units_function(1_000_000)),
    function("timestamp", "string -> timestamp", timestamp),
    function("timestamp", "int -> timestamp", _since_1970),
    function("timestamp", "timestamp -> timestamp", _identity_timestamp),
    function("duration", "string -> duration", duration),
    function("duration", "duration -> duration", _identity_duration),
)
