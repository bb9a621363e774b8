"""The stops of one processor: one process that prints lines until it is stopped.

    processor_stops PROCESSOR

The host of a virtual machine can stop a processor, and Linux counts only a part of that time. This
process sleeps 5 ms again and again. Its real-time priority wakes it before the other processes of
the machine, so a late wake-up shows a stop. Each line has the time of one, of perf_counter. A user
who cannot set the priority gets no lines.
"""

import os
import sys
from contextlib import suppress
from time import perf_counter, sleep

_PRIORITY = 1
_INTERVAL_SECONDS = 0.005
_STOP_SECONDS = 0.002


def print_stops() -> None:
    """Print a line for each stop."""
    while True:
        due = perf_counter() + _INTERVAL_SECONDS
        sleep(_INTERVAL_SECONDS)
        now = perf_counter()
        if now - due > _STOP_SECONDS:
            print(now, flush=True)


if __name__ == "__main__":
    os.sched_setaffinity(0, {int(sys.argv[1])})
    with suppress(PermissionError, BrokenPipeError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(_PRIORITY))
        print_stops()
