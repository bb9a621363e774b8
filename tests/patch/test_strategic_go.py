"""Every recorded answer of apimachinery's strategic merge patch, given again without Go."""

import os
from copy import deepcopy
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle import program
from oracle.strategic.record import is_comparable, random_pair
from patch.edge_types import EDGE_TYPE
from podgraft import kube
from podgraft.jsonvalue import JSON, equal
from podgraft.patch import strategic
from podgraft.patch.strategic import MergeError

ROWS = program.load_rows(Path(__file__).parent / "fixtures" / "strategic.jsonl")
TYPES = {"Pod": kube.POD, "Odd": EDGE_TYPE}


def disagreements(rows: list[program.Row]) -> list[tuple[program.Row, object]]:
    """Rows on which we and Go differ in the result or in the text of the error.

    Where Go panics we need not find the same words.
    """
    found: list[tuple[program.Row, object]] = []
    for row in rows:
        got: JSON | MergeError
        try:
            got = strategic.merge(row["target"], row["patch"], TYPES[row["type"]])
        except MergeError as error:
            got = error
        if isinstance(got, MergeError):
            error = row.get("error", "")
            agrees = bool(error) and (error.startswith("panic") or error == got.go)
        else:
            agrees = "want" in row and equal(got, row["want"])
        if not agrees:
            found.append((row, got))
    return found


def test_the_fixture_is_as_large_as_it_was() -> None:
    assert len(ROWS) >= 800
    assert len([row for row in ROWS if "error" in row]) >= 100


def test_every_recorded_pair_merges_as_in_go() -> None:
    assert disagreements(ROWS) == []


@pytest.mark.skipif(
    "PODGRAFT_LIVE_ORACLE" not in os.environ, reason="set PODGRAFT_LIVE_ORACLE=1 to ask Go itself"
)
def test_go_itself_agrees_on_pairs_never_seen_before() -> None:
    random = Random()  # noqa: S311 - other rows each time
    rows = program.stable_answers(
        "strategic", [random_pair(random, faults=n % 3) for n in range(1000)]
    )
    assert disagreements([row for row in rows if is_comparable(row)]) == []


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
