"""A load generator for machines without wrk: one process that prints one line of JSON.

    generator.py PLAN    PLAN is a JSON file with the fields of ``load.Plan``

It opens TLS connections, verifies the certificate of the server, and sends the next request on a
connection after the last response, as wrk does. A slow response delays the next request, so it does
not measure waiting times at an arrival rate.
"""

import asyncio
import json
import ssl
import sys
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from time import perf_counter
from typing import Any

_OK = b"HTTP/1.1 200 "
_LENGTH, _CHUNKED = b"content-length:", b"transfer-encoding: chunked"
_TIMEOUT_SECONDS = 10  # kube-apiserver's default for a webhook
# Errors of the connection, and responses without a length or with a truncated body.
_FAILURES = (OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError)


class Client:
    """Connections that send requests until the time is over, and their results."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self._plan = plan
        self._tls = ssl.create_default_context(cafile=plan["authority"])
        # All connections share them, as with wrk, so each request is sent once in a cycle.
        self._requests = cycle([Path(each).read_bytes() for each in plan["requests"]])
        self.seconds: list[float] = []
        self.errors = 0

    async def run(self) -> float:
        """Send requests on all connections; return the duration in seconds."""
        started = perf_counter()
        ends = started + self._plan["seconds"]
        connections = self._plan["connections"]
        await asyncio.gather(*(self._run_connection(ends) for _ in range(connections)))
        return perf_counter() - started

    async def _run_connection(self, ends: float) -> None:
        """One connection after the other, of which each lasts until it fails."""
        while perf_counter() < ends:
            try:
                await self._send_requests(ends)
            except _FAILURES:
                self.errors += 1
                await asyncio.sleep(0.01)

    async def _send_requests(self, ends: float) -> None:
        host, port = self._plan["host"], self._plan["port"]
        reader, writer = await asyncio.open_connection(host, port, ssl=self._tls)
        try:
            while (started := perf_counter()) < ends:
                writer.write(next(self._requests))
                async with asyncio.timeout(_TIMEOUT_SECONDS):
                    is_valid = await _read_response(reader)
                self.errors += not is_valid  # not in one expression: others count while it waits
                self.seconds.append(perf_counter() - started)
        finally:
            writer.close()


async def _read_response(reader: asyncio.StreamReader) -> bool:
    """Whether the answer, read to its end, is a good one."""
    head = await reader.readuntil(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    if _CHUNKED in lines:
        await _read_chunks(reader)
    else:
        lengths = [int(line[len(_LENGTH) :]) for line in lines if line.startswith(_LENGTH)]
        if not lengths:
            raise ValueError("a response without a length")
        await reader.readexactly(lengths[0])
    return head.startswith(_OK)


async def _read_chunks(reader: asyncio.StreamReader) -> None:
    """Read a body in chunks (RFC 9112, section 7.1), without trailers."""
    size = 1
    while size:
        size = int((await reader.readuntil(b"\r\n")).partition(b";")[0], 16)
        await reader.readexactly(size + 2)


def percentile(ordered: Sequence[float], percent: float) -> float:
    """The value that *percent* of the ordered values do not exceed; nan where there are none."""
    if not ordered:
        return float("nan")
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


def main() -> None:
    """Carry out the plan that the first argument names, and print what came of it."""
    client = Client(json.loads(Path(sys.argv[1]).read_text()))
    lasted = asyncio.run(client.run())
    ordered = sorted(client.seconds)
    result = {
        "requests": len(ordered),
        "errors": client.errors,
        "seconds": lasted,
        "p50": percentile(ordered, 50),
        "p99": percentile(ordered, 99),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
