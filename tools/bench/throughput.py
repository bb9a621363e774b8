"""``podgraft serve`` under load, over TLS with a test CA, a token, and persistent connections.

The baseline is ``GET /ping`` of the same server at the same concurrency: TLS, HTTP and the
generator, without a review.
"""

import http.client
import json
import re
import ssl
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from podgraft.cli.failure import CommandError

from . import load, pods
from .bench_input import TOKEN, BenchmarkInput
from .load import Load, Plan
from .table import Row

CONNECTIONS = (1, 4, 16, 64)
WORKERS = 2  # the cores of the reference machine
# Sent one after the other, and again from the first: half of them of one ReplicaSet.
REVIEWS = 500
# The baseline needs no more to be known than this part of the time.
PING_SHARE = 6
STARTUP_SECONDS = 30
_HOST = "127.0.0.1"
_LISTENS = re.compile(rf"listens on https://{re.escape(_HOST)}:(\d+)\n")


def measure_throughput(
    inputs: BenchmarkInput,
    folder: Path,
    seconds: float,
    connections: Sequence[int] = CONNECTIONS,
    progress: Callable[[str], None] = lambda _: None,
) -> Iterator[Row]:
    """A row for each number of connections, of *seconds* each."""
    folder.mkdir(parents=True, exist_ok=True)
    reviews = tuple(review_files(inputs, folder))
    ping = _write_request(folder / "ping", "GET", "/ping", b"")
    with start_server(inputs, folder) as server:
        for number in connections:
            progress(f"{number} connections")

            def put(requests: tuple[str, ...], for_: float, number: int = number) -> Load:
                plan = Plan(
                    host=_HOST,
                    port=server.port,
                    authority=str(server.authority),
                    requests=requests,
                    connections=number,
                    seconds=for_,
                )
                return load.run_load(plan, folder)

            base = put((ping,), seconds / PING_SHARE)
            yield _throughput_row(number, put(reviews, seconds), base)


def _throughput_row(connections: int, load: Load, base: Load) -> Row:
    return Row(
        part="throughput",
        name=f"serve, connections: {connections}",
        median=load.p50,
        p99=load.p99,
        repetitions=load.requests,
        baseline="GET /ping of the same server",
        baseline_median=base.p50,
        series="connections",
        size=connections,
        rate=load.rate,
        errors=load.errors,
    )


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """A server that runs, the CA that signed its certificate, and its first process."""

    port: int
    authority: Path
    pid: int


@contextmanager
def start_server(
    inputs: BenchmarkInput, folder: Path, workers: int = WORKERS
) -> Generator[ServerProcess]:
    """Run ``podgraft serve`` with the store of the input until the block ends."""
    store = inputs.write_store(folder / "store")
    for arguments in (("ca", "--key-type", "p-256"), ("server", "--key-type", "p-256", _HOST)):
        subprocess.run(
            [sys.executable, "-m", "podgraft", "certs", *arguments, "--dir", "certificates"],
            cwd=folder,
            check=True,
            capture_output=True,
        )
    command = [sys.executable, "-m", "podgraft", "serve", "--store", str(store)]
    command += ["--cert", "certificates/server.pem", "--key", "certificates/server.key"]
    command += ["--host", _HOST, "--port", "0", "--workers", str(workers)]
    # A file, because the log of many reviews would fill a pipe without a reader.
    log = folder / "log"
    with log.open("w") as out, subprocess.Popen(command, cwd=folder, stdout=out) as process:
        try:
            authority = folder / "certificates" / "ca.pem"
            server = ServerProcess(_parse_port(log), authority, process.pid)
            _check_injected(server, folder / "review-0")
            yield server
        finally:
            process.terminate()


def _parse_port(log: Path) -> int:
    """Return the port that the server prints."""
    ends = monotonic() + STARTUP_SECONDS
    while monotonic() < ends:
        match = _LISTENS.search(log.read_text())
        if match:
            return int(match[1])
        sleep(0.05)
    raise CommandError(f"podgraft serve: did not start: {log.read_text()}")


def _check_injected(server: ServerProcess, request: Path) -> None:
    """Refuse to measure anything but an injection."""
    context = ssl.create_default_context(cafile=str(server.authority))
    connection = http.client.HTTPSConnection(_HOST, server.port, context=context, timeout=30)
    head, _, body = request.read_bytes().partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    connection.request("POST", first.split()[1], body, headers)
    response = connection.getresponse()
    review: Any = json.loads(response.read())
    connection.close()
    if response.status != http.client.OK or "patch" not in review.get("response", {}):
        raise CommandError(
            f"the response is not an injection: {response.status} {str(review)[:400]}"
        )


def review_files(inputs: BenchmarkInput, folder: Path) -> Iterator[str]:
    """Write the requests, as the server checks and the generator sends them."""
    for number in range(REVIEWS):
        event = pods.unseen_pod(inputs, number) if number % 2 else pods.similar_pod(inputs, number)
        yield write_review(folder / f"review-{number}", event)


def write_review(path: Path, event: Mapping[str, Any]) -> str:
    """Write the request of an event to a file; return its path."""
    target = f"{event['rawPath']}?{event['rawQueryString']}"
    return _write_request(path, "POST", target, event["body"].encode())


def _write_request(path: Path, method: str, target: str, body: bytes) -> str:
    """A whole request, as kube-apiserver would write it to cluster's injector."""
    head = [
        f"{method} {target} HTTP/1.1",
        "Host: injector.example.com",
        "User-Agent: kube-apiserver-admission",
        f"Authorization: Bearer {TOKEN}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
    ]
    path.write_bytes("\r\n".join(head).encode() + b"\r\n\r\n" + body)
    return str(path)
