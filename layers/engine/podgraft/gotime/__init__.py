"""Go's package time (1.26), as far as it needs no clock and no time zone database.

Local time is UTC, as in every container that istiod runs in.
"""

from .durations import DurationError, parse_duration, print_duration
from .layouts import format_moment
from .moments import LOCAL, UTC, Moment, Zone
from .reading import LayoutError, read_moment
from .types import DURATION, MONTH, TIME, WEEKDAY, moment_of, time_of, wrapped

__all__ = [
    "DURATION",
    "LOCAL",
    "MONTH",
    "TIME",
    "UTC",
    "WEEKDAY",
    "DurationError",
    "LayoutError",
    "Moment",
    "Zone",
    "format_moment",
    "moment_of",
    "parse_duration",
    "print_duration",
    "read_moment",
    "time_of",
    "wrapped",
]
