"""The same work for many clusters at once; the failure of one does not stop the others."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

from podgraft.base.jsonvalue import NotJSONError
from podgraft.cli.failure import CommandError, convert_errors

T = TypeVar("T")
R = TypeVar("R")

# The cause of so many failures in a row is rarely the cluster.
MAX_FAILURES_IN_A_ROW = 3
_NOT_STARTED = CommandError(
    f"not started, after {MAX_FAILURES_IN_A_ROW} failures in a row; correct the cause, then run "
    "the command again"
)


def run_parallel(
    work: Callable[[T], R], items: Iterable[T], parallel: int, *, stops: bool = False
) -> Iterator[tuple[T, R | CommandError]]:
    """Yield each item with its result or its error, in the order in which they end.

    With *stops*, items that have not begun fail after three failures in a row.
    """
    failures = 0

    def run(item: T) -> R | CommandError:
        if stops and failures >= MAX_FAILURES_IN_A_ROW:
            return _NOT_STARTED
        return _run(work, item)

    with ThreadPoolExecutor(parallel) as pool:
        futures = {pool.submit(run, item): item for item in items}
        try:
            for future in as_completed(futures):
                result = future.result()
                failures = failures + 1 if isinstance(result, CommandError) else 0
                yield futures[future], result
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _run(work: Callable[[T], R], item: T) -> R | CommandError:
    try:
        with convert_errors(NotJSONError):
            return work(item)
    except CommandError as error:
        return error
