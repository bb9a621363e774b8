"""Every answer that Go gave, the engine gives: the same output, or the same error word by word."""

import json
from pathlib import Path

import pytest

from oracle.fixtures import load_answers

from .answers import FIXTURES, answer, go_answer

SUBJECTS = sorted(FIXTURES.glob("*.jsonl"), key=str)


@pytest.mark.parametrize("path", SUBJECTS, ids=lambda path: path.stem)
def test_go_and_the_engine_give_the_same_answers(path: Path) -> None:
    wrong = [
        (row["template"], row.get("data"), wanted, got)
        for row in load_answers(path)
        if (wanted := go_answer(row)) != (got := answer(row))
    ]
    assert not wrong, f"{len(wrong)} differ, the first: {wrong[0]}"


def test_the_fixtures_name_the_release_of_go_and_are_many() -> None:
    headers = [json.loads(path.read_text(encoding="utf-8").split("\n", 1)[0]) for path in SUBJECTS]
    assert {header["go"] for header in headers} == {"go1.26.8"}
    assert sum(header["rows"] for header in headers) > 5000
