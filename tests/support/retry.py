"""Asking again until the answer is the wanted one: not for ever, and not as fast as can be."""

from collections.abc import Callable
from threading import Event
from time import monotonic
from typing import TypeVar

T = TypeVar("T")
_SECONDS = 10.0
_PAUSE_SECONDS = 0.02  # whoever is asked writes a log, which nobody may be reading yet


def retry_until(wanted: T, ask: Callable[[], T]) -> T:
    """The wanted answer as soon as it comes, else the last one."""
    ends = monotonic() + _SECONDS
    while (answer := ask()) != wanted and monotonic() < ends:
        Event().wait(_PAUSE_SECONDS)
    return answer
