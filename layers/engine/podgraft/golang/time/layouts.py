"""Time layouts, which are examples of the reference time, and time.Format."""

import re
from collections.abc import Callable, Iterator, Mapping

from .moments import Moment

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
WEEKDAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")

_CHUNK = (
    r"January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|0[1-6]|002|15|1|2006|__2|_2(?!006)|2|3|4|5"
    r"|PM|pm|[-Z](?:070000|07:00:00|0700|07:00|07)|[.,](?:0+|9+)(?![0-9])"
)


def chunks(layout: str) -> Iterator[tuple[str, str]]:
    """Each chunk with the literal text before it; the last chunk is empty (nextStdChunk).

    >>> list(chunks("Jan _2, 2006!"))
    [('', 'Jan'), (' ', '_2'), (', ', '2006'), ('!', '')]
    """
    end = 0
    for match in re.finditer(_CHUNK, layout):
        yield layout[end : match.start()], match[0]
        end = match.end()
    yield layout[end:], ""


def is_fraction(chunk: str) -> bool:
    """Whether the chunk represents the fraction of a second."""
    return chunk[:1] in (".", ",")


def is_offset(chunk: str) -> bool:
    """Whether the chunk represents the offset from UTC."""
    return chunk[:1] in ("-", "Z")


def format_time(moment: Moment, layout: str) -> str:
    """Time.Format.

    >>> format_time(Moment(0), "Mon Jan _2 15:04:05.000 MST 2006")
    'Thu Jan  1 00:00:00.000 UTC 1970'
    """
    return "".join(text + _format_chunk(moment, chunk) for text, chunk in chunks(layout))


def _format_chunk(moment: Moment, chunk: str) -> str:
    if is_fraction(chunk):
        return _format_fraction(moment.nanoseconds, chunk)
    if is_offset(chunk):
        return _format_offset(moment.zone.offset, chunk)
    return _WRITERS[chunk](moment)


def _zero_pad(number: int, width: int) -> str:
    """Format with leading zeros; ``width`` does not include the sign."""
    return f"{'-' if number < 0 else ''}{abs(number):0{width}}"


def _format_fraction(nanoseconds: int, chunk: str) -> str:
    """Format with the number of digits of the chunk; nines omit trailing zeros."""
    digits = f"{nanoseconds:09}"[: len(chunk) - 1].ljust(len(chunk) - 1, "0")
    if chunk[1] == "9":
        digits = digits.rstrip("0")
        return chunk[0] + digits if digits else ""
    return chunk[0] + digits


def _format_offset(offset: int, chunk: str) -> str:
    if chunk[0] == "Z" and offset == 0:
        return "Z"
    minutes = int(offset / 60)
    parts = [_zero_pad(abs(minutes) // 60, 2)]
    if len(chunk) > len("-07"):
        parts.append(_zero_pad(abs(minutes) % 60, 2))
    if len(chunk) > len("-07:00"):
        seconds = abs(offset) % 60
        parts.append(_zero_pad(seconds if minutes or offset > 0 else -seconds, 2))
    return ("-" if minutes < 0 else "+") + (":" if ":" in chunk else "").join(parts)


def _twelve_hour(moment: Moment) -> int:
    return moment.clock[0] % 12 or 12


_WRITERS: Mapping[str, Callable[[Moment], str]] = {
    "": lambda _: "",
    "January": lambda moment: MONTHS[moment.date[1] - 1],
    "Jan": lambda moment: MONTHS[moment.date[1] - 1][:3],
    "1": lambda moment: str(moment.date[1]),
    "01": lambda moment: f"{moment.date[1]:02}",
    "Monday": lambda moment: WEEKDAYS[moment.weekday],
    "Mon": lambda moment: WEEKDAYS[moment.weekday][:3],
    "2": lambda moment: str(moment.date[2]),
    "_2": lambda moment: f"{moment.date[2]:2}",
    "02": lambda moment: f"{moment.date[2]:02}",
    "__2": lambda moment: f"{moment.day_of_year:3}",
    "002": lambda moment: f"{moment.day_of_year:03}",
    "15": lambda moment: f"{moment.clock[0]:02}",
    "3": lambda moment: str(_twelve_hour(moment)),
    "03": lambda moment: f"{_twelve_hour(moment):02}",
    "4": lambda moment: str(moment.clock[1]),
    "04": lambda moment: f"{moment.clock[1]:02}",
    "5": lambda moment: str(moment.clock[2]),
    "05": lambda moment: f"{moment.clock[2]:02}",
    "2006": lambda moment: _zero_pad(moment.date[0], 4),
    "06": lambda moment: f"{abs(moment.date[0]) % 100:02}",
    "PM": lambda moment: ("AM", "PM")[moment.clock[0] // 12],
    "pm": lambda moment: ("am", "pm")[moment.clock[0] // 12],
    "MST": lambda moment: moment.zone.name or _format_offset(moment.zone.offset, "-0700"),
}
