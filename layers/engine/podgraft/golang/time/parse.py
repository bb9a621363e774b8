"""time.Parse: times from text according to a layout.

Go parses text byte by byte, so each byte is one character inside this module.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

from podgraft.golang.errors import FunctionError
from podgraft.golang.strconv.atoi import atoi

from .durations import quote
from .layouts import MONTHS, WEEKDAYS, chunks, is_fraction, is_offset
from .moments import LOCAL, UTC, Moment, Zone, make_moment

# The module re compiles and caches these patterns on first use; few templates need them.
_LITERAL = r" +|[^ ]"
_SIGNED = r"[+-]?[0-9]*"
_FRACTION = r"[.,][0-9]+"
_SIGNED_HOURS = r"[+-]0*(?:2[0-3]|1[0-9]|[0-9])(?![0-9])"
_ABBREVIATION = r"ChST|MeST|(?:WITA|[A-Z]{3}|[A-Z]{3,4}T)(?![A-Z])"
_NOON = 12
_FIRST_SHORT_YEAR = 69  # the Unix epoch is in 1969 in some time zones
_TWO_DIGITS = r"[0-9]{2}"
_OFFSET_PARTS = (("hour", 24, 3600), ("minute", 60, 60), ("second", 60, 1))
_SHORT_MONTHS = [month[:3] for month in MONTHS]
_SHORT_WEEKDAYS = [weekday[:3] for weekday in WEEKDAYS]


class LayoutError(FunctionError, ValueError):
    """The text does not match the layout; the message is Go's."""


class _MismatchError(Exception):
    """The text does not match the chunk (time.errBad)."""


def parse_time(layout: str, text: str) -> Moment:
    """time.ParseInLocation with UTC as local time.

    >>> parse_time("2006-01-02", "2017-12-31").date
    (2017, 12, 31)
    """
    reader = _TimeParser(_characters(text))
    parts = [*chunks(_characters(layout))]
    for (literal, chunk), (_, following) in zip(parts, [*parts[1:], ("", "")], strict=True):
        actual, expected = None, literal
        try:
            reader.skip_literal(literal)
            actual, expected = reader.rest, chunk
            reader.parse_chunk(chunk, following)
        except _MismatchError as error:
            printed = _quote_characters(reader.rest if actual is None else actual)
            reader.fail(
                f" as {quote(layout)}: cannot parse {printed} as {_quote_characters(expected)}",
                error,
            )
    return reader.moment()


def matches_layout(layout: str, text: str) -> bool:
    """Whether ``parse_time`` accepts the text."""
    try:
        parse_time(layout, text)
    except LayoutError:
        return False
    return True


def _characters(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("latin-1")


def _quote_characters(characters: str) -> str:
    return quote(characters.encode("latin-1").decode("utf-8", "surrogateescape"))


class _TimeParser:
    """The rest of a text, and the parts that were parsed; -1 if a part was not."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.rest = text
        self._year = self._nanoseconds = 0
        self._parts = {
            "month": -1,
            "day": -1,
            "hour": 0,
            "minute": 0,
            "second": 0,
            "day of year": -1,
        }
        self._offset = -1
        self._half = ""
        self._abbreviation = ""
        self._in_utc = False

    def fail(self, reason: str, cause: Exception | None = None) -> NoReturn:
        """Raise ``LayoutError`` for the complete text."""
        raise LayoutError(f"parsing time {_quote_characters(self._text)}{reason}") from cause

    def skip_literal(self, literal: str) -> None:
        """Skip literal text of the layout; spaces match any number of spaces."""
        for part in re.findall(_LITERAL, literal):
            if part[0] == " " and (not self.rest or self.rest[0] == " "):
                self.rest = self.rest.lstrip(" ")
            elif self.rest[:1] == part:
                self.rest = self.rest[1:]
            else:
                raise _MismatchError

    def parse_chunk(self, chunk: str, following: str) -> None:
        """Parse the text of a chunk; ``following`` is the next chunk of the layout."""
        if not chunk:
            if self.rest:
                self.fail(f": extra text: {_quote_characters(self.rest)}")
        elif is_fraction(chunk):
            self._read_fraction(chunk)
        elif is_offset(chunk):
            self._read_offset(chunk)
        else:
            _READERS[chunk](self)
            if chunk in ("5", "05") and not is_fraction(following):
                self._skip_fraction()

    def moment(self) -> Moment:
        """The moment of the parsed parts; the default is midnight on January 1 of year 0."""
        if self._parts["day of year"] >= 0:
            self._use_day_of_year()
        month, day = max(self._parts["month"], 1), self._parts["day"]
        date = (self._year, month, day if day >= 0 else 1)
        clock = (self._hour_of_day(), self._parts["minute"], self._parts["second"])
        moment = make_moment(date, clock, self._nanoseconds)
        if moment.date != date:
            self.fail(": day out of range")
        return self._apply_zone(moment)

    def _hour_of_day(self) -> int:
        hour = self._parts["hour"]
        if self._half == "PM" and hour < _NOON:
            return hour + _NOON
        return 0 if self._half == "AM" and hour == _NOON else hour

    def _apply_zone(self, moment: Moment) -> Moment:
        if self._in_utc:
            return moment
        if self._offset != -1:
            local = self._offset == 0 and self._abbreviation in ("", LOCAL.name)
            zone = LOCAL if local else Zone(self._abbreviation, self._offset)
            return Moment(moment.seconds - self._offset, moment.nanoseconds, zone)
        if self._abbreviation:
            hours = self._abbreviation.removeprefix("GMT")
            offset = atoi(hours) * 3600 if hours != self._abbreviation else 0
            return Moment(moment.seconds, moment.nanoseconds, Zone(self._abbreviation, offset))
        return Moment(moment.seconds, moment.nanoseconds, LOCAL)

    def _use_day_of_year(self) -> None:
        year, month, day = make_moment((self._year, 1, self._parts["day of year"])).date
        if year != self._year:
            self.fail(": day-of-year out of range")
        if self._parts["month"] not in (-1, month):
            self.fail(": day-of-year does not match month")
        if self._parts["day"] not in (-1, day):
            self.fail(": day-of-year does not match day")
        self._parts.update(month=month, day=day)

    def _read(self, size: int) -> str:
        if len(self.rest) < size:
            raise _MismatchError
        text, self.rest = self.rest[:size], self.rest[size:]
        return text

    def read_part(
        self, part: str, low: int, high: int, *, is_padded: bool = False, spaces: int = 0
    ) -> None:
        """Read a number with at most the digits of ``high``, or all if it is padded with zeros."""
        for _ in range(spaces):
            self.rest = self.rest.removeprefix(" ")
        most = len(str(high))
        digits = re.match("[0-9]*", self.rest[:most])
        size = digits.end() if digits else 0
        if size < (most if is_padded else 1):
            raise _MismatchError
        number = int(self._read(size))
        if not low <= number <= high:
            self.fail(f": {part} out of range")
        self._parts[part] = number

    def read_name(self, names: Sequence[str]) -> int:
        for index, name in enumerate(names):
            if self.rest[: len(name)].lower() == name.lower():
                self.rest = self.rest[len(name) :]
                return index
        raise _MismatchError

    def read_year(self) -> None:
        if not self.rest[:1].isdigit():
            raise _MismatchError
        self._year = _parse_signed(self._read(4))

    def read_short_year(self) -> None:
        year = _parse_signed(self._read(2))
        self._year = year + (1900 if year >= _FIRST_SHORT_YEAR else 2000)

    def read_month_name(self, names: Sequence[str]) -> None:
        self._parts["month"] = self.read_name(names) + 1

    def read_half(self, halves: Sequence[str]) -> None:
        half = self._read(2)
        if half not in halves:
            raise _MismatchError
        self._half = half.upper()

    def read_abbreviation(self) -> None:
        if self.rest.startswith(UTC.name):
            self._in_utc = True
            self.rest = self.rest[3:]
            return
        size = _abbreviation_size(self.rest)
        if not size:
            raise _MismatchError
        self._abbreviation = self._read(size)

    def _read_offset(self, chunk: str) -> None:
        if chunk[0] == "Z" and self.rest.startswith("Z"):
            self._in_utc = True
            self.rest = self.rest[1:]
            return
        text = self._read(len(chunk))
        if any(text[index] != ":" for index, char in enumerate(chunk) if char == ":"):
            raise _MismatchError
        offsets = range(1, len(chunk), 3 if ":" in chunk else 2)
        offset, invalid_part = 0, ""
        for index, (part, limit, unit) in zip(offsets, _OFFSET_PARTS, strict=False):
            if not re.fullmatch(_TWO_DIGITS, text[index : index + 2]):
                break
            number = int(text[index : index + 2])
            offset += number * unit
            invalid_part = part if number > limit else invalid_part
        else:
            if text[0] in "+-" and not invalid_part:
                self._offset = -offset if text[0] == "-" else offset
                return
        if invalid_part:
            self.fail(f": time zone offset {invalid_part} out of range")
        raise _MismatchError

    def _read_fraction(self, chunk: str) -> None:
        if chunk[1] == "9":
            self._skip_fraction()
            return
        text = self._read(len(chunk))
        if text[0] not in ".,":
            raise _MismatchError
        self._nanoseconds = _parse_signed(text[1:10]) * 10 ** max(10 - len(text), 0)
        if self._nanoseconds < 0:
            self.fail(": fractional second out of range")

    def _skip_fraction(self) -> None:
        match = re.match(_FRACTION, self.rest)
        if match:
            self._nanoseconds = int(match[0][1:10].ljust(9, "0"))
            self.rest = self.rest[match.end() :]


def _parse_signed(text: str) -> int:
    """time.atoi: a sign without digits is 0."""
    if not re.fullmatch(_SIGNED, text):
        raise _MismatchError
    return int(text) if text[-1:].isdigit() else 0


def _abbreviation_size(text: str) -> int:
    """The length of the zone abbreviation at the start (parseTimeZone)."""
    if len(text) < len("GMT"):
        return 0
    if text.startswith("GMT"):
        return len("GMT") + _hours_size(text.removeprefix("GMT"))
    if text[0] in "+-":
        return _hours_size(text)
    match = re.match(_ABBREVIATION, text)
    return match.end() if match else 0


def _hours_size(text: str) -> int:
    """The length of a signed number of hours, up to 23."""
    match = re.match(_SIGNED_HOURS, text)
    return match.end() if match else 0


_READERS: Mapping[str, Callable[[_TimeParser], object]] = {
    "January": lambda reader: reader.read_month_name(MONTHS),
    "Jan": lambda reader: reader.read_month_name(_SHORT_MONTHS),
    "1": lambda reader: reader.read_part("month", 1, 12),
    "01": lambda reader: reader.read_part("month", 1, 12, is_padded=True),
    "Monday": lambda reader: reader.read_name(WEEKDAYS),
    "Mon": lambda reader: reader.read_name(_SHORT_WEEKDAYS),
    "2": lambda reader: reader.read_part("day", 0, 99),
    "_2": lambda reader: reader.read_part("day", 0, 99, spaces=1),
    "02": lambda reader: reader.read_part("day", 0, 99, is_padded=True),
    "__2": lambda reader: reader.read_part("day of year", 0, 999, spaces=2),
    "002": lambda reader: reader.read_part("day of year", 0, 999, is_padded=True),
    "15": lambda reader: reader.read_part("hour", 0, 23),
    "3": lambda reader: reader.read_part("hour", 0, 12),
    "03": lambda reader: reader.read_part("hour", 0, 12, is_padded=True),
    "4": lambda reader: reader.read_part("minute", 0, 59),
    "04": lambda reader: reader.read_part("minute", 0, 59, is_padded=True),
    "5": lambda reader: reader.read_part("second", 0, 59),
    "05": lambda reader: reader.read_part("second", 0, 59, is_padded=True),
    "2006": lambda reader: reader.read_year(),
    "06": lambda reader: reader.read_short_year(),
    "PM": lambda reader: reader.read_half(("AM", "PM")),
    "pm": lambda reader: reader.read_half(("am", "pm")),
    "MST": lambda reader: reader.read_abbreviation(),
}
