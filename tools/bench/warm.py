"""Warm requests: the real handler, from event to response, with a discarded log.

The baseline decodes and encodes the same review with the standard library's json.
"""

import json
import os
import runpy
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any, TextIO

from . import pods
from .bench_input import ROOT, BenchmarkInput
from .cold import check_injected
from .table import Row, make_row
from .timing import Action, Timings, time_interleaved

JSON = "json decode + encode of the review"
# The targets: 0.7 ms and 1.5 ms if the baseline takes 60 µs, and a p99 of at most three medians.
SEEN_TARGET, NEW_TARGET, SPREAD = 0.7 / 0.06, 1.5 / 0.06, 3.0

Handler = Callable[[Mapping[str, Any], object], Any]


@contextmanager
def make_handler(store: Path) -> Generator[Handler]:
    """Yield the handler of the function for a folder store, with a discarded log."""
    variables = {
        "PODGRAFT_STORE": f"file:{store}",
        "AWS_LAMBDA_FUNCTION_NAME": "podgraft",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "1024",
    }
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        with redirect_stdout(_null_stream()):
            yield runpy.run_path(str(ROOT / "functions" / "webhook" / "handler.py"))["handler"]
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@cache
def _null_stream() -> TextIO:
    """Never closed: the loggers of a process keep the output of its first handler."""
    return Path(os.devnull).open("w")


def measure_warm(handle: Handler, inputs: BenchmarkInput, repetitions: int) -> list[Row]:
    """Seen and new pods, and how far their slowest are from the middle."""
    makers = {"pod seen before": pods.similar_pod, "pod never seen": pods.unseen_pod}
    targets = {"pod seen before": SEEN_TARGET, "pod never seen": NEW_TARGET}
    rows: list[Row] = []
    for name, kind in makers.items():
        timings, base = time_handler(
            handle, lambda number, kind=kind: kind(inputs, number), repetitions
        )
        rows.append(make_row("warm", name, timings, (JSON, base), target=targets[name]))
        rows.append(_p99_row(name, timings))
    return rows


def time_handler(
    handle: Handler, event: Callable[[int], Mapping[str, Any]], repetitions: int, warmup: int = 50
) -> tuple[Timings, Timings]:
    """The handler, and the baseline, on the same events."""
    check_injected(handle(event(0), None))

    def run_handler(number: int) -> Action:
        sent = event(number)
        return lambda: handle(sent, None)

    def run_baseline(number: int) -> Action:
        text = event(number)["body"]
        return lambda: json.dumps(json.loads(text))

    timings = time_interleaved(
        {"ours": run_handler, "base": run_baseline}, repetitions, warmup=warmup
    )
    return timings["ours"], timings["base"]


def _p99_row(name: str, timings: Timings) -> Row:
    return Row(
        part="warm",
        name=f"p99 of it, {name}",
        median=timings.p99,
        p99=timings.p99,
        repetitions=len(timings.seconds),
        baseline="its own median",
        baseline_median=timings.median,
        target=SPREAD,
    )
