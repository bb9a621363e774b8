"""Who may call for which cluster: token, certificate, and neither."""

from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO

import pytest

from podgraft.service.http import Auth
from podgraft.service.http.authentication import Principal, make_authenticator
from podgraft.service.http.errors import ForbiddenError, UnauthenticatedError
from podgraft.service.http.request import PeerCertificate, Request
from podgraft.service.store import (
    CallerRegistry,
    Callers,
    Deadline,
    NotLoadedError,
    Staleness,
    caller_document,
    subjects,
)
from podgraft.service.store.caller_document import TokenHash
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
        return CallerRegistry(known, {"staging": OLD}, {"broken": NotLoadedError("broken")})


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
        assert found == Principal(case.want, OLD if case.want == "staging" else None)
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
