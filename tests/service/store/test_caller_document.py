"""The document that says who may call for a cluster."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgraft.base.jsonvalue import JSON
from podgraft.service.store import caller_document
from podgraft.service.store.caller_document import Callers, TokenHash, TokensError

OLD = TokenHash(caller_document.hash_token("old"), "2026-01-01T00:00:00Z", "first")
NEW = TokenHash(caller_document.hash_token("new"), "2026-11-21T00:00:00Z")

HASHES = st.builds(
    TokenHash,
    st.text(max_size=20).map(caller_document.hash_token),
    st.text(max_size=20),
    st.text(max_size=20),
)
CALLERS = st.builds(
    Callers,
    st.lists(HASHES, max_size=caller_document.MAX_ACTIVE).map(tuple),
    st.lists(st.text(min_size=1, max_size=20), max_size=3).map(tuple),
)


@given(CALLERS)
def test_what_is_written_is_read_back(callers: Callers) -> None:
    assert caller_document.parse_callers(caller_document.to_document(callers)) == callers


@given(st.text(), st.text())
def test_only_the_very_token_is_known(stored: str, shown: str) -> None:
    callers = Callers((TokenHash(caller_document.hash_token(stored), ""),))
    assert callers.has_token(caller_document.hash_token(shown)) == (stored == shown)


def test_both_tokens_are_known_while_one_is_rotated() -> None:
    callers = Callers((OLD,)).with_token(NEW)
    assert callers.has_token(OLD.sha256)
    assert callers.has_token(NEW.sha256)
    assert callers.has_token(caller_document.hash_token("stranger"), NEW.sha256)
    assert not callers.has_token(caller_document.hash_token("stranger"))
    assert not callers.without_token(OLD.identity).has_token(OLD.sha256)


def test_an_empty_store_has_no_callers() -> None:
    assert caller_document.parse_callers(None) == caller_document.parse_callers({}) == Callers()
    assert not Callers().has_token(caller_document.hash_token(""))


@dataclass(frozen=True, slots=True)
class InvalidCase:
    name: str
    document: JSON
    message: str


HASH = OLD.sha256
THREE: list[JSON] = [{"sha256": HASH}, {"sha256": HASH}, {"sha256": HASH}]
ERRORS = (
    InvalidCase("a list", [], "the document must be a mapping with the keys tokens and subjects"),
    InvalidCase(
        "misspelt",
        {"token": []},
        "the document: unknown key; use tokens, subjects",
    ),
    InvalidCase("tokens no list", {"tokens": {}}, "tokens: expected a list"),
    InvalidCase(
        "token a string",
        {"tokens": [HASH]},
        "tokens[0]: expected a mapping with sha256, created, and note",
    ),
    InvalidCase(
        "the token instead of its hash",
        {"tokens": [{"sha256": "s3cr3t"}]},
        "tokens[0].sha256: expected 64 lower-case hexadecimal digits",
    ),
    InvalidCase(
        "created as a number",
        {"tokens": [{"sha256": HASH, "created": 2026}]},
        "tokens[0]: created and note must be strings",
    ),
    InvalidCase(
        "a key of a token misspelt",
        {"tokens": [{"sha": HASH}]},
        "tokens[0]: unknown key; use sha256, created, note",
    ),
    InvalidCase("three", {"tokens": THREE}, "tokens: got 3 tokens; at most 2 can be active"),
    InvalidCase(
        "an empty subject",
        {"subjects": [""]},
        "subjects: expected strings such as CN=prod-eu,O=podgraft-clusters",
    ),
)


@pytest.mark.parametrize("case", ERRORS, ids=lambda case: case.name)
def test_an_impossible_document_is_refused_by_its_key(case: InvalidCase) -> None:
    with pytest.raises(TokensError) as error:
        caller_document.parse_callers(case.document)
    assert str(error.value) == case.message


def test_a_third_active_token_is_refused() -> None:
    with pytest.raises(TokensError, match="2 tokens are already active; revoke one of them first"):
        Callers((OLD, NEW)).with_token(NEW)


@pytest.mark.parametrize("identity", ["", "zz", "e"])
def test_revoking_needs_exactly_one_token(identity: str) -> None:
    with pytest.raises(TokensError, match=f". tokens match; use one of: {OLD.identity}"):
        Callers((OLD,)).without_token(identity)
