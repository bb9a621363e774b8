"""Figures of README and of the pages are those that were measured or computed, with their date."""

import json
import re
from pathlib import Path
from typing import Any

import cost
import flood
from costs import bill

ROOT = Path(__file__).parents[2]
README = " ".join((ROOT / "README.md").read_text().split())
AWS = (ROOT / "docs" / "aws.md").read_text()
PERFORMANCE = (ROOT / "docs" / "performance.md").read_text()
FIGURES = bill.Figures(**json.loads(cost.FIGURES.read_text()))


def read_column(index: int) -> dict[str, float]:
    """The dollars of a column of the table of costs, by row."""
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in bill.render_table(FIGURES).splitlines()[2:]
    ]
    return {row[0]: float(row[index].strip("*$").replace(",", "")) for row in rows}


def test_the_costs_of_readme_follow_from_the_table() -> None:
    small, large = read_column(2), read_column(3)
    rows = [name for name in small if name != "**a month**"]
    fixed = sum(small[name] for name in rows if small[name] == large[name])
    variable = sum(small[name] for name in rows if small[name] != large[name])
    assert (
        f"The stack costs about ${fixed:.0f} a month, and ${variable:.2f} for a million pods"
        in README
    )
    ready = bill.provisioned_cost(bill.PROCESSOR_MIB, 2)
    assert f"Two environments that are always warm add ${ready:.0f}." in README
    assert "list prices of us-east-1, June 2026" in README


def test_the_billed_time_has_its_date() -> None:
    [billed] = re.findall(r"so (\d+) ms are billed", bill.render_assumptions(FIGURES))
    sentence = f"Lambda bills {billed} ms for a new pod, measured on a local machine on"
    assert f"{sentence} {FIGURES.measured}." in README
    assert f"Lambda bills {billed} ms for a new pod" in PERFORMANCE
    assert "No figure was measured on AWS" in README


def test_the_page_has_the_tables_of_the_scripts() -> None:
    assert cost.render_costs() in AWS
    assert flood.render_flood() in AWS


def test_the_figures_of_performance_are_those_of_the_last_run() -> None:
    data: Any = json.loads((ROOT / "docs" / "performance.json").read_text())
    rows = {row["name"]: row for row in data["rows"]}
    medians = {name: row["median"] for name, row in rows.items()}
    cold = rows["init + first request, AWS store"]
    assert f"| cold start: init and first review | {cold['median'] * 1000:.0f} ms |" in PERFORMANCE
    assert f"{cold['ratio']:.2f} × the time to import Flask, Mangum, and boto3" in PERFORMANCE
    memory = medians["resident, reviews: 200,000"] / 1e6
    assert f"| memory after 200,000 different reviews | {memory:.0f} MB |" in PERFORMANCE


def test_the_figures_of_istio_are_those_of_the_last_run() -> None:
    tables = (ROOT / "tests" / "performance" / "measurements.md").read_text()
    rows = {
        cells[0]: cells[1:]
        for line in tables.splitlines()
        if line.startswith("| unseen")
        for cells in [[cell.strip() for cell in line.strip("|").split("|")]]
    }
    for name, title in (
        ("unseen, 1 container", "new pod, one container"),
        ("unseen, 10 containers", "new pod, 10 containers"),
        ("unseen, 500 containers", "new pod, 500 containers"),
    ):
        istio, _, podgraft, *_ = re.findall(
            rf"^\| {name} \| ([\d.]+) ms \| ([\d.]+) ms \| ([\d.]+) ms", tables, re.MULTILINE
        )[0]
        row = f"| {title} | {float(podgraft):.1f} ms | {float(istio):.1f} ms |"
        assert row in PERFORMANCE
    assert rows
