"""Durations: nanoseconds as Go parses and formats them."""

import re

from podgraft.golang.errors import FunctionError

MICROSECOND = 1_000
MILLISECOND = 1_000_000
SECOND = 1_000_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE

_UNITS = {
    "ns": 1,
    "us": MICROSECOND,
    "\u00b5s": MICROSECOND,  # the micro sign
    "\u03bcs": MICROSECOND,  # the Greek letter
    "ms": MILLISECOND,
    "s": SECOND,
    "m": MINUTE,
    "h": HOUR,
}
_TERM = r"([0-9]*)(?:\.([0-9]*))?([^.0-9]*)"
_LIMIT = 1 << 63


class DurationError(FunctionError, ValueError):
    """The text is not a duration; the message is Go's."""


def parse_duration(text: str) -> int:
    """time.ParseDuration.

    >>> parse_duration("-1h1.5s"), parse_duration("300ms")
    (-3601500000000, 300000000)
    """
    bare = text.removeprefix("-") if text.startswith("-") else text.removeprefix("+")
    if bare == "0":
        return 0
    if not bare:
        raise DurationError(f"time: invalid duration {quote(text)}")
    total = 0
    for match in re.finditer(_TERM, bare):
        if match[0]:
            total += _parse_term(match, text)
        if total > _LIMIT:
            raise DurationError(f"time: invalid duration {quote(text)}")
    if text.startswith("-"):
        return -total
    if total == _LIMIT:
        raise DurationError(f"time: invalid duration {quote(text)}")
    return total


def _parse_term(match: re.Match[str], text: str) -> int:
    integer, fraction, unit = (part or "" for part in match.groups())
    number = int(integer.lstrip("0")[:20] or 0)
    if number > _LIMIT or not (integer or fraction):
        raise DurationError(f"time: invalid duration {quote(text)}")
    if not unit:
        raise DurationError(f"time: missing unit in duration {quote(text)}")
    if unit not in _UNITS:
        raise DurationError(f"time: unknown unit {quote(unit)} in duration {quote(text)}")
    return number * _UNITS[unit] + _parse_fraction(fraction, _UNITS[unit])


def _parse_fraction(digits: str, unit: int) -> int:
    """Parse a fraction in floating point, from the digits that fit an int64 (leadingFraction)."""
    number, scale = 0, 1.0
    for digit in digits:
        if number > (_LIMIT - 1) // 10 or number * 10 + int(digit) > _LIMIT:
            break
        number, scale = number * 10 + int(digit), scale * 10
    return int(float(number) * (unit / scale))


def format_duration(nanoseconds: int) -> str:
    """Duration.String.

    >>> format_duration(95 * SECOND), format_duration(1_500_000), format_duration(-1)
    ('1m35s', '1.5ms', '-1ns')
    """
    sign, size = ("-", -nanoseconds) if nanoseconds < 0 else ("", nanoseconds)
    if size == 0:
        return "0s"
    if size < SECOND:
        unit = next(unit for unit in ("ms", "\u00b5s", "ns") if size >= _UNITS[unit])
        return f"{sign}{_decimal(size, _UNITS[unit])}{unit}"
    minutes, seconds = divmod(size, MINUTE)
    hours, minutes = divmod(minutes, 60)
    larger = (f"{hours}h" if hours else "") + (f"{minutes}m" if hours or minutes else "")
    return f"{sign}{larger}{_decimal(seconds, SECOND)}s"


def _decimal(number: int, unit: int) -> str:
    """``number / unit`` without trailing zeros; ``unit`` is a power of ten."""
    integer, rest = divmod(number, unit)
    fraction = str(unit + rest)[1:].rstrip("0")
    return f"{integer}.{fraction}" if fraction else str(integer)


def quote(text: str) -> str:
    r"""Quote, with control characters and bytes outside ASCII in hexadecimal.

    >>> print(quote('5\u00b5"'))
    "5\xc2\xb5\""
    """
    data = text.encode("utf-8", "surrogateescape")
    return f'"{data.decode("latin-1").translate(_ESCAPES)}"'


def _escape_byte(byte: int) -> str:
    if not ord(" ") <= byte <= 0x7F:  # noqa: PLR2004 - the last of ASCII
        return f"\\x{byte:02x}"
    return f"\\{chr(byte)}" if byte in b'"\\' else chr(byte)


_ESCAPES = {byte: _escape_byte(byte) for byte in range(256)}
