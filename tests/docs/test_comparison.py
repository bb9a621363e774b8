"""README compares podgraft with others: each cell has a test, or a source with its date."""

import json
import re
from pathlib import Path
from typing import Any

from podgraft import cli

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
DATA: dict[str, Any] = json.loads(Path(__file__).with_name("comparison.json").read_text())


def read_table() -> dict[str, dict[str, str]]:
    """The cells of the table by row and column."""
    section = README.partition("## Compare\n")[2].partition("\n## ")[0]
    head, _, *rows = (line for line in section.splitlines() if line.startswith("|"))
    columns = [cell.strip() for cell in head.strip("|").split("|")][1:]
    cells = [[cell.strip() for cell in row.strip("| ").split(" | ")] for row in rows]
    return {name: dict(zip(columns, values, strict=True)) for name, *values in cells}


def test_each_cell_has_a_test_or_a_source() -> None:
    table = read_table()
    assert table.keys() == DATA.keys()
    for name, cells in table.items():
        assert cells.keys() == DATA[name].keys()
        for column, support in DATA[name].items():
            assert cells[column], (name, column)
            if column == "podgraft":
                assert (ROOT / support).exists(), support
            else:
                source, date = support
                assert source
                assert re.fullmatch(r"\d{4}-\d{2}", date)


def test_the_page_states_the_date_of_the_sources() -> None:
    dates = {
        support[1] for row in DATA.values() for name, support in row.items() if name != "podgraft"
    }
    assert dates == {"2026-11"}
    assert "as of November 2026" in README


def test_podgraft_has_no_reports_scans_or_generated_objects() -> None:
    """As the table states: no command does it."""
    names = set(cli.podgraft.list_commands(None))  # type: ignore[arg-type]
    assert not {"report", "scan", "generate"} & names


def test_no_cell_claims_to_be_faster() -> None:
    assert "faster" not in README
