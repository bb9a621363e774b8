"""Durations: Go's format (``1h30m``), protobuf's format (``5400s``), and nanoseconds."""

from __future__ import annotations

import re

SECOND = 1_000_000_000  # nanoseconds
_UNITS = {
    "h": 3600 * SECOND,
    "m": 60 * SECOND,
    "s": SECOND,
    "ms": 1_000_000,
    "us": 1_000,
    "µs": 1_000,  # U+00B5, micro sign
    "μs": 1_000,  # U+03BC, Greek mu
    "ns": 1,
}
_PART = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(h|ms|m|s|us|µs|μs|ns)")
_DURATION = re.compile(rf"[-+]?(?:0|(?:{_PART.pattern})+)")
_LIMIT = 1 << 63  # time.Duration is an int64


class DurationError(ValueError):
    """The text is not a duration."""


def parse(text: str) -> int:
    """Parse a Go duration to nanoseconds (time.ParseDuration).

    >>> parse("1m0.5s"), parse("45s"), parse("-1.5h")
    (60500000000, 45000000000, -5400000000000)
    """
    if not _DURATION.fullmatch(text):
        raise DurationError(f'time: invalid duration "{text}"')
    total = sum(_to_nanoseconds(number, unit) for number, unit in _PART.findall(text))
    signed = -total if text.startswith("-") else total
    if not -_LIMIT <= signed < _LIMIT:
        raise DurationError(f'time: invalid duration "{text}"')
    return signed


def format_protobuf(nanoseconds: int) -> str:
    """Format a duration for protobuf's JSON: seconds with 0, 3, 6, or 9 decimals.

    >>> format_protobuf(45 * SECOND), format_protobuf(SECOND // 2), format_protobuf(-1_000_001_000)
    ('45s', '0.500s', '-1.000001s')
    """
    seconds, rest = divmod(abs(nanoseconds), SECOND)
    decimals = f".{rest:09}" if rest else ""
    while decimals.endswith("000"):
        decimals = decimals[:-3]
    return f"{'-' if nanoseconds < 0 else ''}{seconds}{decimals}s"


def format_go(nanoseconds: int) -> str:
    """Format a duration as Go's time.Duration does.

    >>> format_go(45 * SECOND), format_go(60 * SECOND), format_go(SECOND // 2)
    ('45s', '1m0s', '500ms')
    >>> format_go(0), format_go(-5400 * SECOND), format_go(1500)
    ('0s', '-1h30m0s', '1.5µs')
    """
    sign, size = ("-" if nanoseconds < 0 else ""), abs(nanoseconds)
    if size < SECOND:
        unit = next((u for u in ("ms", "µs", "ns") if size >= _UNITS[u]), "s")
        return f"{sign}{_format_decimal(size, _UNITS[unit])}{unit}"
    minutes, rest = divmod(size, 60 * SECOND)
    hours, minutes = divmod(minutes, 60)
    parts = f"{hours}h{minutes}m" if hours else f"{minutes}m" if minutes else ""
    return f"{sign}{parts}{_format_decimal(rest, SECOND)}s"


def _to_nanoseconds(number: str, unit: str) -> int:
    integer, _, decimals = number.partition(".")
    scale = _UNITS[unit]
    return int(integer or "0") * scale + int(decimals or "0") * scale // 10 ** len(decimals)


def _format_decimal(size: int, unit: int) -> str:
    integer, rest = divmod(size, unit)
    if not rest:
        return str(integer)
    return f"{integer}.{rest:0{len(str(unit)) - 1}}".rstrip("0")
