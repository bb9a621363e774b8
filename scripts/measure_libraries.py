#!/usr/bin/env python3
"""Measure the deployed artefact with one library exchanged after the other.

Every figure is a ratio to the product in the same run. docs/performance.md has the last table.
"""

import json
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from libraries.candidates import (
    CANDIDATES,
    PRODUCT,
    Candidate,
    build_candidate,
    build_product,
    build_revision,
)
from libraries.processes import (
    KINDS,
    Costs,
    can_count_instructions,
    count_instructions,
    measure_turns,
    ratio,
)
from page_sections import write_section
from podgraft.cli.bench import pods
from podgraft.cli.bench.bench_input import (
    ROOT,
    BenchmarkInput,
    api_gateway_event,
    load_benchmark_input,
)
from podgraft.cli.bench.bench_input import review_body as body

PAGE = ROOT / "docs" / "performance.md"
BEGIN = "<!-- What follows was written by scripts/measure_libraries.py --write-docs. -->"
END = "<!-- What was written by scripts/measure_libraries.py ends. -->"
_REVIEWS = 80  # of each kind that a process can be asked for
_HEADING = (
    "candidate",
    "instead of",
    "measured as",
    *("init", "init + first review", "pod seen before", "pod never seen", "signing"),
    "size",
    "decision",
)


@click.command()
@click.option("--turns", default=12, show_default=True, help="Processes of each artefact.")
@click.option("--instructions", is_flag=True, help="Count instructions too, with valgrind: slow.")
@click.option("--write-docs", is_flag=True, help="Keep the table in docs/performance.md.")
def main(*, turns: int, instructions: bool, write_docs: bool) -> None:
    """Build every candidate, measure all of them in turns, and print a table."""
    if turns < 1:
        raise click.BadParameter(f"got {turns}; use 1 or more", param_hint="--turns")
    if instructions and not can_count_instructions():
        raise click.UsageError("--instructions: valgrind not found; install it (Debian: valgrind)")
    with TemporaryDirectory(prefix="podgraft-libraries-") as name:
        text = _measure(Path(name), turns, instructions=instructions)
    print(text)
    if write_docs:
        write_section(PAGE, BEGIN, END, text)


def render_table(rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table below the heading."""
    lines = [_HEADING, ["---"] * len(_HEADING), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _measure(folder: Path, turns: int, *, instructions: bool) -> str:
    bench_input = load_benchmark_input()
    store = bench_input.write_store(folder / "store")
    events = _write_events(bench_input, folder / "events.json")
    artefacts = _build(folder)
    times = measure_turns(artefacts, store, events, turns)
    counts = {
        name: count_instructions(path, store, events)
        for name, path in artefacts.items()
        if instructions
    }
    sizes = {name: _size(path / "python") for name, path in artefacts.items()}
    rows = [row for candidate in CANDIDATES for row in _rows(candidate, times, counts, sizes)]
    return f"{_describe_run(bench_input, turns)}\n{render_table(rows)}"


def _build(folder: Path) -> Mapping[str, Path]:
    product = build_product(folder / "product")
    made = {PRODUCT: product}
    revisions: dict[str, Path] = {}
    for number, candidate in enumerate(CANDIDATES):
        click.echo(f"measure_libraries: building {candidate.name}", err=True)
        revision, original = candidate.revision, product
        if revision:
            if revision not in revisions:
                revisions[revision] = build_revision(revision, folder / revision)
            original = revisions[revision]
        made[candidate.name] = build_candidate(candidate, original, folder / f"c{number}")
    return made


def _write_events(bench_input: BenchmarkInput, path: Path) -> Path:
    numbers = range(_REVIEWS)
    events = {
        "first": api_gateway_event(body(bench_input.pod)),
        "seen": [pods.similar_pod(bench_input, number) for number in numbers],
        "new": [pods.unseen_pod(bench_input, number) for number in numbers],
    }
    path.write_text(json.dumps(events))
    return path


def _rows(
    candidate: Candidate,
    times: Mapping[str, Sequence[Costs]],
    counts: Mapping[str, Costs],
    sizes: Mapping[str, int],
) -> list[list[str]]:
    """A row of times, and one of instructions where they were counted."""
    name = candidate.name
    taken = [ratio(times[name], times[PRODUCT], kind) for kind in KINDS]
    size = f"{sizes[name] / 1e6:.0f} MB for {sizes[PRODUCT] / 1e6:.0f} MB"
    rows = [
        [
            *(name, candidate.instead_of, "processor time"),
            *(f"{each:.2f}" for each in taken),
            *(size, candidate.decision),
        ]
    ]
    if counts:
        exact = [counts[name][kind] / counts[PRODUCT][kind] for kind in KINDS]
        rows.append(["", "", "instructions", *(f"{each:.3f}" for each in exact), "", ""])
    return rows


def _describe_run(bench_input: BenchmarkInput, turns: int) -> str:
    facts = {
        "measured": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "python": sys.version.split()[0],
        "load at the end": f"{os.getloadavg()[0]:.1f}",
        "templates": bench_input.source,
        "turns": str(turns),
    }
    return "".join(f"- {name}: {value}\n" for name, value in facts.items())


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    main()
