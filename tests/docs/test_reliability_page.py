"""docs/reliability.md has the tables of the chaos matrix, and each test in them exists."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import soak
from chaos.matrix import BEGIN, END, ROWS, render_tables
from endurance import phases
from page_sections import replace_section
from service.store import test_fault_matrix

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "reliability.md"


def test_the_page_has_the_chaos_matrix(request: pytest.FixtureRequest) -> None:
    """Run with ``--update-goldens`` after you change a row."""
    page = PAGE.read_text(encoding="utf-8")
    expected = replace_section(page, BEGIN, END, render_tables())
    if request.config.getoption("--update-goldens"):
        PAGE.write_text(expected, encoding="utf-8")

    assert PAGE.read_text(encoding="utf-8") == expected


@pytest.mark.parametrize("name", sorted({test for row in ROWS for test in row.tests}))
def test_each_row_names_tests_that_exist(name: str) -> None:
    file, _, function = name.partition("::")
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))

    assert function in {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}


def test_each_failure_has_a_promise_and_a_test() -> None:
    assert all(row.failure and row.promise and row.tests for row in ROWS)
    assert len({row.failure for row in ROWS}) == len(ROWS)


def test_ten_faults_meet_every_store_cold_and_warm() -> None:
    assert len(test_fault_matrix.ROWS) == 10
    assert set(test_fault_matrix.HEAD[1:]) >= {
        f"{store} {state}" for store in ("ssm", "s3", "folder") for state in ("cold", "warm")
    }


def test_the_page_has_the_figures_of_a_soak() -> None:
    _, _, rest = PAGE.read_text(encoding="utf-8").partition(soak.BEGIN)
    section, _, _ = rest.partition(soak.END)
    for front in ("serve", "Lambda handler"):
        for phase in (
            phases.CAPACITY,
            phases.HOSTILE_CAPACITY,
            phases.STEADY,
            phases.HOSTILE,
        ):
            assert f"| {front} | {phase} |" in section
    assert "Requirements that this run did not meet: " in section
