"""A load generator: one process that prints one line of JSON.

    generator PLAN    PLAN is a JSON file with the fields of ``phases.Plan``

Requests arrive at even intervals, whatever the server does. A request that finds all connections
busy waits, and the wait is a part of its time. The intervals follow the processor time of a request
(``request_cost.py``), so the processors of the server are busy for the planned share of the time.
With a load of 0, each connection sends its next request after the last response, which measures
the capacity.

The result has the times of all requests, and those of the requests outside the disturbed parts
(``host_watch.py``), without the waits for a shared processor that the front reports. The parts
after a disturbed one count until a connection is free, because requests wait for those before them.
"""

import asyncio
import json
import os
import ssl
import sys
from array import array
from collections import Counter, defaultdict
from collections.abc import Container
from itertools import cycle, islice
from pathlib import Path
from time import perf_counter, time_ns
from typing import Any

from .host_watch import HostWatch, find_part
from .http_messages import LIMIT, WAITED_HEADER, read_message
from .request_cost import RequestCost

_TIMEOUT_SECONDS = 10  # kube-apiserver's default for a webhook
_FAILURES = (OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError)
_PREPARATION_SECONDS = 0.5  # to start to watch the processors
_COST_SECONDS = 0.25  # between two measurements


class Samples:
    """When requests started, how long they took, and waited for a processor, in seconds."""

    def __init__(self) -> None:
        self.starts, self.durations, self.waits = array("d"), array("d"), array("d")

    def add(self, start: float, duration: float, waited: float = 0.0) -> None:
        """Add a request."""
        self.starts.append(start)
        self.durations.append(duration)
        self.waits.append(waited)

    def describe(self, disturbed: set[int]) -> dict[str, list[float]]:
        """The times of all requests, and without waits those of requests in undisturbed parts."""
        triples = zip(self.starts, self.durations, self.waits, strict=True)
        quiet = [
            duration - waited
            for start, duration, waited in triples
            if disturbed.isdisjoint(range(find_part(start), find_part(start + duration) + 1))
        ]
        return {"all": self.durations.tolist(), "quiet": quiet}


def extend_disturbed(disturbed: Container[int], free: Container[int], parts: int) -> set[int]:
    """Add the part after each disturbed one, and further ones until a connection was free."""
    extended: set[int] = set()
    is_delayed = False
    for part in range(parts):
        if part in disturbed:
            extended.add(part)
            is_delayed = True
        elif is_delayed:
            extended.add(part)
            is_delayed = part not in free
    return extended


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
        self._number = 0
        self._first_number = time_ns() // 1_000_000  # of another workload than in earlier runs
        self.start = self.next_arrival = perf_counter() + _PREPARATION_SECONDS
        self.ends = self.start + plan["seconds"]
        self.watch = HostWatch(self.start, os.sched_getaffinity(0))
        self.cost = RequestCost(plan["pids"])
        self.cost.seconds = plan["cost"]
        self.samples: dict[str, Samples] = defaultdict(Samples)
        self.free: set[int] = set()  # parts in which a connection waited for a request
        self.errors: Counter[str] = Counter()

    async def run(self) -> float:
        """Send requests on all connections; return the duration in seconds."""
        ports: list[int] = self._plan["ports"]
        turns = islice(cycle(ports), self._plan["connections"])
        async with self.watch:
            os.sched_setaffinity(0, self._plan["processors"])
            await asyncio.sleep(self.start - perf_counter())
            measuring = asyncio.create_task(self._measure_cost())
            await asyncio.gather(*(self._connect(port) for port in turns))
            measuring.cancel()
        return perf_counter() - self.start

    async def _measure_cost(self) -> None:
        while True:
            await asyncio.sleep(_COST_SECONDS)
            self.cost.measure(sum(len(each.starts) for each in self.samples.values()))

    def compute_sent_share(self) -> float:
        """The share of the planned requests that were sent: 1 without a rate."""
        if not self._plan["load"]:
            return 1.0
        return min(1.0, (self.next_arrival - self.start) / self._plan["seconds"])

    async def _connect(self, port: int) -> None:
        """One connection after the other; hostile requests can end one."""
        while perf_counter() < self.ends:
            try:
                await self._send_requests(port)
            except _FAILURES as error:
                self.errors[type(error).__name__] += 1
                await asyncio.sleep(0.01)

    async def _send_requests(self, port: int) -> None:
        host, tls = self._plan["host"], self._tls
        reader, writer = await asyncio.open_connection(host, port, ssl=tls, limit=LIMIT)
        try:
            while True:
                started = await self.await_arrival()
                if started >= self.ends:
                    return
                number = self._number
                self._number += 1
                request, kind, codes, mark = self._requests[number % len(self._requests)]
                writer.write(renumber(request, mark, self._first_number + number))
                async with asyncio.timeout(_TIMEOUT_SECONDS):
                    message = await read_message(reader)
                duration = perf_counter() - started
                waited = float(message.headers.get(WAITED_HEADER, 0))
                self.samples[kind].add(started - self.start, duration, waited)
                code = int(message.start.split()[1])
                if code not in codes:
                    self.errors[f"{kind} {code}"] += 1
                if message.headers.get("connection") == "close":
                    return
        finally:
            writer.close()

    async def await_arrival(self) -> float:
        """Wait until a request is due; the time from which its response is measured."""
        load, now = self._plan["load"], perf_counter()
        if not load:
            self.free.add(find_part(now - self.start))
            return now
        due = self.next_arrival
        self.next_arrival += self.cost.seconds / load
        if now >= due:
            return due
        self.free.add(find_part(now - self.start))
        await asyncio.sleep(due - now)
        return perf_counter()


def renumber(request: bytes, mark: str, number: int) -> bytes:
    """The request with its mark replaced by the last digits of a number."""
    if not mark:
        return request
    digits = f"{number:0{len(mark)}}"[-len(mark) :]
    return request.replace(mark.encode(), digits.encode())


def main() -> None:
    """Carry out the plan that the first argument names, and print the results."""
    plan = json.loads(Path(sys.argv[1]).read_text())
    generator = Generator(plan)
    lasted = asyncio.run(generator.run())
    parts = max(1, find_part(lasted))
    disturbed = extend_disturbed(generator.watch.disturbed, generator.free, parts)
    result = {
        "seconds": lasted,
        "sent": generator.compute_sent_share(),
        "cost": generator.cost.seconds,
        "parts": parts,
        "disturbed": len(disturbed),
        "errors": dict(generator.errors),
        "kinds": {kind: each.describe(disturbed) for kind, each in generator.samples.items()},
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
