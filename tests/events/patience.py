"""Asking again until the answer is the wanted one: no sleeping, and not for ever."""

from collections.abc import Callable
from time import monotonic
from typing import TypeVar

T = TypeVar("T")
_SECONDS = 10.0


def until(wanted: T, ask: Callable[[], T]) -> T:
    """The wanted answer as soon as it comes, else the last one."""
    ends = monotonic() + _SECONDS
    while (answer := ask()) != wanted and monotonic() < ends:
        pass
    return answer
