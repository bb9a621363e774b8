#!/usr/bin/env python3
"""Show how long each stage of a review takes, in podgraft and in Istio's injector.

    tools/bench_stages.py ../istio 1.30.3

Both sides review pods of workloads that they have not seen. A timer samples the stack of podgraft's
handler a thousand times a second, and Go's CPU profile that of Istio a hundred times. The innermost
function of the table of stages determines the stage of a sample.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from types import FrameType
from typing import Any, Self

import click

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from bench import pods, warm
from bench.bench_input import BenchmarkInput
from oracle.istio import bench
from oracle.istio.build import BuildError
from oracle.istio.program import Istio
from oracle_istio import CACHE, CLONE_OPTION, build_program, render_settings
from page_sections import write_section

PAGE = Path(__file__).resolve().parents[1] / "tests" / "performance" / "measurements.md"
BEGIN = "<!-- bench-stages: `tools/bench_stages.py ... --write-docs` writes this table. -->"
END = "<!-- end of bench-stages -->"
RECEIVE, DECODE, DECIDE, DATA = "credentials", "decode", "decide", "data"
RENDER, READ, MERGE, POST = "render", "read YAML", "merge", "post-process"
DIFF, CHECK, ENCODE, LOG = "diff", "check", "encode", "log, metrics"
COLLECT, REST = "garbage collection", "rest"
STAGES = (
    *(RECEIVE, DECODE, CHECK, DECIDE, DATA, RENDER, READ, MERGE, POST, DIFF),
    *(ENCODE, LOG, COLLECT, REST),
)
# The end of the path, and the function.
PODGRAFT_STAGES: Mapping[tuple[str, str], str] = {
    ("http/authentication.py", "authenticate"): RECEIVE,
    ("http/webhook.py", "_read_body"): RECEIVE,
    ("http/powertools.py", "write"): LOG,
    ("http/request_log.py", "write"): LOG,
    ("admission/request.py", "decode"): DECODE,
    ("admission/response.py", "respond"): ENCODE,
    ("admission/response.py", "encode"): ENCODE,
    ("injectors/object_check.py", "check_pod"): CHECK,
    ("kube/decoding.py", "check_patched"): CHECK,
    ("policy/decision.py", "decide"): DECIDE,
    ("istio/context.py", "prepare"): DATA,
    ("render/rendering.py", "render"): RENDER,
    ("render/rendering.py", "parse"): READ,
    ("render/pod_overlay.py", "apply"): MERGE,
    ("istio/template_injection.py", "_post_process"): POST,
    ("patch/differ.py", "diff"): DIFF,
}
# Go's functions, from the innermost one of a stack.
ISTIO_STAGES: Sequence[tuple[re.Pattern[str], str]] = [
    (re.compile(pattern), stage)
    for pattern, stage in (
        (r"inject\.injectRequired", DECIDE),
        (r"inject\.runTemplate", RENDER),
        (r"inject\.(applyOverlay|applyContainer|applyInitContainer|StrategicMerge)", MERGE),
        (r"inject\.RunTemplate", DATA),
        (r"inject\.(postProcessPod|reapplyOverwritten|reinsertOverrides)", POST),
        (r"inject\.createPatch", DIFF),
    )
]
_YAML = re.compile(r"(sigs\.k8s\.io/yaml|go\.yaml\.in/yaml|gopkg\.in/yaml)")
_ENTRY = re.compile(r"inject\.\(\*Webhook\)\.serveInject")
_INTERVAL_SECONDS = 0.001


class StackSampler:
    """Counts the stages of the main thread; a context manager."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def __enter__(self) -> Self:
        signal.signal(signal.SIGALRM, self._sample)
        signal.setitimer(signal.ITIMER_REAL, _INTERVAL_SECONDS, _INTERVAL_SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _sample(self, _: int, frame: FrameType | None) -> None:
        functions: list[tuple[str, str]] = []
        while frame is not None:
            functions.append((frame.f_code.co_filename, frame.f_code.co_name))
            frame = frame.f_back
        stage = find_stage(functions)
        if stage:
            self.counts[stage] += 1


def find_stage(functions: Iterable[tuple[str, str]]) -> str | None:
    """The stage of a stack, innermost function first; ``None`` outside of a review."""
    for path, name in functions:
        stage = PODGRAFT_STAGES.get(("/".join(path.rsplit("/", 2)[-2:]), name))
        if stage:
            return stage
        if name == "handle" and path.endswith("service/http/events.py"):
            return REST
    return None


def find_istio_stage(functions: Sequence[str]) -> str | None:
    """The stage of a stack of Go, innermost function first; ``None`` outside of a review."""
    if not any(map(_ENTRY.search, functions)):
        is_collecting = any("gcBgMarkWorker" in name or "bgsweep" in name for name in functions)
        return COLLECT if is_collecting else None
    for name in functions:
        for pattern, stage in ISTIO_STAGES:
            if pattern.search(name):
                reads = stage is MERGE and any(map(_YAML.search, functions))
                return READ if reads else stage
    text = " ".join(functions)
    if re.search(r"Unmarshal|Decode", text):
        return DECODE
    return ENCODE if "Marshal" in text else REST


def parse_traces(text: str) -> Iterator[tuple[float, list[str]]]:
    """The stacks of ``go tool pprof -traces`` with their seconds, innermost function first."""
    for block in re.split(r"^-+\+-+$", text, flags=re.MULTILINE)[1:]:
        lines = [line.strip() for line in block.splitlines() if line.strip()]
        match = re.match(r"([0-9.]+)(ms|s)\s+(.*)", lines[0]) if lines else None
        if match:
            seconds = float(match[1]) * (0.001 if match[2] == "ms" else 1)
            yield seconds, [match[3], *lines[1:]]


def measure_podgraft(inputs: BenchmarkInput, folder: Path, seconds: float) -> dict[str, float]:
    """The seconds of each stage of one review."""
    with warm.make_handler(inputs.write_store(folder)) as handle:

        def review(number: int) -> float:
            event = pods.unseen_pod(inputs, number)
            started = perf_counter()
            handle(event, None)
            return perf_counter() - started

        with StackSampler() as sampler:
            sampler.counts.clear()
            taken = repeat(review, seconds)
        return divide(sampler.counts, taken)


def measure_istio(
    istio: Istio, program: Path, inputs: BenchmarkInput, folder: Path, seconds: float
) -> dict[str, float]:
    """The seconds of each stage of one review."""

    def review(number: int) -> float:
        body: Any = json.loads(pods.unseen_pod(inputs, number)["body"])
        return istio.time_review(body, bench.PATH)[0]

    repeat(review, seconds / 10)
    profile = folder / "profile"
    istio.profile(profile)
    taken = repeat(review, seconds)
    istio.profile(None)
    command = ["go", "tool", "pprof", "-traces", str(program), str(profile)]
    traces = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    counts: Counter[str] = Counter()
    for weight, functions in parse_traces(traces):
        stage = find_istio_stage(functions)
        if stage:
            counts[stage] += round(weight * 1000)
    return divide(counts, taken)


def repeat(review: Callable[[int], float], seconds: float) -> float:
    """Review new pods for some time; return the mean seconds of a review."""
    times: list[float] = []
    ends = perf_counter() + seconds
    while perf_counter() < ends:
        times.append(review(int(1e6 * perf_counter())))
    return sum(times) / len(times)


def divide(counts: Mapping[str, float], seconds: float) -> dict[str, float]:
    """The seconds of a review by stage."""
    total = sum(counts.values()) or 1
    return {stage: seconds * counts.get(stage, 0) / total for stage in STAGES}


@click.command()
@click.argument("istio")
@click.argument("release")
@click.option("--seconds", default=20.0, show_default=True, help="Seconds for each side.")
@CLONE_OPTION
@click.option("--program", type=click.Path(exists=True, path_type=Path), help="Compiled injector.")
@click.option(
    "--write-docs", is_flag=True, help="Write the table to tests/performance/measurements.md."
)
def main(
    istio: str,
    release: str,
    *,
    seconds: float,
    clones: tuple[Path, ...],
    program: Path | None,
    write_docs: bool,
) -> None:
    """Measure the stages of Istio RELEASE from the clone ISTIO, and of podgraft."""
    try:
        built = build_program("bench-stages", istio, release, clones, program)
    except BuildError as error:
        raise click.ClickException(str(error)) from error
    folder = render_settings(Path(istio).resolve(), release, CACHE / "settings")
    inputs, settings = bench.read_input(folder)
    with TemporaryDirectory(prefix="podgraft-bench-") as name, Istio(built, {}) as running:
        error = running.load(settings)
        if error is not None:
            raise click.ClickException(f"Istio does not accept the settings: {error}")
        istio_stages = measure_istio(running, built, inputs, Path(name), seconds)
        podgraft_stages = measure_podgraft(inputs, Path(name) / "store", seconds)
    facts = f"Istio {release}, Python {sys.version.split()[0]} in {sys.base_prefix}"
    text = format_table(podgraft_stages, istio_stages, f"{facts}, {os.cpu_count()} cores")
    click.echo(text)
    if write_docs:
        write_section(PAGE, BEGIN, END, text)


def format_table(
    podgraft_stages: Mapping[str, float], istio_stages: Mapping[str, float], facts: str
) -> str:
    """The stages as Markdown."""
    lines = [
        f"Last run: {datetime.now(UTC).date().isoformat()}, {facts}.",
        "",
        "| stage | podgraft | Istio |",
        "|---|---|---|",
    ]
    for stage in STAGES:
        cells = (format_cell(side, stage) for side in (podgraft_stages, istio_stages))
        lines.append(f"| {stage} | {' | '.join(cells)} |")
    totals = (f"{1e6 * sum(side.values()):,.0f} µs" for side in (podgraft_stages, istio_stages))
    return "\n".join([*lines, f"| all | {' | '.join(totals)} |"])


def format_cell(side: Mapping[str, float], stage: str) -> str:
    """The time of a stage and its share."""
    if not side[stage]:
        return ""
    return f"{1e6 * side[stage]:,.0f} µs ({side[stage] / sum(side.values()):.0%})"


if __name__ == "__main__":
    main()
