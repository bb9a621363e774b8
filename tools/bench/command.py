"""One table: cold start, warm requests, growth, throughput and memory, each against its baseline.

Every baseline is measured in the same run. docs/performance.md explains each row.
"""

import os
import platform
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

import click

from . import (
    artifact,
    aws,
    callers,
    census,
    cold,
    injectors,
    memory,
    page,
    plot,
    rollout,
    scaling,
    table,
    throughput,
    warm,
)
from .bench_input import ROOT, BenchmarkInput, api_gateway_event, load_benchmark_input, review_body
from .table import Row

BUILD, DOCS = ROOT / "build", ROOT / "docs"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSize:
    """The number of measurements of each part."""

    starts: int
    requests: int
    scaling_seconds: float
    load_seconds: float
    reviews: int

    def estimated_seconds(self) -> Mapping[str, float]:
        """About how many seconds each part takes; two cores of 2026 took so long."""
        loads = len(throughput.CONNECTIONS) * self.load_seconds
        return {
            "cold": 25 + 2 * self.starts,
            "warm": 8 + 0.03 * self.requests,
            "scaling": 150 + 5 * self.scaling_seconds,
            "throughput": 8 + loads * (1 + 1 / throughput.PING_SHARE),
            "memory": 25 + 0.0015 * self.reviews,
        }


def _run_cold(measured: BenchmarkInput, folder: Path, effort: RunSize) -> Iterable[Row]:
    stores = {"file store": {"PODGRAFT_STORE": f"file:{measured.write_store(folder / 'store')}"}}
    built = artifact.build(folder / "artifact")
    with aws.aws_environment(measured, folder / "aws") as cloud:
        if cloud is None:
            _print_progress(aws.MISSING)
        else:
            stores["AWS store"] = {**cloud}
            fleet = {**cloud, "PODGRAFT_PARAMETER_PREFIX": aws.FLEET_PREFIX}
            stores[f"AWS store, {aws.FLEET:,} clusters"] = fleet
        return cold.measure_cold_starts(
            built, stores, api_gateway_event(review_body(measured.pod)), effort.starts
        )


def _run_warm(measured: BenchmarkInput, folder: Path, effort: RunSize) -> Iterable[Row]:
    with warm.make_handler(measured.write_store(folder / "store")) as handle:
        rows = warm.measure_warm(handle, measured, effort.requests)
    rows += rollout.measure_rollout(measured, folder / "rollout", effort.requests)
    rows += rollout.measure_code(measured, folder / "rollout", effort.requests)
    return [*rows, *census.measure_census(measured, folder, effort.requests)]


def _run_scaling(measured: BenchmarkInput, folder: Path, effort: RunSize) -> Iterable[Row]:
    yield from scaling.measure_scaling(measured, folder, effort.scaling_seconds)
    for series in callers.make_caller_series():
        yield from scaling.measure_series(series, effort.scaling_seconds)


def _run_throughput(measured: BenchmarkInput, folder: Path, effort: RunSize) -> Iterable[Row]:
    return throughput.measure_throughput(
        measured, folder, effort.load_seconds, progress=_print_progress
    )


def _run_memory(measured: BenchmarkInput, folder: Path, effort: RunSize) -> Iterable[Row]:
    yield from memory.measure_memory(
        measured, folder / "reviews", effort.reviews, progress=_print_progress
    )
    yield from injectors.measure_injectors(folder / "injectors")


PARTS: Mapping[str, Callable[[BenchmarkInput, Path, RunSize], Iterable[Row]]] = {
    "cold": _run_cold,
    "warm": _run_warm,
    "scaling": _run_scaling,
    "throughput": _run_throughput,
    "memory": _run_memory,
}


def _parse_parts(context: click.Context, parameter: click.Parameter, value: str) -> tuple[str, ...]:
    del context, parameter
    parts = tuple(word.strip() for word in value.split(","))
    unknown = [word for word in parts if word not in PARTS]
    if unknown:
        raise click.BadParameter(f"got {', '.join(unknown)}; use some of {', '.join(PARTS)}")
    return tuple(name for name in PARTS if name in parts)


@click.command("bench")
@click.option(
    "--only",
    "parts",
    default=",".join(PARTS),
    show_default=True,
    callback=_parse_parts,
    help="Parts to measure, separated by commas.",
)
@click.option("--starts", default=10, show_default=True, help="Number of cold starts per kind.")
@click.option(
    "--requests", default=500, show_default=True, help="Number of warm requests per kind."
)
@click.option(
    "--scaling-seconds", default=20.0, show_default=True, help="Seconds per series of sizes."
)
@click.option("--seconds", default=60.0, show_default=True, help="Seconds of load per concurrency.")
@click.option(
    "--reviews",
    default=200_000,
    show_default=True,
    help="Number of reviews for the memory measurement.",
)
@click.option(
    "--write-docs", is_flag=True, help="Write docs/performance.json and docs/performance.svg."
)
@click.option(
    "--redraw",
    is_flag=True,
    help="Draw docs/performance.svg again, without a measurement.",
)
def command(  # noqa: PLR0913 — one parameter an option
    *,
    parts: tuple[str, ...],
    starts: int,
    requests: int,
    scaling_seconds: float,
    seconds: float,
    reviews: int,
    write_docs: bool,
    redraw: bool,
) -> None:
    """Measure podgraft, print the table, and write build/bench.json and build/bench.svg."""
    if redraw:
        page.write_page(DOCS, *table.read_json(DOCS / page.DATA))
        return
    if write_docs and parts != tuple(PARTS):
        raise click.UsageError("--write-docs keeps whole runs only: leave --only out")
    effort = RunSize(
        starts=starts,
        requests=requests,
        scaling_seconds=scaling_seconds,
        load_seconds=seconds,
        reviews=reviews,
    )
    estimates = effort.estimated_seconds()
    _print_progress(f"this takes about {ceil(sum(estimates[part] for part in parts) / 60)} min")
    machine = _machine_facts()
    rows = _run_parts(parts, effort, machine)
    click.echo("\n".join(f"{name}: {value}" for name, value in machine.items()) + "\n")
    click.echo(table.render_markdown(rows))
    table.write_json(BUILD / "bench.json", rows, machine)
    (BUILD / "bench.svg").write_text(plot.render_svg(plot.make_panels(rows)))
    if write_docs:
        page.write_page(DOCS, rows, machine)


def _run_parts(parts: Iterable[str], effort: RunSize, machine: dict[str, str]) -> list[Row]:
    measured = load_benchmark_input()
    machine["templates"] = measured.source
    rows: list[Row] = []
    with TemporaryDirectory(prefix="podgraft-bench-") as name:
        for part in parts:
            _print_progress(f"{part}: about {effort.estimated_seconds()[part]:.0f} s")
            started = monotonic()
            folder = Path(name) / part
            folder.mkdir()
            rows += PARTS[part](measured, folder, effort)
            _print_progress(f"{part}: took {monotonic() - started:.0f} s")
    machine["load at the end"] = _load_average()
    return rows


def _machine_facts() -> dict[str, str]:
    return {
        "measured": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "python": sys.version.split()[0],
        "load at the start": _load_average(),
    }


def _load_average() -> str:
    """Return the load of the machine, to recognize a busy one."""
    return f"{os.getloadavg()[0]:.1f}"


def _print_progress(text: str) -> None:
    click.echo(f"bench: {text}", err=True)
