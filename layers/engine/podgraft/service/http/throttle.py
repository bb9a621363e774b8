"""Count failed authentications per source address, to throttle floods.

Only failures count. A caller with valid credentials is never throttled, because clusters can share
an address with an attacker. A throttled source gets a short response and writes no log lines.
"""

from collections import OrderedDict
from collections.abc import Callable

from msgspec import Struct

from podgraft.base import system

WINDOW_SECONDS = 60.0
# A webhook with an outdated token fails once per pod: a rollout of tens of pods stays below.
MAX_FAILURES = 60
# Failures of all sources: each writes a log line, and an attacker can have many addresses.
MAX_TOTAL_FAILURES = 600
# The maximum number of counted sources; an entry takes about 200 bytes.
MAX_SOURCES = 1024


class _FailureCount(Struct):
    since_seconds: float
    count: int = 0


class Throttle:
    """A counter of failures per source, for one time window. Threads can share it."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._sources: OrderedDict[str, _FailureCount] = OrderedDict()
        self._total = _FailureCount(clock())
        self._lock = system.make_lock()

    def is_exceeded(self, source: str) -> bool:
        """Count a failure; whether the source, or all sources together, exceed their limit."""
        return self.count_failure(source) > MAX_FAILURES or self._count_total() > MAX_TOTAL_FAILURES

    def count_failure(self, source: str) -> int:
        """Count a failure; return the number of failures of the source in its window."""
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

    def _count_total(self) -> int:
        now = self._clock()
        with self._lock:
            if now - self._total.since_seconds >= WINDOW_SECONDS:
                self._total = _FailureCount(now)
            self._total.count += 1
            return self._total.count
