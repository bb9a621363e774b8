"""Retries until a value is the expected one, with a limit and a pause."""

from collections.abc import Callable
from threading import Event
from time import monotonic
from typing import TypeVar

T = TypeVar("T")
_SECONDS = 10.0
_PAUSE_SECONDS = 0.02  # the reader of a log may start after its writer


def retry_until(expected: T, read: Callable[[], T]) -> T:
    """Return the expected value when it appears, else the last one."""
    ends = monotonic() + _SECONDS
    while (value := read()) != expected and monotonic() < ends:
        Event().wait(_PAUSE_SECONDS)
    return value
