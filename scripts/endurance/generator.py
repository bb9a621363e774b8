"""A load generator with a rate: one process that prints one line of JSON.

    generator.py PLAN    PLAN is a JSON file with the fields of ``phases.Plan``

Requests arrive at even intervals, whatever the server does. A request that finds all connections
busy waits, and the wait is a part of its time. With a rate of 0, each connection sends its next
request after the last response, which measures the capacity.
"""

import asyncio
import json
import ssl
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import count, cycle, islice
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

_LENGTH = b"content-length:"
_TIMEOUT_SECONDS = 10  # kube-apiserver's default for a webhook
_FAILURES = (OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError)
_PERCENTILES = (50, 99)
_PART_SECONDS = 10.0


class Generator:
    """Connections that take requests in turn, and the results by kind of request."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self._plan = plan
        self._tls = (
            ssl.create_default_context(cafile=plan["authority"]) if plan["authority"] else None
        )
        self._requests = [
            (Path(each["path"]).read_bytes(), each["kind"], set(each["codes"]))
            for each in plan["requests"]
        ]
        self._numbers = count()
        self._started = 0.0
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.parts: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
        self.errors: Counter[str] = Counter()

    async def run(self) -> float:
        """Send requests on all connections; return the duration in seconds."""
        self._started = perf_counter()
        ends = self._started + self._plan["seconds"]
        ports: list[int] = self._plan["ports"]
        turns = islice(cycle(ports), self._plan["connections"])
        await asyncio.gather(*(self._connect(port, ends) for port in turns))
        return perf_counter() - self._started

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
                request, kind, codes = self._requests[number % len(self._requests)]
                writer.write(request)
                async with asyncio.timeout(_TIMEOUT_SECONDS):
                    code, is_open = await _read_response(reader)
                self._count(kind, started)
                if code not in codes:
                    self.errors[f"{kind} {code}"] += 1
                if not is_open:
                    return
        finally:
            writer.close()

    def _count(self, kind: str, started: float) -> None:
        """Add the time of a request to those of its kind, and to those of its part of the run."""
        now = perf_counter()
        self.seconds[kind].append(now - started)
        self.parts[kind][int((started - self._started) / _PART_SECONDS)].append(now - started)

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


def find_typical_ratio(parts: Iterable[Sequence[float]]) -> float:
    """The median of p99/p50 in the parts of a run."""
    ordered = [sorted(part) for part in parts]
    return median(percentile(part, 99) / percentile(part, 50) for part in ordered)


def main() -> None:
    """Carry out the plan that the first argument names, and print the results."""
    generator = Generator(json.loads(Path(sys.argv[1]).read_text()))
    lasted = asyncio.run(generator.run())
    kinds = {
        kind: {
            "requests": len(taken),
            **{f"p{each}": percentile(sorted(taken), each) for each in _PERCENTILES},
            "typical_ratio": find_typical_ratio(generator.parts[kind].values()),
        }
        for kind, taken in generator.seconds.items()
    }
    print(json.dumps({"seconds": lasted, "errors": dict(generator.errors), "kinds": kinds}))


if __name__ == "__main__":
    main()
