"""A load generator with a rate: one process that prints one line of JSON.

    generator.py PLAN    PLAN is a JSON file with the fields of ``phases.Plan``

Requests arrive at even intervals, whatever the server does. A request that finds all connections
busy waits, and the wait is a part of its time. With a rate of 0, each connection sends its next
request after the last response, which measures the capacity.

The host of a virtual machine can give its processors to others. Linux counts that time. A part of
0.2 s in which it grew is disturbed: percentiles are those of requests in undisturbed parts.
"""

import asyncio
import json
import os
import ssl
import sys
from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import count, cycle, islice
from pathlib import Path
from time import perf_counter, time_ns
from typing import Any, NamedTuple

_LENGTH = b"content-length:"
_TIMEOUT_SECONDS = 10  # kube-apiserver's default for a webhook
_FAILURES = (OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError)
_PERCENTILES = (50, 99)
_PART_SECONDS = 0.2


class ProcessorTimes(NamedTuple):
    """Times since the start of the machine, in ticks."""

    stolen: int
    total: int


def read_processor_times() -> ProcessorTimes:
    """The first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal."""
    times = [int(word) for word in Path("/proc/stat").read_text().split(maxsplit=9)[1:9]]
    return ProcessorTimes(times[-1], sum(times))


class Samples:
    """When requests started, and how long they took, in seconds."""

    def __init__(self) -> None:
        self.starts, self.durations = array("d"), array("d")

    def add(self, start: float, duration: float) -> None:
        """Add a request."""
        self.starts.append(start)
        self.durations.append(duration)

    def describe(self, disturbed: set[int]) -> dict[str, float]:
        """The number of requests, and percentiles of all and of those in undisturbed parts.

        The part before counts, too: its requests can delay those of the next one.
        """
        pairs = zip(self.starts, self.durations, strict=True)
        quiet = [
            duration
            for start, duration in pairs
            if disturbed.isdisjoint(range(_part(start) - 1, _part(start + duration) + 1))
        ]
        described: dict[str, float] = {"requests": len(self.starts)}
        for prefix, durations in (("", quiet), ("all_", self.durations)):
            ordered = sorted(durations)
            for percent in _PERCENTILES:
                described[f"{prefix}p{percent}"] = percentile(ordered, percent)
        return described


def _part(seconds: float) -> int:
    return int(seconds / _PART_SECONDS)


class Generator:
    """Connections that take requests in turn, and the results by kind of request."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self._plan = plan
        self._tls = (
            ssl.create_default_context(cafile=plan["authority"]) if plan["authority"] else None
        )
        self._requests = [
            (Path(each["path"]).read_bytes(), each["kind"], set(each["codes"]), each["mark"])
            for each in plan["requests"]
        ]
        self._numbers = count()
        self._first_number = time_ns() // 1_000_000  # of another workload than in earlier runs
        self._started = 0.0
        self.samples: dict[str, Samples] = defaultdict(Samples)
        self.disturbed: set[int] = set()  # parts of the run, from 0
        self.errors: Counter[str] = Counter()

    async def run(self) -> float:
        """Send requests on all connections; return the duration in seconds."""
        self._started = perf_counter()
        ends = self._started + self._plan["seconds"]
        ports: list[int] = self._plan["ports"]
        turns = islice(cycle(ports), self._plan["connections"])
        watch = asyncio.create_task(self._find_disturbed())
        await asyncio.gather(*(self._connect(port, ends) for port in turns))
        watch.cancel()
        return perf_counter() - self._started

    async def _find_disturbed(self) -> None:
        before = read_processor_times().stolen
        for part in count():
            ends = self._started + (part + 1) * _PART_SECONDS
            await asyncio.sleep(ends - perf_counter())
            now = read_processor_times().stolen
            if now > before:
                self.disturbed.add(part)
            before = now

    async def _connect(self, port: int, ends: float) -> None:
        """One connection after the other; hostile requests can end one."""
        while perf_counter() < ends:
            try:
                await self._send_requests(port, ends)
            except _FAILURES as error:
                self.errors[type(error).__name__] += 1
                await asyncio.sleep(0.01)

    async def _send_requests(self, port: int, ends: float) -> None:
        host, tls = self._plan["host"], self._tls
        reader, writer = await asyncio.open_connection(host, port, ssl=tls)
        try:
            while True:
                number = next(self._numbers)
                started = await self._await_arrival(number)
                if started >= ends:
                    return
                request, kind, codes, mark = self._requests[number % len(self._requests)]
                writer.write(renumber(request, mark, self._first_number + number))
                async with asyncio.timeout(_TIMEOUT_SECONDS):
                    code, is_open = await _read_response(reader)
                self.samples[kind].add(started - self._started, perf_counter() - started)
                if code not in codes:
                    self.errors[f"{kind} {code}"] += 1
                if not is_open:
                    return
        finally:
            writer.close()

    async def _await_arrival(self, number: int) -> float:
        """Wait until a request is due; the time from which its response is measured."""
        rate, now = self._plan["rate"], perf_counter()
        if not rate:
            return now
        due = self._started + number / rate
        if now >= due:
            return due
        await asyncio.sleep(due - now)
        return perf_counter()


def renumber(request: bytes, mark: str, number: int) -> bytes:
    """The request with its mark replaced by the last digits of a number."""
    if not mark:
        return request
    digits = f"{number:0{len(mark)}}"[-len(mark) :]
    return request.replace(mark.encode(), digits.encode())


async def _read_response(reader: asyncio.StreamReader) -> tuple[int, bool]:
    """The status of a response that was read to its end, and whether the connection remains."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    lines = head.split(b"\r\n")
    length = next(int(line[len(_LENGTH) :]) for line in lines if line.startswith(_LENGTH))
    await reader.readexactly(length)
    return int(lines[0].split()[1]), b"\r\nconnection: close" not in head


def percentile(ordered: Sequence[float], percent: float) -> float:
    """The value that *percent* of the ordered values do not exceed; 0 without values."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))] if ordered else 0.0


def main() -> None:
    """Carry out the plan that the first argument names, and print the results."""
    plan = json.loads(Path(sys.argv[1]).read_text())
    os.sched_setaffinity(0, plan["processors"])
    generator = Generator(plan)
    lasted = asyncio.run(generator.run())
    kinds = {kind: each.describe(generator.disturbed) for kind, each in generator.samples.items()}
    parts = range(max(1, _part(lasted)))
    disturbed = len(generator.disturbed.intersection(parts)) / len(parts)
    errors = dict(generator.errors)
    print(json.dumps({"seconds": lasted, "disturbed": disturbed, "errors": errors, "kinds": kinds}))


if __name__ == "__main__":
    main()
