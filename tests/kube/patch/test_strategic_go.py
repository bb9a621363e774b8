"""Every recorded answer of apimachinery's strategic merge patch, given again without Go."""

import os
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kube.patch.edge_types import EDGE_TYPE
from oracle import program
from oracle.strategic.record import is_comparable, random_pair
from podgraft import kube
from podgraft.base.jsonvalue import JSON, equal
from podgraft.kube.patch import strategic
from podgraft.kube.patch.strategic import MergeError
from support.corpus import assert_corpus

ROWS = program.load_rows(Path(__file__).parent / "fixtures" / "strategic.jsonl")
TYPES = {"Pod": kube.POD, "Odd": EDGE_TYPE}


def assert_merges_as_go(rows: list[program.Row]) -> None:
    """Fail unless podgraft and Go agree on the result, or on the text of the error."""
    assert_corpus(rows, expected=go_answer, actual=answer, same=is_same_answer)


def answer(row: program.Row) -> tuple[str, JSON]:
    try:
        return "merged", strategic.merge(row["target"], row["patch"], TYPES[row["type"]])
    except MergeError as error:
        return "error", error.go


def go_answer(row: program.Row) -> tuple[str, JSON]:
    return ("merged", row["want"]) if "want" in row else ("error", row["error"])


def is_same_answer(ours: Any, go: Any) -> bool:
    """Whether two answers are the same. If Go panics, any error of podgraft is."""
    if ours[0] == go[0] == "error":
        return go[1].startswith("panic") or ours[1] == go[1]
    return ours[0] == go[0] and equal(ours[1], go[1])


def test_the_fixture_is_as_large_as_it_was() -> None:
    assert len(ROWS) >= 800
    assert len([row for row in ROWS if "error" in row]) >= 100


def test_every_recorded_pair_merges_as_in_go() -> None:
    assert_merges_as_go(ROWS)


@pytest.mark.skipif(
    "PODGRAFT_LIVE_ORACLE" not in os.environ, reason="set PODGRAFT_LIVE_ORACLE=1 to ask Go itself"
)
def test_go_itself_agrees_on_pairs_never_seen_before() -> None:
    random = Random()  # noqa: S311 - other rows each time
    rows = program.stable_answers(
        "strategic", [random_pair(random, faults=n % 3) for n in range(1000)]
    )
    assert_merges_as_go([row for row in rows if is_comparable(row)])


@given(st.randoms(use_true_random=False))
def test_neither_target_nor_patch_is_ever_changed(random: Random) -> None:
    row = random_pair(random, faults=1)
    before = deepcopy(row)
    first = outcome(row)
    assert equal(row["target"], before["target"])
    assert equal(row["patch"], before["patch"])
    assert equal(first, outcome(before))


@given(st.randoms(use_true_random=False))
def test_an_empty_patch_changes_nothing(random: Random) -> None:
    row = random_pair(random, faults=0)
    assert equal(strategic.merge(row["target"], {}, TYPES[row["type"]]), row["target"])


def outcome(row: program.Row) -> JSON:
    try:
        return strategic.merge(row["target"], row["patch"], TYPES[row["type"]])
    except MergeError as error:
        return str(error)
