"""Fuzz the claims for some seconds: ``make fuzz SECONDS=60 HARNESS=no_bypass``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from time import time

import fuzz.page
from fuzz import campaign, go_programs
from fuzz.campaign import Progress
from fuzz.harness import HARNESSES, find_harness
from page_sections import write_section


def main(arguments: Sequence[str]) -> int:
    """0, or 1 if an input broke a claim."""
    options = _parse(arguments)
    if options.input:
        return _try_file(options.harness[0], options.input)
    names = options.harness or list(HARNESSES)
    first_seed = int(time()) if options.seed is None else options.seed
    progress = campaign.run([find_harness(name) for name in names], options.seconds, first_seed)
    for each in progress:
        _report(each)
    if options.write_docs:
        _write_docs(progress, options.seconds)
    return int(any(each.findings for each in progress))


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="duration of the whole run")
    parser.add_argument(
        "--harness", action="append", choices=list(HARNESSES), help="run this one (repeatable)"
    )
    parser.add_argument("--seed", type=int, help="seed of the first input; default: the time")
    parser.add_argument("--input", help="run one harness on the bytes of a file")
    parser.add_argument(
        "--write-docs", action="store_true", help="write the figures to docs/reliability.md"
    )
    options = parser.parse_args(arguments)
    if options.input and len(options.harness or ()) != 1:
        parser.error("--input: no harness is selected; add --harness NAME once")
    if options.write_docs and options.harness:
        parser.error("--write-docs: the table has all harnesses; omit --harness")
    return options


def _report(progress: Progress) -> None:
    """Print what was tried and found, with the command that reproduces it."""
    name = progress.harness.name
    _print(
        f"{name:<16} {progress.tried:>8} tried, {len(progress.findings)} found, "
        f"seeds {progress.first_seed}..{progress.next_seed - 1}, {progress.seconds:.1f} s; "
        f"{fuzz.page.describe_outcomes(progress)}"
    )
    paths = campaign.store_findings(progress)
    for finding, path in zip(progress.findings, paths, strict=True):
        _print(f"  seed {finding.seed}: python -m fuzz --harness {name} --input {path}")
        _print("    " + finding.error.replace("\n", "\n    "))


def _try_file(name: str, path: str) -> int:
    with open(path, "rb") as file:  # noqa: PTH123
        error = campaign.find_error(find_harness(name).run, file.read())
    _print(error or "the claim holds")
    return int(bool(error))


def _write_docs(progress: Sequence[Progress], seconds: float) -> None:
    today = datetime.now(UTC).date()
    table = fuzz.page.render_table(progress, seconds, today, live=go_programs.is_live())
    write_section(fuzz.page.PAGE, fuzz.page.BEGIN, fuzz.page.END, table)


def _print(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - a program for the terminal


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
