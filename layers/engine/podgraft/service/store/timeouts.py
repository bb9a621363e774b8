"""A limit of time for functions that have none: name resolution, SDKs, and files of a dead disk."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from podgraft.base import system

T = TypeVar("T")


def run_with_timeout(seconds: float, work: Callable[[], T]) -> T:
    """Return the result of *work*; raises ``TimeoutError`` if it takes longer.

    After the timeout, *work* continues in its daemon thread, and its result is discarded.
    """
    result: Future[T] = Future()

    def run() -> None:
        try:
            result.set_result(work())
        except BaseException as error:  # noqa: BLE001 - the waiting thread raises it
            result.set_exception(error)

    system.start_thread(run).join(max(seconds, 0.0))
    return result.result(0)
