"""Every recorded answer of Go's is the engine's, byte for byte, errors too."""

import re
from functools import partial
from operator import itemgetter
from pathlib import Path

import pytest

from oracle.fixtures import load_answers
from podgraft.golang import sprig
from podgraft.golang.sprig.cast import CASTS
from podgraft.golang.sprig.signatures import NEWEST_CAST
from support.corpus import assert_corpus

from .answers import FIXTURES, answer, go_answer

FILES = sorted(FIXTURES.glob("*.jsonl"))
LEAST_ROWS = 1200
NEVER_FAIL = {
    *("add", "all", "any", "cat", "coalesce", "dict", "list", "quote", "squote", "tuple"),
}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_go_returns_the_same(file: Path) -> None:
    assert_corpus(
        load_answers(file),
        name=itemgetter("template"),
        expected=go_answer,
        actual=partial(answer, cast=_find_cast(file.stem)),
    )


def _find_cast(name: str) -> str:
    """The conversions of the release of cast that recorded a file."""
    if not name.startswith("cast-"):
        return NEWEST_CAST
    release = _parse(name.removeprefix("cast-"))
    return max((cast for cast in CASTS if _parse(cast) <= release), key=_parse)


def _parse(release: str) -> list[int]:
    return [int(number) for number in release.split(".")]


def test_enough_was_recorded() -> None:
    assert sum(1 for file in FILES for _ in load_answers(file)) >= LEAST_ROWS


def test_every_function_was_recorded_and_failed_if_it_can() -> None:
    succeeded, failed = set[str](), set[str]()
    asked = (
        row
        for file in FILES
        if file.stem != "guesses" and not file.stem.startswith("cast-")
        for row in load_answers(file)
    )
    for row in asked:
        called = re.match(r"\{\{ (?:\$x := )?(\w+)", row["template"])
        if called is not None:
            (failed if row.keys() & {"error", "error_hex"} else succeeded).add(called[1])
    known = {
        name for name, function in sprig.functions().items() if not function.unsupported_reason
    }
    assert known - succeeded == {"fail"}
    assert known - failed == NEVER_FAIL
