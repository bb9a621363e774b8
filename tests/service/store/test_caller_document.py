"""The document that says who may call for a cluster."""

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from podgraft.base.jsonvalue import JSON
from podgraft.kube import yaml
from podgraft.service.store import caller_document
from podgraft.service.store.caller_document import Callers, RevokedToken, TokenHash, TokensError

OLD = TokenHash(caller_document.hash_token("old"), "2026-01-01T00:00:00Z", "first")
NEW = TokenHash(caller_document.hash_token("new"), "2026-11-21T00:00:00Z")

IDS = st.sampled_from(("", "k7m2qxx4", "22222222"))
HASHES = st.builds(
    TokenHash,
    st.text(max_size=20).map(caller_document.hash_token),
    st.text(max_size=20),
    st.text(max_size=20),
    IDS,
    st.sampled_from(("", "2027-02-22")),
)
CALLERS = st.builds(
    Callers,
    st.lists(HASHES, max_size=caller_document.MAX_ACTIVE).map(tuple),
    st.lists(st.text(min_size=1, max_size=20), max_size=3).map(tuple),
    st.sampled_from(((), ("ring-0",), ("a", "b"))),
    st.sampled_from(((), ("198.51.100.0/24", "vpce-0a1b2c3d"))),
    st.sampled_from(((), (RevokedToken("aaaaaaaa", "2026-01-01T00:00:00Z"),))),
)


@given(CALLERS)
def test_what_is_written_is_read_back(callers: Callers) -> None:
    assert caller_document.parse_callers(caller_document.to_document(callers)) == callers


@given(CALLERS)
def test_a_copy_is_plain_for_an_earlier_function_and_complete_for_this_one(
    callers: Callers,
) -> None:
    copy, plain = (
        caller_document.format_copy(callers, "2027-02-23"),
        callers.make_plain("2027-02-23"),
    )
    assert caller_document.load_callers(copy) == callers
    assert caller_document.parse_callers(yaml.load_document(copy)) == plain
    document = yaml.dump(caller_document.to_document(callers))
    assert caller_document.load_callers(document) == callers


@given(st.text(), st.text())
def test_only_the_very_token_is_known(stored: str, shown: str) -> None:
    callers = Callers((TokenHash(caller_document.hash_token(stored), ""),))
    found = callers.find_tokens(caller_document.hash_token(shown))
    assert bool(found) == (stored == shown)


def test_both_tokens_are_known_while_one_is_rotated() -> None:
    callers = Callers((OLD,)).with_token(NEW)
    assert callers.find_tokens(OLD.sha256)
    assert callers.find_tokens(NEW.sha256)
    assert callers.find_tokens(caller_document.hash_token("unknown"), NEW.sha256)
    assert not callers.find_tokens(caller_document.hash_token("unknown"))
    assert not callers.without_token(OLD.identity).find_tokens(OLD.sha256)


@given(CALLERS)
def test_an_old_function_reads_a_plain_document(callers: Callers) -> None:
    """It accepts only these keys; a token that has expired would be valid again."""
    document: Any = caller_document.to_document(callers.make_plain("2027-02-23"))
    assert document.keys() == {"tokens", "subjects"}
    for token in document["tokens"]:
        assert token.keys() == {"sha256", "created", "note"}
    assert len(document["tokens"]) == sum(not each.expires for each in callers.tokens)
    assert callers.is_plain() == (caller_document.to_document(callers) == document)


def test_a_revoked_token_is_listed_until_eight_others_follow() -> None:
    callers = Callers()
    for letter in "abcdefghi":
        token = TokenHash(caller_document.hash_token(letter), "", id=letter * 8)
        callers = callers.with_token(token).without_token(token.identity, "2026-11-24T00:00:00Z")
    assert [each.id for each in callers.revoked] == [letter * 8 for letter in "bcdefghi"]


def test_an_empty_store_has_no_callers() -> None:
    assert caller_document.parse_callers(None) == caller_document.parse_callers({}) == Callers()
    assert caller_document.parse_callers({"tokens": None, "sources": None}) == Callers()
    assert not Callers().find_tokens(caller_document.hash_token(""))


@dataclass(frozen=True, slots=True)
class InvalidCase:
    name: str
    document: JSON
    message: str


HASH = OLD.sha256
THREE: list[JSON] = [{"sha256": HASH}, {"sha256": HASH}, {"sha256": HASH}]
SHA256 = "tokens[0].sha256: expected 64 lower-case hexadecimal digits"
ROOT = (
    "the document must be a mapping of tokens, subjects, groups, sources, revoked, issuers, "
    "without other keys"
)
TOKEN = (
    "tokens[0]: expected a mapping of sha256, created, note, id, and expires, without other keys"
)
ERRORS = (
    InvalidCase("a list", [], ROOT),
    InvalidCase(
        "misspelt",
        {"token": []},
        ROOT,
    ),
    InvalidCase("tokens no list", {"tokens": {}}, "tokens: expected a list"),
    InvalidCase(
        "token a string",
        {"tokens": [HASH]},
        TOKEN,
    ),
    InvalidCase(
        "a date that never comes",
        {"tokens": [{"sha256": HASH, "expires": "2027-13-01"}]},
        'tokens[0].expires: expected a date such as "2027-02-22", in quotes',
    ),
    InvalidCase(
        "an id that no log could print",
        {"tokens": [{"sha256": HASH, "id": "K7"}]},
        "tokens[0].id: expected 8 characters of a-z and 2-7",
    ),
    InvalidCase("a group", {"groups": ["Ring 0"]}, "groups[0]: expected a name such as ring-0"),
    InvalidCase(
        "an address without a length",
        {"sources": ["198.51.100.7"]},
        "sources[0]: got an invalid source; use a range such as 198.51.100.0/24, or vpce-… or "
        "vpc-… for a private front",
    ),
    InvalidCase(
        "the token instead of its hash",
        {"tokens": [{"sha256": "s3cr3t"}]},
        SHA256,
    ),
    InvalidCase(
        "created as a number",
        {"tokens": [{"sha256": HASH, "created": 2026}]},
        "tokens[0].created: expected a string",
    ),
    InvalidCase(
        "a key of a token misspelt",
        {"tokens": [{"sha": HASH}]},
        TOKEN,
    ),
    InvalidCase("three", {"tokens": THREE}, "tokens: got 3 tokens; at most 2 can be active"),
    InvalidCase(
        "an empty subject",
        {"subjects": [""]},
        "subjects[0]: expected a string such as CN=prod-eu,O=podgraft-clusters",
    ),
    InvalidCase(
        "a key like a place",
        {"tokens": [{"sha256": HASH, "s3cr3t` - at `$.tokens[0].s3cr3t": 1}]},
        TOKEN,
    ),
    InvalidCase("a key like the place of another", {" - at `$.s3cr3t": 1}, ROOT),
    InvalidCase("a value of several lines", {"tokens": [{"sha256": f"{HASH}\n"}]}, SHA256),
    InvalidCase(
        "another id",
        {"revoked": [{"id": "no"}]},
        "revoked[0].id: expected 8 characters of a-z and 2-7",
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


# Values of documents, most of which are invalid somewhere.
TEXTS = st.sampled_from(
    ("", "ring-0", "k7m2qxx4", "2027-02-22", "2027-99-22", HASH, "10.0.0.0/8", "s3cr3t")
).flatmap(lambda text: st.sampled_from((text, f"{text}\n", f"{text}\n{text}", text.upper())))
TOKENS = st.dictionaries(
    st.sampled_from(("sha256", "created", "note", "id", "expires", "s3cr3t")),
    st.one_of(TEXTS, st.none(), st.integers(0, 1)),
    max_size=5,
)
DOCUMENTS: Any = st.dictionaries(
    st.sampled_from(("tokens", "subjects", "groups", "sources", "revoked", "issuers", "s3cr3t")),
    st.one_of(st.lists(st.one_of(TEXTS, TOKENS), max_size=3), TEXTS, st.none()),
    max_size=4,
)


@given(DOCUMENTS)
@example({"tokens": [{"sha256": HASH, "expires": "2027-02-22\n"}]})
@example({"tokens": [{"sha256": HASH, "id": "s3cr3tss\n"}]})
def test_a_document_is_read_completely_or_refused_without_its_texts(document: Any) -> None:
    try:
        callers = caller_document.parse_callers(document)
    except TokensError as error:
        message = str(error)
    else:
        written = caller_document.to_document(callers)
        message = ""
        assert _without_empty(written) == _without_empty(document)
    assert "s3cr3t" not in message.casefold()


def _without_empty(value: JSON) -> JSON:
    match value:
        case dict():
            return {key: _without_empty(member) for key, member in value.items() if member}
        case list():
            return [_without_empty(element) for element in value]
        case _:
            return value
