"""Cold starts: from the start of the interpreter to the first ``next``, and to the first answer.

The floor is what an injector of these libraries could not go below: a fresh interpreter that
imports flask, mangum, and boto3, and makes an SSM client, and nothing else.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import Any

from podgraft.cli.failure import CommandError

from .runtime_api import serve_runtime_api, start_runtime_client
from .table import Row, make_row
from .timing import Timings, make_timings

FLOOR = "flask + mangum + boto3 + ssm client"
_FLOOR = """
import boto3, flask, mangum
boto3.client("ssm", region_name="eu-central-1")
import time
print(time.monotonic())
"""
INIT, FIRST = 1.25, 1.5

Start = Mapping[str, str]


def measure_cold_starts(
    artifact: Path, stores: Mapping[str, Start], event: Mapping[str, Any], repetitions: int
) -> list[Row]:
    """Two rows a store; *stores* are the environments that name them."""
    floors: list[float] = []
    starts: dict[str, list[tuple[float, float]]] = {name: [] for name in stores}
    for _ in range(repetitions + 1):
        floors.append(_measure_floor())
        for name, environment in stores.items():
            starts[name].append(_time_start(artifact, environment, event))
    # The first round filled the page cache.
    floor = make_timings(floors[1:])
    return [made for name, taken in starts.items() for made in _store_rows(name, taken[1:], floor)]


def _store_rows(name: str, timings: list[tuple[float, float]], floor: Timings) -> list[Row]:
    init = make_timings([each[0] for each in timings])
    first = make_timings([each[1] for each in timings])
    baseline = (FLOOR, floor)
    return [
        make_row("cold", f"init, {name}", init, baseline, target=INIT),
        make_row("cold", f"init + first request, {name}", first, baseline, target=FIRST),
    ]


def _measure_floor() -> float:
    return _time_program([sys.executable, "-c", _FLOOR])


def _time_program(command: list[str]) -> float:
    started = monotonic()
    done = subprocess.run(
        command, env=_minimal_environment(), check=True, capture_output=True, text=True
    )
    return float(done.stdout) - started


def _minimal_environment() -> dict[str, str]:
    return {"PATH": os.environ["PATH"]}


def _time_start(
    artifact: Path, environment: Start, event: Mapping[str, Any]
) -> tuple[float, float]:
    """Return the seconds to the first ``next``, and to the response of the first event."""
    # As on Lambda, where the folder of the handler is read-only: it has no bytecode.
    process_environment = {
        "PYTHONPATH": str(artifact / "python"),
        "PYTHONDONTWRITEBYTECODE": "1",
        **environment,
    }
    with serve_runtime_api() as api:
        started = monotonic()
        with start_runtime_client(api.address, process_environment, artifact):
            ready = api.next_message()
            if ready.kind != "next":
                raise CommandError(f"cold start: failed: {ready.body}")
            response = api.invoke(event)
            check_injected(response.body)
            return ready.received_at - started, response.received_at - started


def check_injected(response: Any) -> None:
    """Refuse to measure anything but an injection."""
    if response.get("statusCode") != 200 or '"patch"' not in response["body"]:
        raise CommandError(f"the response is not an injection: {str(response)[:400]}")
