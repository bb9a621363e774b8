#!/usr/bin/env python3
"""How long reviews take under ``podgraft serve`` while silent connections are held.

One caller sends a review after the other, each half of them on a connection that stays and half on
a new one, first alone and then for each shape of silence. Everything is on loopback.
"""

import http.client
import ssl
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import click

from bench import silence as holder
from bench import throughput
from bench.bench_input import TOKEN, load_benchmark_input
from bench.silence import HOST, SHAPES
from bench.throughput import ServerProcess
from endurance.phases import percentile

HOLDER = Path(holder.__file__)
_LIMIT_SECONDS = 300


class ReviewClient:
    """An authenticated caller that measures each review."""

    def __init__(self, server: ServerProcess, request: bytes) -> None:
        self._port = server.port
        self._tls = ssl.create_default_context(cafile=str(server.authority))
        head, _, self._body = request.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        self._path = first.split()[1]
        self._headers = dict(line.split(": ", 1) for line in lines)
        self._connection = self._connect()

    def _connect(self) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection(HOST, self._port, context=self._tls, timeout=30)

    def seconds(self, *, new: bool) -> float:
        """How long a review takes."""
        connection = self._connect() if new else self._connection
        started = perf_counter()
        connection.request("POST", self._path, self._body, self._headers)
        response = connection.getresponse()
        response.read()
        seconds = perf_counter() - started
        if new:
            connection.close()
        if response.status != http.client.OK:
            raise SystemExit(f"silence: a review was answered {response.status}")
        return seconds


def measure(caller: ReviewClient, reviews: int) -> tuple[list[float], list[float]]:
    """Sorted seconds of reviews on a connection that stays, and on new ones."""
    pairs = [(caller.seconds(new=False), caller.seconds(new=True)) for _ in range(reviews)]
    return sorted(stays for stays, _ in pairs), sorted(new for _, new in pairs)


@contextmanager
def silence(port: int, shape: str, connections: int, addresses: str) -> Generator[None]:
    """Hold silent connections until the block ends."""
    command = [sys.executable, str(HOLDER), str(port), shape, str(connections), addresses]
    with subprocess.Popen(
        [*command, str(_LIMIT_SECONDS), TOKEN],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            if process.stdout is None or process.stdout.readline() != b"open\n":
                raise SystemExit(f"silence: {shape} could not be held")
            yield
        finally:
            process.kill()


def _line(name: str, sorted_seconds: tuple[list[float], list[float]]) -> str:
    values = [
        f"{percentile(seconds, percent) * 1000:7.2f}"
        for seconds in sorted_seconds
        for percent in (50, 99)
    ]
    return f"| {name:<38} | {' | '.join(values)} |"


@click.command()
@click.option("--connections", default=500, show_default=True, help="Silent connections.")
@click.option("--reviews", default=400, show_default=True, help="Reviews of each kind and shape.")
def command(connections: int, reviews: int) -> None:
    """Print milliseconds: p50 and p99 on a connection that stays, p50 and p99 on new ones."""
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        measured = load_benchmark_input()
        request, *_ = throughput.review_files(measured, folder)
        with throughput.start_server(measured, folder) as server:
            caller = ReviewClient(server, Path(request).read_bytes())
            measure(caller, reviews)
            for shape in SHAPES:
                # Measured each time, because the load of the machine changes.
                print(_line("quiet", measure(caller, reviews)), flush=True)
                for addresses in ("one", "many"):
                    with silence(server.port, shape, connections, addresses):
                        line = _line(f"{shape}, {addresses}", measure(caller, reviews))
                    print(line, flush=True)
            print(_line("quiet again", measure(caller, reviews)), flush=True)


if __name__ == "__main__":
    command()
