#!/usr/bin/env python3
"""Run Istio's conformance cases; print passed and total by release and mode, and each failure.

    tools/istio_conformance.py                              # all releases
    tools/istio_conformance.py 1.28 1.9                     # these minors
    tools/istio_conformance.py --page docs/conformance.md   # and write the table of the page

PODGRAFT_CORPUS sets the folder of the corpus, and .corpus is the default. ``make corpus`` builds a
corpus from a clone of Istio. The modules in tests/conformance, which the test suite also uses, run
and compare the cases.
"""

import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import click

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from conformance import corpus

_BEGIN, _END = "<!-- table -->\n", "<!-- end of table -->\n"


class Row(NamedTuple):
    """The results of the cases of one release and mode."""

    release: str
    mode: str
    names: frozenset[str]
    runs: int
    failures: tuple[str, ...]


@click.command()
@click.argument("minors", nargs=-1)
@click.option("--page", type=click.Path(dir_okay=False, path_type=Path), help="Page to update.")
def main(minors: tuple[str, ...], page: Path | None) -> None:
    """Run every case, or those of MINORS; the exit status is 1 if a case fails."""
    if corpus.find_root() is None:
        click.echo(f"conformance: no corpus found; run make corpus, or set {corpus.VARIABLE}")
        return
    click.secho(f"{'release':<14}" + "".join(f"{mode:>16}" for mode in corpus.MODES), bold=True)
    rows: list[Row] = []
    selected = (case for case in corpus.cases() if not minors or case.minor in minors)
    for release, cases in groupby(selected, key=lambda case: case.release):
        release_rows = [*_rows(release, list(cases))]
        click.echo(f"{release:<14}" + "".join(map(_cell, release_rows)))
        rows += release_rows
    failures = [failure for row in rows for failure in row.failures]
    for failure in failures:
        click.secho(failure, fg="red")
    if page is not None:
        page.write_text(replace_table(page.read_text(encoding="utf-8"), rows), encoding="utf-8")
    sys.exit(1 if failures else 0)


def replace_table(text: str, rows: list[Row]) -> str:
    """Return the page with the table of *rows* between its two markers."""
    before, _, rest = text.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return before + _BEGIN + "\n".join(["", *_table(rows), "", _END]) + after


def _table(rows: list[Row]) -> Iterator[str]:
    yield "| Istio | matching |"
    yield "|---|---:|"
    for release, group in groupby(rows, key=lambda row: row.release):
        yield _table_row(release, list(group))
    yield _table_row("all", rows)


def _table_row(name: str, rows: list[Row]) -> str:
    total = sum(row.runs for row in rows)
    matching = total - sum(len(row.failures) for row in rows)
    return f"| {name} | {matching:,} of {total:,} |"


def _cell(row: Row) -> str:
    text = f"{row.runs - len(row.failures)}/{row.runs}"
    return click.style(f"{text:>16}", fg="red" if row.failures else "green")


def _rows(release: str, cases: list[corpus.Case]) -> Iterator[Row]:
    """Yield one row for each mode."""
    for mode in corpus.MODES:
        own = [case for case in cases if case.mode == mode]
        problems = [(case, corpus.find_failure(case)) for case in own]
        failed = tuple(f"{case}: {problem}" for case, problem in problems if problem is not None)
        yield Row(release, mode, frozenset(case.name for case in own), len(own), failed)


if __name__ == "__main__":
    main()
