"""Every answer that Go gave, the engine gives: the same output, or the same error word by word."""

import json
from operator import itemgetter
from pathlib import Path

import pytest

from oracle.fixtures import load_answers
from support.corpus import assert_corpus

from .answers import FIXTURES, answer, go_answer

SUBJECTS = sorted(FIXTURES.glob("*.jsonl"), key=str)


@pytest.mark.parametrize("path", SUBJECTS, ids=lambda path: path.stem)
def test_go_and_the_engine_return_the_same(path: Path) -> None:
    assert_corpus(
        load_answers(path), name=itemgetter("template"), expected=go_answer, actual=answer
    )


def test_the_fixtures_name_the_release_of_go_and_are_many() -> None:
    headers = [json.loads(path.read_text(encoding="utf-8").split("\n", 1)[0]) for path in SUBJECTS]
    assert {header["go"] for header in headers} == {"go1.26.8"}
    assert sum(header["rows"] for header in headers) > 5000
