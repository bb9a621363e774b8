#!/usr/bin/env python3
"""Measure podgraft and the injector of an Istio release side by side.

    tools/bench_istio.py ../istio 1.30.3
    tools/bench_istio.py ../istio 1.30.3 --clone ../go-control-plane --rounds 100

Istio's injector is compiled unchanged, as by oracle_istio.py. The table is printed, and written to
a file in the folder build, or to tests/performance/measurements.md.
tests/oracle/istio/bench.py describes the measurements.
"""

from __future__ import annotations

import os
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import click

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from oracle.istio import bench
from oracle.istio.build import BuildError
from oracle.istio.program import Istio
from oracle_istio import CACHE, CLONE_OPTION, build_program, render_settings
from page_sections import write_section

ROOT = Path(__file__).resolve().parents[1]
OUTPUT = ROOT / "build" / "bench-istio.md"
PAGE = ROOT / "tests" / "performance" / "measurements.md"
BEGIN = "<!-- bench-istio: `tools/bench_istio.py ... --write-docs` writes this table. -->"
END = "<!-- end of bench-istio -->"


@click.command()
@click.argument("istio")
@click.argument("release")
@click.option("--rounds", default=15, show_default=True, help="Rounds of reviews.")
@click.option("--load-rounds", default=3, show_default=True, help="Rounds of load; 0 for none.")
@click.option("--seconds", default=20.0, show_default=True, help="Seconds of load per round.")
@click.option(
    "--write-docs", is_flag=True, help="Write the table to tests/performance/measurements.md."
)
@CLONE_OPTION
@click.option("--program", type=click.Path(exists=True, path_type=Path), help="Compiled injector.")
@click.option(
    "--settings",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with config.yaml, values.json, and mesh.yaml. Default: those of the charts.",
)
def main(  # noqa: PLR0913 - one parameter per option
    istio: str,
    release: str,
    *,
    rounds: int,
    load_rounds: int,
    seconds: float,
    write_docs: bool,
    clones: tuple[Path, ...],
    program: Path | None,
    settings: Path | None,
) -> None:
    """Measure Istio RELEASE from the clone ISTIO, and podgraft."""
    try:
        built = build_program("bench-istio", istio, release, clones, program)
    except BuildError as error:
        raise click.ClickException(str(error)) from error
    folder = settings or render_settings(Path(istio).resolve(), release, CACHE / "settings")
    try:
        text = _measure(built, folder, rounds, load_rounds, seconds)
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(f"{_describe_machine(release, rounds)}\n{text}", encoding="utf-8")
    click.echo(OUTPUT.read_text(encoding="utf-8"), nl=False)
    if write_docs:
        write_section(PAGE, BEGIN, END, OUTPUT.read_text(encoding="utf-8").strip())


def _measure(program: Path, folder: Path, rounds: int, load_rounds: int, seconds: float) -> str:
    inputs, settings = bench.read_input(folder)
    with TemporaryDirectory(prefix="podgraft-bench-") as name, Istio(program, {}) as istio:
        error = istio.load(settings)
        if error is not None:
            raise ValueError(f"Istio does not accept the settings: {error}")
        click.echo(f"latency: {rounds} rounds", err=True)
        latencies = bench.measure_latencies(istio, inputs, Path(name) / "store", rounds)
        loads: list[bench.LoadRow] = []
        if load_rounds:
            click.echo(f"load: {load_rounds} rounds of {seconds:g} s for each server", err=True)
            target = Path(name) / "load"
            loads = bench.measure_load(istio, inputs, target, seconds, load_rounds)
    return bench.format_table(latencies, loads)


def _describe_machine(release: str, rounds: int) -> str:
    facts = {
        "measured": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "Python": f"{platform.python_version()} in {sys.base_prefix}",
        "Istio": f"{release}, compiled unchanged",
        "rounds": str(rounds),
        "load at the end": f"{os.getloadavg()[0]:.1f}",
    }
    return "".join(f"- {key}: {value}\n" for key, value in facts.items())


if __name__ == "__main__":
    main()
