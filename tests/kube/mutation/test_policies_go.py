"""Every recorded answer of kube-apiserver to mutating policies, given again without Go."""

import os
from collections.abc import Iterator
from random import SystemRandom
from typing import Any

import pytest

from oracle import program
from oracle.mutation.openapi import provide_documents
from oracle.mutation.policies import FIXTURE, answer, go_answer, is_same, make_rows
from support.corpus import assert_corpus

ROWS = program.load_rows(FIXTURE)


def test_the_fixture_is_as_large_as_it_was() -> None:
    assert len(ROWS) >= 500
    assert len([row for row in ROWS if "error" in row]) >= 100


def test_every_recorded_request_is_answered_as_by_kube_apiserver() -> None:
    assert_corpus(ROWS, expected=go_answer, actual=answer, same=_same)


@pytest.mark.skipif(
    "PODGRAFT_LIVE_ORACLE" not in os.environ, reason="set PODGRAFT_LIVE_ORACLE=1 to ask Go itself"
)
def test_kube_apiserver_agrees_on_requests_never_seen_before() -> None:
    provide_documents()
    assert_corpus(list(_ask(200)), expected=go_answer, actual=answer, same=_same)


def _ask(count: int) -> Iterator[program.Row]:
    rows = program.ask_program("mutation", list(make_rows(count, SystemRandom().randrange(2**31))))
    return (row for row in rows if "before" in row)


def _same(ours: Any, go: Any) -> bool:
    return is_same(ours, go)
