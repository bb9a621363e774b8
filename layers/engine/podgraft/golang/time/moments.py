"""A point in time with its time zone, and the Gregorian calendar."""

from msgspec import Struct
from msgspec.structs import replace

from .durations import SECOND

_DAY = 86_400  # seconds
_EPOCH_DAYS = 719_468  # from 0000-03-01 to 1970-01-01
_CYCLE_DAYS = 146_097  # in 400 years
_ZERO_SECONDS = -62_135_596_800  # 0001-01-01 UTC, Go's zero time


class Zone(Struct, frozen=True):
    """An abbreviation (can be empty), the seconds east of UTC, and Go's variable if any."""

    name: str
    offset: int
    variable: str = ""


UTC = Zone("UTC", 0, "time.UTC")
LOCAL = Zone("UTC", 0, "time.Local")


class Moment(Struct, frozen=True):
    """The seconds since 1970 in UTC, additional nanoseconds, and a zone."""

    seconds: int = _ZERO_SECONDS
    nanoseconds: int = 0
    zone: Zone = UTC

    def add(self, nanoseconds: int) -> "Moment":
        """The moment after the given duration."""
        seconds, rest = divmod(self.nanoseconds + nanoseconds, SECOND)
        return replace(self, seconds=self.seconds + seconds, nanoseconds=rest)

    def sub(self, other: "Moment") -> int:
        """Nanoseconds from ``other`` to this moment."""
        return (self.seconds - other.seconds) * SECOND + self.nanoseconds - other.nanoseconds

    @property
    def days(self) -> int:
        """The days since 1970 in the zone."""
        return (self.seconds + self.zone.offset) // _DAY

    @property
    def date(self) -> tuple[int, int, int]:
        """The year, the month, and the day."""
        return date_from_days(self.days)

    @property
    def clock(self) -> tuple[int, int, int]:
        """The hour, the minute, and the second."""
        minutes, second = divmod((self.seconds + self.zone.offset) % _DAY, 60)
        hour, minute = divmod(minutes, 60)
        return hour, minute, second

    @property
    def weekday(self) -> int:
        """The day of the week; 0 is Sunday."""
        return (self.days + 4) % 7

    @property
    def day_of_year(self) -> int:
        """The day of the year; 1 is January 1."""
        return self.days - days_since_epoch(self.date[0], 1, 1) + 1


def make_moment(
    date: tuple[int, int, int], clock: tuple[int, int, int] = (0, 0, 0), nanoseconds: int = 0
) -> Moment:
    """time.Date in UTC; a part that is out of range carries over to the next larger part."""
    hour, minute, second = clock
    seconds = ((days_since_epoch(*date) * 24 + hour) * 60 + minute) * 60 + second
    return Moment(seconds).add(nanoseconds)


def days_since_epoch(year: int, month: int, day: int) -> int:
    """The days from 1970 to a date; months and days can be out of range.

    >>> days_since_epoch(1970, 1, 1), days_since_epoch(1969, 14, 1)
    (0, 31)
    """
    year, month = year + (month - 3) // 12, (month - 3) % 12  # the year starts in March
    leap_days = year // 4 - year // 100 + year // 400
    return year * 365 + leap_days + (153 * month + 2) // 5 + day - 1 - _EPOCH_DAYS


def date_from_days(days: int) -> tuple[int, int, int]:
    """The year, the month, and the day that are ``days`` after 1970.

    >>> date_from_days(-1)
    (1969, 12, 31)
    """
    cycle, day = divmod(days + _EPOCH_DAYS, _CYCLE_DAYS)
    year = (day - day // 1460 + day // 36_524 - day // 146_096) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153
    day -= (153 * month + 2) // 5
    carry, month = divmod(month + 2, 12)
    return year + cycle * 400 + carry, month + 1, day + 1
