"""The memory of a function with many injectors, in a separate process.

    injectors.py STORE COUNT    prints a line of JSON: the bytes with one injector, and with all

Each injector has its own bundle of 50 KB: Istio's templates, and overlays. All are loaded, review
a pod, and review another one, as a function that serves all of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from . import pods, scaling, soak, warm
from .bench_input import CLUSTER, ENGINE_PATH, BenchmarkInput, load_benchmark_input, sample_input
from .table import Row

COUNT, BUNDLE_BYTES = 200, 50_000
LIMIT_BYTES = 256 * 10**6
_OVERLAY_BYTES = len(scaling.make_overlay(1))


def measure_injectors(folder: Path, count: int = COUNT) -> Iterator[Row]:
    """The row of the memory of all injectors; none if the system does not report the memory."""
    if not soak.STATM.exists():
        return
    write_stores(folder, count)
    environment = os.environ | {"PYTHONPATH": ENGINE_PATH}
    command = [sys.executable, "-m", __name__, str(folder), str(count)]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    single_bytes, total_bytes = json.loads(done.stdout)
    yield Row(
        part="memory",
        name=f"resident, injectors of {BUNDLE_BYTES // 1000} KB: {count}",
        median=total_bytes,
        p99=total_bytes,
        repetitions=1,
        baseline="256 MB",
        baseline_median=LIMIT_BYTES,
        unit="B",
        target=1.0,
        note=f"{(total_bytes - single_bytes) / max(1, count - 1) / 1000:.0f} KB an injector",
    )


def write_stores(folder: Path, count: int) -> None:
    """Write a store with injectors of different templates."""
    sample = sample_input()
    sample.write_store(folder)
    for number in range(count):
        make_injector(sample, number).write_store(folder / "written" / str(number))
        (folder / "written" / str(number) / "default").rename(folder / f"injector-{number}")


def make_injector(sample: BenchmarkInput, number: int) -> BenchmarkInput:
    """The input with the templates of one injector, which no other one has."""
    files = {
        name: content.replace(b"name: istio-init", b"name: istio-init-%d" % number)
        for name, content in sample.files.items()
    }
    overlays = (BUNDLE_BYTES - sum(map(len, files.values()))) // _OVERLAY_BYTES
    marked = {
        name: content.replace(b"log-shipper", b"log-shipper-%d" % number)
        for name, content in scaling.make_overlays(overlays).items()
    }
    return replace(sample, files={**files, **marked})


def _make_event(inputs: BenchmarkInput, number: int, injector: str) -> dict[str, Any]:
    event = pods.unseen_pod(inputs, number)
    path = f"/{injector}/inject/cluster/{CLUSTER}"
    event["rawPath"] = event["requestContext"]["http"]["path"] = path
    return event


def main() -> None:
    """Review pods with one injector, then with all, and print the memory of both."""
    store, count = Path(sys.argv[1]), int(sys.argv[2])
    real_stdout = sys.stdout
    inputs = load_benchmark_input()
    with warm.make_handler(store) as handle:
        warm.check_injected(handle(_make_event(inputs, 0, "injector-0"), None))
        single = soak.resident_bytes()
        for number in range(2 * count):
            event = _make_event(inputs, number, f"injector-{number % count}")
            warm.check_injected(handle(event, None))
    print(json.dumps([single, soak.resident_bytes()]), file=real_stdout, flush=True)


if __name__ == "__main__":
    main()
