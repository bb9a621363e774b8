"""Calls from a stack as deep as that of any caller."""

import inspect
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def count_frames() -> int:
    """The frames of Python that are active, without this one."""
    count, frame = -1, inspect.currentframe()
    while frame is not None:
        count, frame = count + 1, frame.f_back
    return count


def call_at_depth(frames: int, call: Callable[[], T]) -> T:
    """What a function returns that is called with at least so many active frames."""
    return call() if count_frames() >= frames else call_at_depth(frames, call)
