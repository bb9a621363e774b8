"""Failed authentications, counted by source in memory, so that a flood is told apart.

Only failures count, and a caller with a good credential is never throttled: a cluster must not be
shut out by whoever shares its address. What a throttled source gains is a shorter answer, and
what we gain is a log that it cannot fill.
"""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from msgspec import Struct

WINDOW_SECONDS = 60.0
# A webhook with a stale token fails once a pod: a rollout of tens of pods stays below.
MAX_FAILURES = 60
# Sources remembered at once; an entry is some 200 bytes.
MAX_SOURCES = 1024


class _FailureCount(Struct):
    since_seconds: float
    count: int = 0


class Throttle:
    """A counter of failures a source, forgotten when its window is over. Threads may share it."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._sources: OrderedDict[str, _FailureCount] = OrderedDict()
        self._lock = Lock()

    def count_failure(self, source: str) -> int:
        """Count one failure; how many the source has had in its window, this one included."""
        now = self._clock()
        with self._lock:
            failures = self._sources.get(source)
            if failures is None or now - failures.since_seconds >= WINDOW_SECONDS:
                failures = self._sources[source] = _FailureCount(now)
            self._sources.move_to_end(source)
            if len(self._sources) > MAX_SOURCES:
                self._sources.popitem(last=False)
            failures.count += 1
            return failures.count
