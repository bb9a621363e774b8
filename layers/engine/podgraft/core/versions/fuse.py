"""The fuse: a circuit breaker that disables a candidate in one environment."""

from podgraft.base import system

# A candidate that fails this often costs more time than it can show.
MAX_FAILURES = 5


class Fuse:
    """Counts the failures of one candidate. Threads can share it, environments cannot."""

    def __init__(self) -> None:
        self._failures = 0
        self._lock = system.make_lock()

    @property
    def is_open(self) -> bool:
        """Whether the candidate failed too often."""
        return self._failures >= MAX_FAILURES

    def record_failure(self) -> None:
        """Count a failure."""
        with self._lock:
            self._failures += 1

    def reset(self) -> None:
        """Start again, after a change of a brake."""
        with self._lock:
            self._failures = 0
