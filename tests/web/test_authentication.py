"""Who may call for which cluster: token, certificate, and neither."""

from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from events.kept import OTHER_TOKEN, SUBJECT, TOKEN
from podgraft.store import Book, Callers, Deadline, NotLoadedError, Stale, tokens
from podgraft.store.tokens import TokenHash
from podgraft.web import Auth, subjects
from podgraft.web.authentication import Known, gate
from podgraft.web.credentials import Credentials
from podgraft.web.errors import ForbiddenError, UnauthenticatedError


def hashed(*known: str) -> tuple[TokenHash, ...]:
    return tuple(TokenHash(tokens.digest(token), "") for token in known)


OLD = Stale("older", refused=True)


class Register:
    """A store of callers in memory."""

    def callers(self, deadline: Deadline | None = None) -> Book:
        del deadline
        known = {
            "prod-eu": Callers(hashed("old", TOKEN), (SUBJECT,)),
            "staging": Callers(hashed(OTHER_TOKEN), ("CN=staging",)),
            "twin-a": Callers(hashed("shared"), ("CN=twin",)),
            "twin-b": Callers(hashed("shared"), ("CN=twin", "no subject")),
            "nobody": Callers(),
        }
        return Book(known, {"staging": OLD}, {"broken": NotLoadedError("broken")})


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    auth: Auth
    shown: tuple[str, ...]
    want: str | type[Exception]


def by(token: str | None, want: str | type[Exception], name: str) -> Case:
    return Case(name, Auth.TOKEN, () if token is None else (token,), want)


def cert(subject: str | None, want: str | type[Exception], name: str) -> Case:
    return Case(name, Auth.MTLS, () if subject is None else (subject,), want)


CASES = (
    by(TOKEN, "prod-eu", "the cluster's token"),
    by("old", "prod-eu", "its other token"),
    by(None, UnauthenticatedError, "no token"),
    by("guess", NotLoadedError, "a token that may be of a cluster whose callers do not load"),
    by(tokens.digest(TOKEN), NotLoadedError, "the hash in place of the token"),
    by(OTHER_TOKEN, "staging", "a cluster whose callers may be older"),
    by("shared", ForbiddenError, "a token of two clusters"),
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
    check = gate(case.auth, Register())
    subject = subjects.parse(case.shown[0]) if case.auth is Auth.MTLS and case.shown else None
    shown = Credentials(case.shown if case.auth is Auth.TOKEN else (), subject, "192.0.2.7")
    if isinstance(case.want, str):
        found = check(shown, None)
        assert found == Known(case.want, OLD if case.want == "staging" else None)
        return
    with pytest.raises(case.want) as error:
        check(shown, None)
    assert not any(token and token in str(error.value) for token in case.shown)


@pytest.mark.parametrize("auth", [Auth.TOKEN, Auth.MTLS])
@pytest.mark.parametrize("wrong", ["guess", tokens.digest(TOKEN)])
def test_an_unknown_credential_is_refused_where_all_documents_load(auth: Auth, wrong: str) -> None:
    store = _Rewritten()
    store.now = {"prod-eu": Callers(hashed(TOKEN), (SUBJECT,))}
    shown = Credentials((wrong,), subjects.parse(f"CN={wrong}"), "")
    with pytest.raises(UnauthenticatedError):
        gate(auth, store)(shown, None)


@pytest.mark.parametrize("auth", [Auth.TOKEN, Auth.MTLS])
def test_one_kind_of_credential_is_no_substitute_for_the_other(auth: Auth) -> None:
    wrong = {
        Auth.TOKEN: Credentials((), subjects.parse(SUBJECT), ""),
        Auth.MTLS: Credentials((TOKEN,), None, ""),
    }
    with pytest.raises(UnauthenticatedError):
        gate(auth, Register())(wrong[auth], None)


@pytest.mark.parametrize("shown", [(), (TOKEN,)])
def test_without_authentication_no_cluster_is_named(shown: tuple[str, ...]) -> None:
    credentials = Credentials(shown, subjects.parse(SUBJECT), "")
    assert gate(Auth.NONE, Register())(credentials, None) == Known(None)


class _Rewritten:
    """A store of callers that changes between two calls."""

    def __init__(self) -> None:
        self.now: Mapping[str, Callers] = {}

    def callers(self, deadline: Deadline | None = None) -> Book:
        del deadline
        return Book(self.now)


def test_subjects_are_those_of_the_callers_now() -> None:
    store = _Rewritten()
    known = gate(Auth.MTLS, store)
    shown = Credentials((), subjects.parse("CN=prod"), "")
    for cluster in ("first", "second"):
        store.now = {cluster: Callers(subjects=("CN=prod",))}
        assert known(shown, None).cluster == cluster
    store.now = {"first": Callers(subjects=("CN=another",))}
    with pytest.raises(UnauthenticatedError):
        known(shown, None)
