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
    cluster: str | None
    want: str | type[Exception]


def by(token: str | None, cluster: str | None, want: str | type[Exception], name: str) -> Case:
    return Case(name, Auth.TOKEN, () if token is None else (token,), cluster, want)


def cert(subject: str | None, cluster: str | None, want: str | type[Exception], name: str) -> Case:
    return Case(name, Auth.MTLS, () if subject is None else (subject,), cluster, want)


CASES = (
    by(TOKEN, "prod-eu", "prod-eu", "the cluster's token"),
    by("old", "prod-eu", "prod-eu", "its other token"),
    by(TOKEN, None, "prod-eu", "a URL without a cluster is the token's own"),
    by(TOKEN, "staging", ForbiddenError, "another cluster in the URL"),
    by(TOKEN, "unknown", ForbiddenError, "an unknown cluster in the URL"),
    by(TOKEN, "nobody", ForbiddenError, "a cluster that nobody may call for"),
    by("guess", "prod-eu", UnauthenticatedError, "an unknown token"),
    by("", "prod-eu", UnauthenticatedError, "an empty token"),
    by(None, "prod-eu", UnauthenticatedError, "no token"),
    by(None, "broken", UnauthenticatedError, "no token for a cluster that is not known"),
    by(TOKEN, "broken", NotLoadedError, "a cluster whose callers do not load"),
    by("guess", "broken", NotLoadedError, "a token that may be of such a cluster, named"),
    by("guess", None, NotLoadedError, "a token that may be of such a cluster, not named"),
    by(tokens.digest(TOKEN), "prod-eu", UnauthenticatedError, "the hash in place of the token"),
    by(OTHER_TOKEN, None, "staging", "a cluster whose callers may be older"),
    by("shared", "twin-b", "twin-b", "a token of two clusters, one of them named"),
    by("shared", None, ForbiddenError, "a token of two clusters, none of them named"),
    Case("one of two tokens", Auth.TOKEN, ("guess", TOKEN), "prod-eu", "prod-eu"),
    cert(SUBJECT, "prod-eu", "prod-eu", "the cluster's certificate"),
    cert("O=podgraft-clusters, CN=prod-eu", None, "prod-eu", "written the other way round"),
    cert(SUBJECT, "staging", ForbiddenError, "another cluster than the certificate's"),
    cert("CN=stranger", "prod-eu", UnauthenticatedError, "a certificate of nobody's"),
    cert(None, "prod-eu", UnauthenticatedError, "no certificate"),
    cert("CN=twin", "twin-b", "twin-b", "a certificate of two clusters"),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_credential_is_good_for_its_own_cluster(case: Case) -> None:
    check = gate(case.auth, Register())
    subject = subjects.parse(case.shown[0]) if case.auth is Auth.MTLS and case.shown else None
    shown = Credentials(case.shown if case.auth is Auth.TOKEN else (), subject, "192.0.2.7")
    if isinstance(case.want, str):
        found = check(shown, case.cluster, None)
        assert found == Known(case.want, OLD if case.want == "staging" else None)
        return
    with pytest.raises(case.want) as error:
        check(shown, case.cluster, None)
    assert not any(token and token in str(error.value) for token in case.shown)


@pytest.mark.parametrize("auth", [Auth.TOKEN, Auth.MTLS])
def test_one_kind_of_credential_is_no_substitute_for_the_other(auth: Auth) -> None:
    wrong = {
        Auth.TOKEN: Credentials((), subjects.parse(SUBJECT), ""),
        Auth.MTLS: Credentials((TOKEN,), None, ""),
    }
    with pytest.raises(UnauthenticatedError):
        gate(auth, Register())(wrong[auth], "prod-eu", None)


@pytest.mark.parametrize("cluster", [None, "anything"])
def test_without_authentication_the_url_is_believed(cluster: str | None) -> None:
    assert gate(Auth.NONE, Register())(Credentials((), None, ""), cluster, None) == Known(cluster)


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
        assert known(shown, None, None).cluster == cluster
    store.now = {"first": Callers(subjects=("CN=another",))}
    with pytest.raises(UnauthenticatedError):
        known(shown, None, None)
