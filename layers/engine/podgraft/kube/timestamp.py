"""Points in time as Kubernetes objects hold them: RFC 3339 text (Go 1.26, time.Parse)."""

import re
from typing import NamedTuple

from .errors import TimeError

_LAYOUT = "2006-01-02T15:04:05Z07:00"
_SECONDS_A_DAY = 86_400
_DAYS_TO_1970 = 719_162  # from 1 January of year 1
# Years are counted from March, so that the leap day is the last of a year.
_DAYS_TO_MARCH = -306
_DAYS_IN_400_YEARS = 146_097


class Instant(NamedTuple):
    """Seconds since 1 January of year 1, UTC (Go's zero time), and nanoseconds into the next."""

    seconds: int = 0
    nanoseconds: int = 0

    def __str__(self) -> str:
        """RFC 3339 in UTC, whole seconds: what Time.MarshalJSON writes."""
        year, month, day = self.date
        hour, minute, second = self.clock
        return f"{spelled_year(year)}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"

    @property
    def days(self) -> int:
        """Whole days since 1 January of year 1, which was a Monday."""
        return self.seconds // _SECONDS_A_DAY

    @property
    def unix(self) -> int:
        """Whole seconds since 1970."""
        return self.seconds - _DAYS_TO_1970 * _SECONDS_A_DAY

    @property
    def date(self) -> tuple[int, int, int]:
        """Year, month and day."""
        era, day = divmod(self.days - _DAYS_TO_MARCH, _DAYS_IN_400_YEARS)
        year = (day - day // 1460 + day // 36_524 - day // 146_096) // 365
        day -= 365 * year + year // 4 - year // 100
        of_march = (5 * day + 2) // 153
        next_year, month = divmod(of_march + 2, 12)
        return 400 * era + year + next_year, month + 1, day - (153 * of_march + 2) // 5 + 1

    @property
    def clock(self) -> tuple[int, int, int]:
        """Hour, minute and second."""
        minutes, second = divmod(self.seconds % _SECONDS_A_DAY, 60)
        return minutes // 60, minutes % 60, second


def days_before(year: int, month: int, day: int) -> int:
    """Days from 1 January of year 1 to a date."""
    last_year, of_march = divmod(month - 3, 12)
    era, of_era = divmod(year + last_year, 400)
    days = of_era * 365 + of_era // 4 - of_era // 100 + (153 * of_march + 2) // 5 + day - 1
    return era * _DAYS_IN_400_YEARS + days + _DAYS_TO_MARCH


def canonical(text: str) -> str | None:
    """How a time is written again: UTC, no fraction; ``None`` (null) for the zero time."""
    instant = parse(text)
    return str(instant) if instant != Instant() else None


# What stands before a number, the number's place in the layout, its form, its name and bounds.
_PARTS = (
    ("", "2006", r"[0-9]{4}", "year", range(10_000)),
    ("-", "01", r"[0-9]{2}", "month", range(1, 13)),
    ("-", "02", r"[0-9]{2}", "day", range(100)),
    ("T", "15", r"[0-9]{1,2}", "hour", range(24)),
    (":", "04", r"[0-9]{2}", "minute", range(60)),
    (":", "05", r"[0-9]{2}", "second", range(60)),
)


def parse(text: str) -> Instant:
    """Read an RFC 3339 time; ``TimeError`` with Go's message."""
    rest, numbers = text, list[int]()
    for prefix, layout, form, word, bounds in _PARTS:
        if not rest.startswith(prefix):
            raise _unparsable(text, rest, prefix)
        rest = rest.removeprefix(prefix)
        found = re.match(form, rest)
        if found is None:
            raise _unparsable(text, rest, layout)
        if int(found[0]) not in bounds:
            raise _out_of_range(text, word)
        numbers.append(int(found[0]))
        rest = rest[found.end() :]
    year, month, day, hour, minute, second = numbers
    nanoseconds, rest = _fraction(rest)
    offset, rest = _offset(text, rest)
    if rest:
        raise TimeError(f"parsing time {_quoted(text)}: extra text: {_quoted(rest)}")
    first = days_before(year, month, 1)
    after = days_before(year + month // 12, month % 12 + 1, 1)
    if not 1 <= day <= after - first:
        raise _out_of_range(text, "day")
    seconds = (first + day - 1) * _SECONDS_A_DAY + hour * 3600 + minute * 60 + second - offset
    return Instant(seconds, nanoseconds)


def _fraction(rest: str) -> tuple[int, str]:
    """Nanoseconds of a fraction of any length; Go takes it though the layout has none."""
    found = re.match(r"[.,]([0-9]+)", rest)
    if found is None:
        return 0, rest
    return int(found[1][:9].ljust(9, "0")), rest[found.end() :]


def _offset(text: str, rest: str) -> tuple[int, str]:
    """Seconds east of UTC."""
    if rest.startswith("Z"):
        return 0, rest[1:]
    found = re.match(r"(.)([0-9]{2}):([0-9]{2})", rest, re.DOTALL)
    if found is None:
        raise _unparsable(text, rest, "Z07:00")
    hours, minutes = int(found[2]), int(found[3])
    for word, number, largest in (("minute", minutes, 60), ("hour", hours, 24)):
        if number > largest:  # not >=: some people write 24 hours or 60 minutes
            raise _out_of_range(text, f"time zone offset {word}")
    if found[1] not in "+-":
        raise _unparsable(text, rest, "Z07:00")
    seconds = (hours * 60 + minutes) * 60
    return -seconds if found[1] == "-" else seconds, rest[found.end() :]


def _unparsable(text: str, rest: str, layout: str) -> TimeError:
    return TimeError(
        f'parsing time {_quoted(text)} as "{_LAYOUT}": cannot parse {_quoted(rest)} as "{layout}"'
    )


def _out_of_range(text: str, word: str) -> TimeError:
    return TimeError(f"parsing time {_quoted(text)}: {word} out of range")


def _quoted(text: str) -> str:
    """Go's time.quote: only printable ASCII stands for itself."""
    escaped = re.sub(r'["\\]', r"\\\g<0>", text)
    return '"' + re.sub(r"[^ -\x7f]", _hex, escaped) + '"'


def _hex(found: re.Match[str]) -> str:
    return "".join(f"\\x{byte:02x}" for byte in found[0].encode(errors="surrogateescape"))


def spelled_year(year: int) -> str:
    """Four digits at least, without the sign."""
    return f"{year:04}" if year >= 0 else f"-{-year:04}"
