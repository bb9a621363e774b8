"""The table says what was measured, and survives being written."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import growth, page, table
from bench.amounts import Unit, format_amount
from bench.table import Row
from tools.benchmarks.rows import make_row

AMOUNTS = (
    (0.0, "s", "0 ns"),
    (4.2e-8, "s", "42 ns"),
    (1.234e-6, "s", "1.23 µs"),
    (0.000999, "s", "999 µs"),
    (0.0015, "s", "1.5 ms"),
    (0.1234, "s", "123 ms"),
    (61.0, "s", "61 s"),
    (1234.5, "s", "1234 s"),
    (999.0, "B", "999 B"),
    (1500.0, "B", "1.5 KB"),
    (67_200_000.0, "B", "67.2 MB"),
)


@pytest.mark.parametrize(("value", "unit", "text"), AMOUNTS)
def test_an_amount_has_three_figures_and_its_unit(value: float, unit: Unit, text: str) -> None:
    assert format_amount(value, unit) == text


CELLS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("the ratio", {}, "| json     | 1 ms       | 2.00  |"),
    ("a goal that is met", {"target": 2.0}, "| ≤ 2 met |"),
    ("a goal that is not", {"target": 0.7 / 0.06}, "| ≤ 11.7 met |"),
    ("a goal that is missed", {"target": 1.9}, "| ≤ 1.9 MISSED |"),
    ("a power", {"power": 1.04, "target": 1.25}, "| ≤ size^1.25 met | grows as size^1.04 |"),
    ("a square", {"power": 1.96, "target": 1.25}, "| ≤ size^1.25 MISSED | grows as size^1.96 |"),
    ("no growth", {"power": 0.0, "target": 1.25}, "| hardly grows |"),
    ("for each", {"size": 100, "per": "a container"}, "| 20 µs a container |"),
    ("throughput", {"rate": 512.4, "errors": 3, "note": "by wrk"}, "| 512/s; 3 errors; by wrk |"),
    ("many", {"repetitions": 123_456}, "| 123,456 |"),
)


@pytest.mark.parametrize(
    ("given_", "cells"), [case[1:] for case in CELLS], ids=[case[0] for case in CELLS]
)
def test_a_row_states(given_: dict[str, Any], cells: str) -> None:
    assert cells in table.render_markdown([make_row(**given_)])


def test_all_lines_of_the_table_are_of_one_width(rows: list[Row]) -> None:
    lines = table.render_markdown(
        [*rows, make_row(name="much longer than the others", note="beside")]
    ).split("\n")
    assert len(lines) == len(rows) + 3
    assert len({len(line) for line in lines}) == 1
    assert len({line.count("|") for line in lines}) == 1


def test_a_run_that_was_written_is_read_again(rows: list[Row], tmp_path: Path) -> None:
    kept = tmp_path / "build" / "bench.json"
    table.write_json(kept, rows, {"python": "3.11"})
    assert table.read_json(kept) == (rows, {"python": "3.11"})


# Growth


@given(
    power=st.floats(0.5, 2.5),
    fixed=st.floats(1e-4, 1e-2),
    each=st.floats(1e-6, 1e-4),
)
def test_the_power_is_found_after_the_fixed_part(power: float, fixed: float, each: float) -> None:
    sizes = (1, 10, 50, 100, 250, 500)
    points = [(float(size), fixed + each * size**power) for size in sizes]
    if points[-1][1] > 2 * points[0][1]:
        assert growth.fit_growth(points).power == pytest.approx(power, abs=0.02)


@pytest.mark.parametrize("spread", [0.0, 0.1])
def test_what_hardly_grows_has_no_power(spread: float) -> None:
    assert growth.fit_growth([(1, 1.0), (10, 1.0 + spread), (100, 1.0 - spread / 2)]).power == 0


# The page


def test_a_run_is_retained_as_data_and_picture(rows: list[Row], tmp_path: Path) -> None:
    page.write_page(tmp_path, rows, {"python": "3.11"})
    assert table.read_json(tmp_path / "performance.json") == (rows, {"python": "3.11"})
    assert "<svg" in (tmp_path / "performance.svg").read_text()
