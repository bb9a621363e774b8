#!/usr/bin/env python3
"""Run Istio's conformance cases; print passed and total by release and mode, and each failure.

    scripts/istio_conformance.py             # all releases
    scripts/istio_conformance.py 1.28 1.9    # these minors

PODGRAFT_CORPUS sets the folder of the corpus; the README of the corpus describes it. The modules in
tests/conformance, which the test suite also uses, run and compare the cases.
"""

import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from conformance import corpus


def main() -> int:
    """Run all cases, or those of the minors in the arguments; return 1 if a case fails."""
    if corpus.find_root() is None:
        click.echo(f"conformance: no corpus; set {corpus.VARIABLE} to its folder")
        return 0
    failures: list[str] = []
    minors = set(sys.argv[1:])
    selected = (case for case in corpus.cases() if not minors or case.minor in minors)
    click.secho(f"{'release':<12}" + "".join(f"{mode:>16}" for mode in corpus.MODES), bold=True)
    for release, cases in groupby(selected, key=lambda case: case.release):
        click.echo(f"{release:<12}" + "".join(_format_cells(list(cases), failures)))
    for failure in failures:
        click.secho(failure, fg="red")
    return 1 if failures else 0


def _format_cells(cases: list[corpus.Case], failures: list[str]) -> Iterator[str]:
    """Yield a table cell for each mode, and add failures to *failures*."""
    for mode in corpus.MODES:
        mode_cases = [case for case in cases if case.mode == mode]
        problems = [(case, corpus.find_failure(case)) for case in mode_cases]
        mode_failures = [f"{case}: {problem}" for case, problem in problems if problem is not None]
        failures.extend(mode_failures)
        text = f"{len(mode_cases) - len(mode_failures)}/{len(mode_cases)}"
        yield click.style(f"{text:>16}", fg="red" if mode_failures else "green")


if __name__ == "__main__":
    sys.exit(main())
