#!/usr/bin/env python3
"""Compare podgraft with the injector of an Istio release, which is compiled unchanged.

    tools/oracle_istio.py ../istio 1.30.3 --pods 50000 --seed 1
    tools/oracle_istio.py ../istio 1.30.3 --clone ../go-control-plane --clone ../client-go

Settings and pods are generated from the seed. Both sides receive the same reviews and files; the
pods after both patches are compared as Go's type of the release prints them. The folder .oracle
caches the compiled injector; a file of differences in it contains every difference with its input.
Needs Go 1.26 and Git. If the Go module proxy refuses a commit that the release pins, name a clone
of that module. The modules in tests/oracle/istio generate and compare.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from oracle.istio.build import BuildError, build
from oracle.istio.comparison import Kind, Report, compare

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".oracle"
CLONE_OPTION = click.option(
    "--clone",
    "clones",
    type=click.Path(exists=True, file_okay=False, path_type=Path, resolve_path=True),
    multiple=True,
    help="Clone of a pinned module.",
)


@click.command()
@click.argument("istio")
@click.argument("release")
@click.option("--pods", default=5000, show_default=True, help="Number of comparisons.")
@click.option("--seed", default=1, show_default=True, help="Seed of settings and pods.")
@CLONE_OPTION
@click.option("--program", type=click.Path(exists=True, path_type=Path), help="Compiled injector.")
def main(
    istio: str, release: str, pods: int, seed: int, clones: tuple[Path, ...], program: Path | None
) -> None:
    """Compare podgraft with Istio RELEASE from the clone ISTIO; fail if a result differs."""
    try:
        built = build_program("oracle-istio", istio, release, clones, program)
    except BuildError as error:
        raise click.ClickException(str(error)) from error
    folder = render_settings(Path(istio).resolve(), release, CACHE / "settings")
    report = compare(built, release, folder, seed, pods, _show_progress)
    click.echo()
    _print_report(report)
    if report.differences:
        path = CACHE / f"differences-{release}-{seed}.jsonl"
        lines = (json.dumps(asdict(each), ensure_ascii=False) for each in report.differences)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        raise click.ClickException(f"{len(report.differences)} differences; see {path}")


def build_program(
    target: str, istio: str, release: str, clones: Sequence[Path], program: Path | None
) -> Path:
    """Return *program*, or build it for a target of make; raises ``BuildError``."""
    if not istio or not Path(istio).is_dir():
        example = f"make {target} ISTIO=folder-of-a-clone RELEASE=1.30.3"
        raise BuildError(f'got ISTIO "{istio}"; run {example}')
    missing = [tool for tool in ("go", "git", "tar") if shutil.which(tool) is None]
    if missing and program is None:
        raise BuildError(f"{missing[0]} not found; install it (Go 1.26 or later)")
    CACHE.mkdir(exist_ok=True)
    return program or build(Path(istio).resolve(), release, clones, CACHE)


def render_settings(istio: Path, release: str, folder: Path) -> Path:
    """The settings of the chart of the release, as make corpus renders them."""
    target = folder / release / "settings/default"
    if not target.exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = ["go", "run", ".", str(istio), str(folder), release]
        done = subprocess.run(command, cwd=ROOT / "tools/corpus", check=False)
        if done.returncode:
            raise click.ClickException(f"the charts of {release} cannot be rendered")
    return target


def _show_progress(report: Report) -> None:
    click.echo(f"\r{report.pods:,} compared, {len(report.differences)} differ", nl=False, err=True)


def _print_report(report: Report) -> None:
    scenarios = sorted({scenario for scenario, _ in report.counts})
    for scenario in scenarios:
        counts = {kind: report.counts[scenario, kind] for kind in Kind}
        text = ", ".join(f"{count:,} {kind}" for kind, count in counts.items() if count)
        click.echo(f"{scenario}: {text}")
    settings = ", ".join(f"{count:,} {name}" for name, count in sorted(report.settings.items()))
    click.echo(f"settings: {settings}")
    click.echo(f"all: {report.pods:,}; {report.repeated:,} equal only when Istio was asked again")


if __name__ == "__main__":
    main()
