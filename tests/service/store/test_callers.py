"""Callers from Parameter Store: one document per cluster, and a report of stale documents."""

from collections.abc import Mapping

import pytest

from podgraft.core.versions.errors import NotLoadedError, UnavailableError
from podgraft.service.store import Callers, caller_document
from podgraft.service.store.aws.client import RetryBudget
from podgraft.service.store.aws.ssm import Parameter
from podgraft.service.store.callers import CallerRegistry
from support.memory_store import cached_callers

BROKEN = "tokens: nonsense"
NOT_YAML = "tokens: [s3cret"
WHY = "the callers of cluster b: tokens: expected a list"


def callers_document(*known: str) -> str:
    return "tokens:\n" + "".join(
        f"- sha256: {caller_document.hash_token(token)}\n" for token in known
    )


class Source:
    """Documents in memory, out of reach at will, and the time."""

    def __init__(self, **documents: str) -> None:
        self.documents = documents
        self.reachable = True
        self.now = 0.0
        self.store = cached_callers(self, refresh_seconds=30, clock=lambda: self.now)

    def callers(self, patience: RetryBudget) -> Mapping[str, Parameter]:
        del patience
        if not self.reachable:
            raise UnavailableError("out of reach on purpose")
        return {name: Parameter(text, "1") for name, text in self.documents.items()}

    def knows(self, cluster: str, token: str) -> bool:
        callers = self.store.callers().callers[cluster]
        return bool(callers.find_tokens(caller_document.hash_token(token)))


@pytest.mark.parametrize("broken", [BROKEN, NOT_YAML, "- a list"])
def test_a_revocation_holds_though_anothers_document_does_not_load(broken: str) -> None:
    source = Source(a=callers_document("old", "new"), b=callers_document("b's"))
    assert source.knows("a", "old")
    source.documents = {"a": callers_document("new"), "b": broken}
    source.now = 31
    assert (source.knows("a", "old"), source.knows("a", "new")) == (False, True)
    assert source.knows("b", "b's")


def test_callers_that_do_not_load_state_since_when_they_are_older() -> None:
    source = Source(a=callers_document("a's"), b=callers_document("b's"))
    assert source.store.callers().unread is None
    source.documents["b"] = BROKEN
    for now in (31, 75, 120):
        source.now = now
        registry = source.store.callers()
        stale = registry.find_stale("b")
        assert stale is not None
        assert stale.reason == f"callers of cluster b, confirmed {now} s ago, are in force: {WHY}"
        assert registry.find_stale("a") is None
        assert (stale.is_invalid, stale.age_seconds) == (True, now)
    source.documents["b"] = callers_document("mended")
    source.now = 160
    assert source.store.callers().unread is None
    assert source.knows("b", "mended")


def test_out_of_reach_all_callers_state_it() -> None:
    source = Source(a=callers_document("a's"), b=callers_document("b's"))
    source.store.callers()
    source.documents["b"] = BROKEN
    source.now = 31
    source.store.callers()
    source.reachable = False
    source.now = 70
    registry = source.store.callers()
    a, b = registry.find_stale("a"), registry.find_stale("b")
    assert a is not None
    assert b is not None
    assert [(each.is_invalid, each.age_seconds) for each in (a, b)] == [(False, 39), (True, 70)]
    assert a.reason.endswith("are in force: out of reach on purpose")
    assert registry.find_stale("c") is None


def test_at_a_cold_start_only_the_broken_documents_cluster_has_no_callers() -> None:
    found = Source(a=callers_document("a's"), b=BROKEN).store.callers()
    assert (found.callers.keys(), found.load_errors.keys()) == ({"a"}, {"b"})
    assert isinstance(found.load_errors["b"], NotLoadedError)
    assert str(found.load_errors["b"]) == WHY


def test_no_text_of_a_document_is_quoted() -> None:
    assert "s3cret" not in str(Source(b=NOT_YAML).store.callers().load_errors["b"])


def test_a_deleted_document_leaves_no_one() -> None:
    before = CallerRegistry({"a": Callers(), "b": Callers()})
    assert before.merge({"a": Callers()}).callers.keys() == {"a"}


def test_no_earlier_document_is_read_for_a_broken_one() -> None:
    """It could name a token that was revoked: the broken document may be the revocation."""
    source = Source(a=callers_document("revoked", "new"))
    source.documents["a"] = "tokens: [{sha256: " + caller_document.hash_token("new")
    for _ in range(2):
        found = source.store.callers()
        assert (found.callers, found.load_errors.keys()) == ({}, {"a"})
        source.now += 31
    source.documents["a"] = callers_document("new")
    source.now += 31
    assert (source.knows("a", "revoked"), source.knows("a", "new")) == (False, True)
