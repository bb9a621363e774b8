"""Times and sizes as text."""

from collections.abc import Mapping
from typing import Literal

Unit = Literal["s", "B"]


def format_amount(value: float, unit: Unit) -> str:
    """A time or a number of bytes with three figures, in the unit that suits it."""
    for name, factor in _UNITS[unit]:
        if abs(value) * factor >= 1:
            return f"{_format_digits(value * factor)} {name}"
    name, factor = _UNITS[unit][-1]
    return f"{value * factor:.0f} {name}"


def _format_digits(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


_UNITS: Mapping[Unit, tuple[tuple[str, float], ...]] = {
    "s": (("s", 1.0), ("ms", 1e3), ("µs", 1e6), ("ns", 1e9)),
    "B": (("MB", 1e-6), ("KB", 1e-3), ("B", 1.0)),
}
