"""The part of Go's package time (1.26) that needs no clock and no time zone database.

Local time is UTC, as in the containers of istiod.
"""

from .durations import SECOND, DurationError, format_duration, parse_duration
from .layouts import format_time
from .moments import UTC, Moment, Zone
from .parse import LayoutError, matches_layout, parse_time
from .types import DURATION, TIME, moment_of, time_of, wrap_int64

__all__ = [
    "DURATION",
    "SECOND",
    "TIME",
    "UTC",
    "DurationError",
    "LayoutError",
    "Moment",
    "Zone",
    "format_duration",
    "format_time",
    "matches_layout",
    "moment_of",
    "parse_duration",
    "parse_time",
    "time_of",
    "wrap_int64",
]
