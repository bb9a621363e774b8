#!/usr/bin/env python3
"""Compute the cost of unauthenticated requests: the table of docs/aws.md, and its basis."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from costs import flood
from costs.flood import FloodFigures
from costs.section import write_section
from podgraft.cli import program

FIGURES = Path(__file__).parent / "costs" / "flood.json"
PAGE = Path(__file__).parents[1] / "docs" / "aws.md"


@click.command("flood.py", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--measure", is_flag=True, help="Measure on this machine, and write it to the page.")
@click.option("--requests", default=5000, show_default=True, help="How many to measure.")
def command(measure: bool, requests: int) -> None:
    """Print the table about unauthenticated requests of docs/aws.md."""
    if measure:
        figures = json.dumps(asdict(flood.measure(requests)), indent=2)
        FIGURES.write_text(f"{figures}\n")
        write_section(PAGE, "tools/flood.py", render_flood())
    click.echo(render_flood())


def render_flood() -> str:
    """Return the text between the markers of the page, for the last measurement."""
    return flood.render(FloodFigures(**json.loads(FIGURES.read_text())))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; the exit status."""
    return program.run(command, argv, "flood.py")


if __name__ == "__main__":
    sys.exit(main())
