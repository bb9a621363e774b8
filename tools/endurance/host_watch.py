"""The parts of a run in which the host of a virtual machine took processors away.

The host can give a processor to another machine. Linux counts a part of that time, and
``processor_stops.py`` finds stops. A part of 0.2 s with one of the two is disturbed.
"""

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Iterable
from contextlib import suppress
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import NamedTuple, Self

from . import processor_stops

PART_SECONDS = 0.2


class ProcessorTimes(NamedTuple):
    """Times since the start of the machine, in ticks."""

    stolen: int
    total: int


def read_processor_times() -> ProcessorTimes:
    """The first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal."""
    times = [int(word) for word in Path("/proc/stat").read_text().split(maxsplit=9)[1:9]]
    return ProcessorTimes(times[-1], sum(times))


def find_part(seconds: float) -> int:
    """The part of a time from the start."""
    return int(seconds / PART_SECONDS)


class HostWatch:
    """The disturbed parts from *start*, of the processors."""

    def __init__(self, start: float, processors: Iterable[int]) -> None:
        self.disturbed: set[int] = set()
        self._start = start
        self._processors = list(processors)
        self._processes: list[Process] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        self._tasks.append(asyncio.create_task(self._find_stolen_parts()))
        for processor in self._processors:
            command = (sys.executable, "-m", processor_stops.__name__, str(processor))
            process = await asyncio.create_subprocess_exec(*command, stdout=PIPE)
            self._processes.append(process)
            if process.stdout:
                self._tasks.append(asyncio.create_task(self._find_stops(process.stdout)))
        return self

    async def __aexit__(self, *_: object) -> None:
        for process in self._processes:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        for task in self._tasks:
            task.cancel()

    async def _find_stolen_parts(self) -> None:
        before = read_processor_times().stolen
        for part in count(1):
            await asyncio.sleep(self._start + part * PART_SECONDS - perf_counter())
            now = read_processor_times().stolen
            if now > before:
                self.disturbed.add(part - 1)
            before = now

    async def _find_stops(self, lines: asyncio.StreamReader) -> None:
        async for line in lines:
            self.add_stop(float(line))

    def add_stop(self, time: float) -> None:
        """Add a stop that a line of ``processor_stops.py`` describes."""
        if time >= self._start:
            self.disturbed.add(find_part(time - self._start))
