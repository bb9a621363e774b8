#!/usr/bin/env python3
"""Istio's own cases by release and mode: passed of total, and every failure by name.

    scripts/istio_conformance.py             # all releases
    scripts/istio_conformance.py 1.28 1.9    # these minors

The corpus is found by PODGRAFT_CORPUS, else beside the repository; its README describes it.
The cases are run and compared by tests/conformance, which the test suite uses too.
"""

import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from conformance import corpus


def main() -> int:
    """Run every case, or those of the minors among the arguments; the exit status is 1 if one
    fails.
    """
    if corpus.root() is None:
        click.echo(f"conformance: no corpus; set {corpus.VARIABLE} to its folder")
        return 0
    failures: list[str] = []
    minors = set(sys.argv[1:])
    chosen = (case for case in corpus.cases() if not minors or case.minor in minors)
    click.secho(f"{'release':<12}" + "".join(f"{mode:>16}" for mode in corpus.MODES), bold=True)
    for release, cases in groupby(chosen, key=lambda case: case.release):
        click.echo(f"{release:<12}" + "".join(_cells(list(cases), failures)))
    for failure in failures:
        click.secho(failure, fg="red")
    return 1 if failures else 0


def _cells(cases: list[corpus.Case], failures: list[str]) -> Iterator[str]:
    """One cell a mode; what fails is added to *failures*."""
    for mode in corpus.MODES:
        own = [case for case in cases if case.mode == mode]
        problems = [(case, corpus.failure(case)) for case in own]
        failed = [f"{case}: {problem}" for case, problem in problems if problem is not None]
        failures.extend(failed)
        text = f"{len(own) - len(failed)}/{len(own)}"
        yield click.style(f"{text:>16}", fg="red" if failed else "green")


if __name__ == "__main__":
    sys.exit(main())
