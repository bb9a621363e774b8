#!/usr/bin/env python3
"""Compute the monthly cost of podgraft on AWS: tables of aws.md and preview.md."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from costs import bill, measurement
from costs.census import render_census
from costs.scale import Limits, render_scale
from costs.section import write_section
from podgraft.cli import program

FIGURES = Path(__file__).parent / "costs" / "figures.json"
PAGE = Path(__file__).parents[1] / "docs" / "aws.md"
PERFORMANCE = PAGE.with_name("performance.json")
CENSUS_PAGE = PAGE.with_name("preview.md")


@click.command("cost.py", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--measure", is_flag=True, help="Measure on this machine, and write it to the page.")
@click.option("--write", is_flag=True, help="Write the last measurement to the page.")
@click.option("--reviews", default=1000, show_default=True, help="How many to measure.")
def command(measure: bool, write: bool, reviews: int) -> None:
    """Print the section about costs of docs/aws.md."""
    if measure:
        figures = json.dumps(asdict(measurement.measure(reviews)), indent=2)
        FIGURES.write_text(f"{figures}\n")
    if measure or write:
        write_section(PAGE, "tools/cost.py", render_costs())
        write_section(CENSUS_PAGE, "tools/cost.py", render_census())
    click.echo(render_costs())


def render_costs() -> str:
    """Return the text between the markers of the page, for the last measurement."""
    figures = bill.Figures(**json.loads(FIGURES.read_text()))
    ready = bill.provisioned_cost(bill.PROCESSOR_MIB, 2)
    return (
        f"{bill.render_assumptions(figures)}\n\n{bill.render_table(figures)}\n\n"
        f"The cleanup retains `RetainedVersions` versions besides the live one: after a "
        f"deployment, each adds\n${bill.snapshot_cost(figures.memory_mib):.2f}. A restore costs "
        f"${figures.memory_mib / 1024 * bill.RESTORED_GIB:.5f}. `StartMode=on-demand` costs "
        f"neither.\n\n"
        f"Two provisioned environments of {bill.PROCESSOR_MIB} MiB add ${ready:.0f} a month at any "
        f"load (${bill.PROVISIONED_GIB_SECOND:.10f} a GB-second).\n\n"
        f"### Cost of a fleet\n\n{render_scale(figures, read_limits())}"
    )


def read_limits() -> Limits:
    """Return the throttle of the template, and the last measurement of a cold start."""
    rows = json.loads(PERFORMANCE.read_text())["rows"]
    medians = {row["name"]: row["median"] for row in rows}
    return Limits(
        requests_a_second=measurement.read_default("ThrottlingRateLimit"),
        cold_seconds=medians["init + first request, AWS store"],
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; the exit status."""
    return program.run(command, argv, "cost.py")


if __name__ == "__main__":
    sys.exit(main())
