"""The processor time of requests, and their waits for a processor, measured while a server runs.

A review takes twice the time when its data is no longer in the processor's caches, and a virtual
machine shares these with others. So the requests per second that a server can process change from
second to second, and with the load itself. The processor time of a request shows how many it can
process now.
"""

import time
from collections.abc import Iterable
from pathlib import Path

_NEWEST = 0.12  # the share of the newest measurement in the result, which follows within 2 s
_LEAST_SECONDS = 1e-4
_NANOSECONDS = 1e9


def read_processor_seconds(pid: int) -> float:
    """The processor time of a process with all its threads, in seconds; 0 after its end.

    The number of the clock is that of clock_getcpuclockid(3) on Linux.
    """
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return 0.0


def read_waited_seconds(pid: int) -> float:
    """How long the main thread of a process waited while others had its processor, in seconds.

    0 after its end. The file is that of Documentation/scheduler/sched-stats.rst of Linux.
    """
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / _NANOSECONDS
    except OSError:
        return 0.0


class RequestCost:
    """The processor time of a request in seconds, of all processes of a server together."""

    def __init__(self, pids: Iterable[int]) -> None:
        self.seconds = 0.0  # 0 before the first measurement
        self._pids = tuple(pids)
        self._requests = 0
        self._used = self._read_used()

    def _read_used(self) -> float:
        return sum(map(read_processor_seconds, self._pids))

    def measure(self, requests: int) -> None:
        """Measure again, after *requests* since the start."""
        used = self._read_used()
        if requests > self._requests:
            newest = max(_LEAST_SECONDS, (used - self._used) / (requests - self._requests))
            share = _NEWEST if self.seconds else 1.0
            self.seconds += share * (newest - self.seconds)
        self._requests, self._used = requests, used
