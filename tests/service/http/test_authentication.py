"""Who may call for which cluster: token, certificate, and neither."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from typing import Any

import pytest
from msgspec.structs import replace

from podgraft.base.deadline import Deadline
from podgraft.core.review_context import Staleness
from podgraft.core.versions.errors import NotLoadedError
from podgraft.service.http import Auth, faults
from podgraft.service.http.authentication import CallerGate, Principal, make_authenticator
from podgraft.service.http.errors import (
    DamagedTokenError,
    ExpiredTokenError,
    ForbiddenError,
    SourceError,
    UnauthenticatedError,
)
from podgraft.service.http.request import PeerCertificate, Request
from podgraft.service.store import CallerRegistry, Callers, caller_document, subjects
from podgraft.service.store.caller_document import RevokedToken, TokenHash
from podgraft.service.store.caller_token import make_token
from podgraft.service.store.callers import LastKnownGood
from support.store_fixture import OTHER_TOKEN, SUBJECT, TOKEN


def hash_tokens(*known: str) -> tuple[TokenHash, ...]:
    return tuple(TokenHash(caller_document.hash_token(token), "") for token in known)


def show(*tokens: str, subject: str | None = None) -> Request:
    """A request with at most two tokens, and the certificate of a subject."""
    path_token, bearer = (*tokens, None, None)[:2]
    parsed = None if subject is None else subjects.parse_subject(subject)
    return Request(
        read=BytesIO().read,
        path_token=path_token,
        authorization=f"Bearer {bearer}" if bearer else "",
        certificate=None if parsed is None else PeerCertificate(parsed),
    )


OLD = Staleness("older", is_invalid=True)


class FixedCallers:
    """A store of callers in memory."""

    def callers(self, deadline: Deadline | None = None) -> CallerRegistry:
        del deadline
        known = {
            "prod-eu": Callers(hash_tokens("old", TOKEN), (SUBJECT,)),
            "staging": Callers(hash_tokens(OTHER_TOKEN), ("CN=staging",)),
            "twin-a": Callers(hash_tokens("shared"), ("CN=twin",)),
            "twin-b": Callers(hash_tokens("shared"), ("CN=twin", "no subject")),
            "nobody": Callers(),
        }
        return CallerRegistry(
            known,
            {"staging": LastKnownGood(NotLoadedError("older"))},
            {"broken": NotLoadedError("broken")},
        )


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    auth: Auth
    shown: tuple[str, ...]
    want: str | type[Exception]


def token_case(token: str | None, want: str | type[Exception], name: str) -> Case:
    return Case(name, Auth.TOKEN, () if token is None else (token,), want)


def cert(subject: str | None, want: str | type[Exception], name: str) -> Case:
    return Case(name, Auth.MTLS, () if subject is None else (subject,), want)


CASES = (
    token_case(TOKEN, "prod-eu", "the cluster's token"),
    token_case("old", "prod-eu", "its other token"),
    token_case(None, UnauthenticatedError, "no token"),
    token_case(
        "guess", NotLoadedError, "a token that may be of a cluster whose callers do not load"
    ),
    token_case(caller_document.hash_token(TOKEN), NotLoadedError, "the hash in place of the token"),
    token_case(OTHER_TOKEN, "staging", "a cluster whose callers may be older"),
    token_case("shared", ForbiddenError, "a token of two clusters"),
    Case("one of two tokens", Auth.TOKEN, ("guess", TOKEN), "prod-eu"),
    Case("the tokens of two clusters", Auth.TOKEN, (TOKEN, OTHER_TOKEN), ForbiddenError),
    cert(SUBJECT, "prod-eu", "the cluster's certificate"),
    cert("O=podgraft-clusters, CN=prod-eu", "prod-eu", "written the other way round"),
    cert("CN=stranger", NotLoadedError, "a certificate that may be of such a cluster"),
    cert(None, UnauthenticatedError, "no certificate"),
    cert("CN=twin", ForbiddenError, "a certificate of two clusters"),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_credential_alone_names_the_caller(case: Case) -> None:
    check = make_authenticator(case.auth, FixedCallers())
    if case.auth is Auth.TOKEN:
        shown = show(*case.shown)
    else:
        shown = show(subject=next(iter(case.shown), None))
    if isinstance(case.want, str):
        found = check(shown, None)
        assert (found.cluster, found.stale) == (case.want, OLD if case.want == "staging" else None)
        shown_ids = {caller_document.identify_token(token) for token in case.shown}
        assert found.token in shown_ids if case.auth is Auth.TOKEN else not found.token
        return
    with pytest.raises(case.want) as error:
        check(shown, None)
    assert not any(token and token in str(error.value) for token in case.shown)


@pytest.mark.parametrize("auth", [Auth.TOKEN, Auth.MTLS])
@pytest.mark.parametrize("wrong", ["guess", caller_document.hash_token(TOKEN)])
def test_an_unknown_credential_is_refused_if_all_documents_load(auth: Auth, wrong: str) -> None:
    store = _CopiedCallers()
    store.now = {"prod-eu": Callers(hash_tokens(TOKEN), (SUBJECT,))}
    shown = show(wrong, subject=f"CN={wrong}")
    with pytest.raises(UnauthenticatedError):
        make_authenticator(auth, store)(shown, None)


@pytest.mark.parametrize("auth", [Auth.TOKEN, Auth.MTLS])
def test_one_kind_of_credential_is_no_substitute_for_the_other(auth: Auth) -> None:
    wrong = {
        Auth.TOKEN: show(subject=SUBJECT),
        Auth.MTLS: show(TOKEN),
    }
    with pytest.raises(UnauthenticatedError):
        make_authenticator(auth, FixedCallers())(wrong[auth], None)


@pytest.mark.parametrize("auth", [Auth.TOKEN, Auth.MTLS])
def test_a_request_without_credentials_does_not_call_the_store(auth: Auth) -> None:
    """Otherwise anyone could use up the request rate of Parameter Store at a cold start."""

    class Unreachable:
        def callers(self, deadline: Deadline | None = None) -> CallerRegistry:
            raise AssertionError(deadline)

    with pytest.raises(UnauthenticatedError):
        make_authenticator(auth, Unreachable())(show(), None)


@pytest.mark.parametrize("shown", [(), (TOKEN,)])
def test_without_authentication_no_cluster_is_named(shown: tuple[str, ...]) -> None:
    credentials = show(*shown, subject=SUBJECT)
    assert make_authenticator(Auth.NONE, FixedCallers())(credentials, None) == Principal(None)


class _CopiedCallers:
    """A store of callers that changes between two calls."""

    def __init__(self) -> None:
        self.now: Mapping[str, Callers] = {}

    def callers(self, deadline: Deadline | None = None) -> CallerRegistry:
        del deadline
        return CallerRegistry(self.now)


def test_subjects_are_those_of_the_callers_now() -> None:
    store = _CopiedCallers()
    known = make_authenticator(Auth.MTLS, store)
    shown = show(subject="CN=prod")
    for cluster in ("first", "second"):
        store.now = {cluster: Callers(subjects=("CN=prod",))}
        assert known(shown, None).cluster == cluster
    store.now = {"first": Callers(subjects=("CN=another",))}
    with pytest.raises(UnauthenticatedError):
        known(shown, None)


# Tokens with an id and a last day, sources, and revoked tokens.

DAY = "2027-02-22"
ISSUED = make_token(b"12345", bytes(range(33)), DAY)
WALL = "podgraft.base.system.wall_seconds"
NOON = 1_803_297_600.0  # 2027-02-22T12:00:00Z


class OneCluster:
    """The callers of prod-eu."""

    def __init__(self, callers: Callers) -> None:
        self.registry = CallerRegistry({"prod-eu": callers})

    def callers(self, deadline: Deadline | None = None) -> CallerRegistry:
        del deadline
        return self.registry


def _issued(**fields: Any) -> Callers:
    id_ = caller_document.identify_token(ISSUED)
    token = TokenHash(caller_document.hash_token(ISSUED), "", id=id_, expires=DAY)
    return Callers((token,), **fields)


@pytest.mark.parametrize(
    ("seconds", "valid"),
    [
        (0, True),
        (12 * 3600 - 1, True),
        (12 * 3600 + 299, True),
        (12 * 3600 + 300, False),
        (86_400, False),
        (-86_400, True),
    ],
)
def test_a_token_ends_with_its_last_day_and_five_minutes(
    seconds: float, valid: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WALL, lambda: NOON + seconds)
    check = make_authenticator(Auth.TOKEN, OneCluster(_issued()))
    if valid:
        assert check(show(ISSUED), None).cluster == "prod-eu"
        return
    with pytest.raises(ExpiredTokenError) as error:
        check(show(ISSUED), None)
    assert error.value.token_cluster == "prod-eu"


def test_the_document_decides_and_not_the_date_in_the_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So that a late rotation can extend a token without a new registration."""
    callers = _issued()
    [token] = callers.tokens
    extended = OneCluster(Callers((replace(token, expires="2027-03-22"),)))
    monkeypatch.setattr(WALL, lambda: NOON + 10 * 86_400)
    check = make_authenticator(Auth.TOKEN, extended)
    assert check(show(ISSUED), None).token == token.id


def test_the_client_learns_nothing_of_why_a_token_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Damaged, unknown, revoked, and expired tokens have one answer."""
    revoked = RevokedToken(caller_document.identify_token(ISSUED), "")
    unknown = make_token(b"54321", bytes(33), DAY)
    cases = (
        (OneCluster(_issued()), ISSUED[:-1], NOON),
        (OneCluster(_issued()), unknown, NOON),
        (OneCluster(Callers(revoked=(revoked,))), ISSUED, NOON),
        (OneCluster(_issued()), ISSUED, NOON + 86_400),
    )
    answers: set[tuple[int, bytes]] = set()
    for store, token, now in cases:
        monkeypatch.setattr(WALL, partial(float, now))
        check = make_authenticator(Auth.TOKEN, store)
        with pytest.raises(UnauthenticatedError) as error:
            check(show(token), None)
        response = faults.fault_response(error.value, is_authenticated=False)
        answers.add((response.code, response.body))
    assert len(answers) == 1


def test_a_damaged_token_does_not_reach_the_store() -> None:
    class Unreachable:
        def callers(self, deadline: Deadline | None = None) -> CallerRegistry:
            raise AssertionError(deadline)

    with pytest.raises(DamagedTokenError):
        make_authenticator(Auth.TOKEN, Unreachable())(show(ISSUED[:-1]), None)


def test_the_log_names_the_cluster_of_a_revoked_token() -> None:
    identity = caller_document.identify_token(ISSUED)
    gate = CallerGate(
        Auth.TOKEN, OneCluster(Callers(revoked=(RevokedToken(identity, ""),))), lambda: 0.0
    )
    with pytest.raises(UnauthenticatedError) as error:
        gate.authenticate(show(ISSUED), Deadline.from_timeout(None))
    assert error.value.caller_fields == {
        "source": "",
        "token_id": identity,
        "token_cluster": "prod-eu",
    }


@pytest.mark.parametrize("auth", [Auth.TOKEN, Auth.MTLS])
def test_a_valid_credential_from_another_address_is_forbidden(
    auth: Auth, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = OneCluster(_issued(subjects=(SUBJECT,), sources=("198.51.100.0/24",)))
    shown = show(ISSUED) if auth is Auth.TOKEN else show(subject=SUBJECT)
    monkeypatch.setattr(WALL, lambda: NOON)
    check = make_authenticator(auth, store)
    assert check(replace(shown, source="198.51.100.7"), None).cluster == "prod-eu"
    with pytest.raises(SourceError):
        check(replace(shown, source="203.0.113.7"), None)
