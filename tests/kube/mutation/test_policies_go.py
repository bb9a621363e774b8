"""Every recorded answer of kube-apiserver to mutating policies, given again without Go."""

import os
from functools import partial
from random import SystemRandom
from typing import Any

import pytest

from oracle import program
from oracle.mutation.policies import (
    RELEASES,
    answer,
    ask,
    find_fixture,
    go_answer,
    is_same,
    make_rows,
    read_minor,
)
from podgraft.kube.types import NEWEST
from support.corpus import assert_corpus


def test_the_fixture_is_as_large_as_it_was() -> None:
    rows = program.load_rows(find_fixture(NEWEST))
    assert len(rows) >= 500
    assert len([row for row in rows if "error" in row]) >= 100


@pytest.mark.parametrize("minor", [read_minor(release) for release in RELEASES])
def test_every_recorded_request_is_answered_as_by_kube_apiserver(minor: int) -> None:
    rows = program.load_rows(find_fixture(minor))
    assert_corpus(rows, expected=go_answer, actual=partial(answer, minor=minor), same=_same)


@pytest.mark.skipif(
    "PODGRAFT_LIVE_ORACLE" not in os.environ, reason="set PODGRAFT_LIVE_ORACLE=1 to ask Go itself"
)
def test_kube_apiserver_agrees_on_requests_never_seen_before() -> None:
    rows = ask(make_rows(200, SystemRandom().randrange(2**31)), "")
    assert_corpus(list(rows), expected=go_answer, actual=answer, same=_same)


def _same(ours: Any, go: Any) -> bool:
    return is_same(ours, go)
