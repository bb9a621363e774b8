"""Durations in protobuf's format (``5400s``); Go's is ``podgraft.golang.time``."""

from podgraft.golang.time import SECOND, parse_duration


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


def split_protobuf(text: str) -> tuple[int, int]:
    """The seconds and the nanoseconds of a duration, with the same sign."""
    nanoseconds = parse_duration(text)
    sign = -1 if nanoseconds < 0 else 1
    seconds, nanos = divmod(abs(nanoseconds), SECOND)
    return sign * seconds, sign * nanos
