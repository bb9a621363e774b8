"""How much work a call is, counted and not timed: the same on every machine, however busy."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def count_lines(call: Callable[[], object]) -> int:
    """The lines of Python that *call* executes."""
    counted = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal counted
        del frame, argument
        counted += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return counted


def measure_growth(cost: Callable[[int], int], size: int) -> float:
    """How much more the second doubling of ``size`` adds than the first: 2 where cost is linear.

    It is 4 by a square, whatever the cost of what does not grow.
    """
    once, twice, four_times = cost(size), cost(2 * size), cost(4 * size)
    return (four_times - twice) / (twice - once)
