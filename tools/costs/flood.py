"""The cost of requests without valid credentials, for the limit of the API.

The real handler runs under AWS's own runtime client, as in ``measurement.py``. Requests with an
unknown token come from many addresses. The first 600 in a minute write a log line (401), and the
others do not (429). Each figure is the fastest of five parts: other programs only add time.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from bench import pods
from bench.bench_input import BenchmarkInput, load_benchmark_input
from bench.runtime_api import RuntimeApi, serve_runtime_api, start_runtime_client
from podgraft.cli.assets import ROOT
from podgraft.service.http.throttle import MAX_TOTAL_FAILURES

from . import measurement
from .bill import (
    API_MILLION,
    EVENT_OVERHEAD,
    GB,
    GIB_SECOND,
    LOGS_GB,
    MILLION,
    PROCESSOR_MIB,
    REQUESTS_MILLION,
    TRANSFER_GB,
    billed_milliseconds,
)

WARMING = 100
PARTS = 5
SECONDS_A_DAY = 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class FloodFigures:
    """The measurements of one request, and the settings of template.yaml.

    ``rejected`` is a request with 401 and a log line, ``throttled`` one with 429 and none.
    Milliseconds are of a complete processor.
    """

    measured: str
    body_bytes: int
    rejected_milliseconds: float
    throttled_milliseconds: float
    response_bytes: int
    log_bytes: int
    log_events: int
    access_bytes: int
    memory_mib: int
    requests_per_second: int


def measure(requests: int) -> FloodFigures:
    """Measure on this machine; *requests* is the number of throttled ones."""
    source = load_benchmark_input()
    template = (ROOT / "template.yaml").read_text()
    with TemporaryDirectory(prefix="podgraft-flood-") as name:
        store = source.write_store(Path(name))
        rejected, throttled, response, logged = _run(store, _events(source), requests)
    return FloodFigures(
        measured=f"{datetime.now(tz=UTC):%d %B %Y}",
        body_bytes=len(next(_events(source))["body"]),
        rejected_milliseconds=round(rejected * 1000, 3),
        throttled_milliseconds=round(throttled * 1000, 3),
        response_bytes=measurement.response_size(response),
        log_bytes=round(sum(map(len, logged)) / MAX_TOTAL_FAILURES),
        log_events=round(len(logged) / MAX_TOTAL_FAILURES),
        access_bytes=len(measurement.access_line(template)),
        memory_mib=measurement.read_default("MemorySize"),
        requests_per_second=measurement.read_default("ThrottlingRateLimit"),
    )


def _events(source: BenchmarkInput) -> Iterator[dict[str, Any]]:
    """Reviews with an unknown token, each from another address."""
    for number in count():
        event = pods.unseen_pod(source, number)
        event["headers"]["authorization"] = f"Bearer guess-{number}"
        address = f"198.{number >> 16}.{number >> 8 & 255}.{number & 255}"
        event["requestContext"]["http"]["sourceIp"] = address
        yield event


def _run(
    store: Path, events: Iterator[dict[str, Any]], requests: int
) -> tuple[float, float, Any, list[bytes]]:
    """Return the seconds of a rejected and of a throttled request, a response, and the log."""
    logged: list[bytes] = []
    with (
        serve_runtime_api() as api,
        start_runtime_client(
            api.address, measurement.environment(store), ROOT / "functions" / "webhook"
        ) as client,
    ):
        reader = Thread(target=lambda: logged.extend(client.stdout or ()))
        reader.start()
        api.next_message()
        response = _send(api, islice(events, WARMING), 401)
        rejected, throttled = (
            min(_measure_part(api, client.pid, islice(events, size), code) for _ in range(PARTS))
            for size, code in (
                ((MAX_TOTAL_FAILURES - WARMING) // PARTS, 401),
                (max(1, requests // PARTS), 429),
            )
        )
        client.terminate()
        client.wait()
        reader.join()
    lines = [line.rstrip() for line in logged if line.startswith(b"{")]
    return rejected, throttled, response, lines


def _measure_part(
    api: RuntimeApi, process: int, events: Iterator[dict[str, Any]], code: int
) -> float:
    """Return the seconds of one of the requests, which all end with the code."""
    requests = [*events]
    started = measurement.processor_seconds(process)
    _send(api, iter(requests), code)
    return (measurement.processor_seconds(process) - started) / len(requests)


def _send(api: RuntimeApi, events: Iterator[dict[str, Any]], code: int) -> Any:
    response: Any = None
    for event in events:
        response = api.invoke(event).body
        if response["statusCode"] != code:
            raise AssertionError(f"expected {code}, got {response['statusCode']}")
    return response


def day_cost(figures: FloodFigures, milliseconds: float, log_bytes: int) -> float:
    """Return dollars for a day of requests at the limit of the API."""
    requests = figures.requests_per_second * SECONDS_A_DAY
    seconds = requests * billed_milliseconds(milliseconds, figures.memory_mib) / 1000
    return (
        requests / MILLION * (API_MILLION + REQUESTS_MILLION)
        + seconds * figures.memory_mib / 1024 * GIB_SECOND
        + requests * log_bytes / GB * LOGS_GB
        + requests * figures.response_bytes / GB * TRANSFER_GB
    )


def render(figures: FloodFigures) -> str:
    """Return the table of docs/aws.md."""
    access = figures.access_bytes + EVENT_OVERHEAD
    line = figures.log_bytes + figures.log_events * EVENT_OVERHEAD
    columns = (
        (figures.rejected_milliseconds, access + line),
        (figures.throttled_milliseconds, access),
    )
    billed = [billed_milliseconds(each, figures.memory_mib) for each, _ in columns]
    days = [day_cost(figures, each, logged) for each, logged in columns]
    rows = (
        ("processor time of a request, ms", [f"{each:.3f}" for each, _ in columns]),
        (f"billed at {figures.memory_mib} MiB, ms", [str(each) for each in billed]),
        ("requests per second of one environment", [_rate(figures, each) for each, _ in columns]),
        ("bytes in CloudWatch Logs", [f"{logged:,}" for _, logged in columns]),
        (f"a day of {figures.requests_per_second} requests per second", _dollars(days)),
    )
    table = "\n".join(f"| {name} | {' | '.join(cells)} |" for name, cells in rows)
    return (
        f"Measured on {figures.measured} with reviews of {figures.body_bytes:,} bytes, under "
        "Lambda's own runtime client;\nlist prices of us-east-1, with the access log.\n\n"
        "| | rejected, with a log line (401) | throttled, without (429) |\n|---|---|---|\n" + table
    )


def _rate(figures: FloodFigures, milliseconds: float) -> str:
    """Requests per second that one environment can process."""
    share = min(1.0, figures.memory_mib / PROCESSOR_MIB)
    return f"{1000 / (milliseconds / share):,.0f}"


def _dollars(amounts: list[float]) -> list[str]:
    return [f"${amount:,.2f}" for amount in amounts]
