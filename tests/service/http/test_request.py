"""What the services read of a request, and whom it shows."""

from io import BytesIO
from typing import Any

import pytest

from podgraft.base.deadline import Deadline
from podgraft.service.http import Auth
from podgraft.service.http.authentication import make_authenticator
from podgraft.service.http.errors import UnauthenticatedError
from podgraft.service.http.request import Request, hide_token, read_request
from podgraft.service.store import CallerRegistry, Callers, subjects
from support.store_fixture import PATH_TOKEN, SUBJECT, TOKEN

PARSED = subjects.parse_subject(SUBJECT)


class Socket:
    """The face of an ``ssl.SSLSocket`` that gunicorn shows."""

    def __init__(self, peer: dict[str, Any]) -> None:
        self._peer = peer

    def getpeercert(self) -> dict[str, Any]:
        return self._peer


class UnreadableSocket:
    """A connection with a certificate whose name is no UTF-8."""

    def getpeercert(self) -> dict[str, Any]:
        return {"subject": b"\xff".decode()}


PEER = {"subject": ((("organizationName", "podgraft-clusters"),), (("commonName", "prod-eu"),))}
VERIFIED = {"requestContext": {"authentication": {"clientCert": {"subjectDN": SUBJECT}}}}


def read(environ: dict[str, Any], *, certificates: bool = True) -> Request:
    return read_request({"wsgi.input": BytesIO(), **environ}, certificates=certificates)


TOKENS: tuple[tuple[dict[str, Any], tuple[str, ...]], ...] = (
    ({}, ()),
    ({"HTTP_AUTHORIZATION": f"Bearer {TOKEN}"}, (TOKEN,)),
    ({"HTTP_AUTHORIZATION": "bearer a"}, ("a",)),
    ({"HTTP_AUTHORIZATION": "Bearer "}, ()),
    ({"HTTP_AUTHORIZATION": "Basic cHJvZA=="}, ()),
    ({"podgraft.path_token": "p"}, ("p",)),
    ({"podgraft.path_token": ""}, ()),
    ({"podgraft.path_token": "p", "HTTP_AUTHORIZATION": "Bearer b"}, ("p", "b")),
)


@pytest.mark.parametrize(("environ", "tokens"), TOKENS)
def test_tokens_are_read_from_path_and_field(
    environ: dict[str, Any], tokens: tuple[str, ...]
) -> None:
    assert read(environ).tokens == tokens


CERTIFICATES: tuple[tuple[dict[str, Any], bool], ...] = (
    ({}, False),
    ({"aws.event": VERIFIED}, True),
    ({"gunicorn.socket": Socket(PEER)}, True),
    ({"gunicorn.socket": Socket({})}, False),
    ({"gunicorn.socket": object()}, False),
    ({"gunicorn.socket": UnreadableSocket()}, False),
    ({"aws.event": {"requestContext": {"authentication": None}}}, False),
)


@pytest.mark.parametrize(("environ", "has_one"), CERTIFICATES)
def test_a_certificate_is_read_from_gateway_and_connection(
    environ: dict[str, Any], has_one: bool
) -> None:
    certificate = read(environ).certificate
    assert (certificate.subject if certificate else None) == (PARSED if has_one else None)
    assert read(environ, certificates=False).certificate is None


NOW = 1_800_000_000  # 2027-01-15 08:00:00
ENDS: Any = (
    ("Jan 25 08:00:00 2027 GMT", 10),
    ("Jan 25 07:59:59 2027 GMT", 9),
    ("Jan 15 08:00:00 2027 GMT", 0),
    ("2027-01-25T08:00:00Z", None),
    ("", None),
    (5, None),
    (None, None),
)


class OneCaller:
    """A store in which one cluster has the subject."""

    def callers(self, deadline: Deadline | None = None) -> CallerRegistry:
        del deadline
        return CallerRegistry({"prod-eu": Callers((), (SUBJECT,))})


@pytest.mark.parametrize(("end", "days"), ENDS)
def test_the_days_of_a_certificate(
    end: Any, days: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("podgraft.base.system.wall_seconds", lambda: NOW)
    certificate = {"subjectDN": SUBJECT, "validity": {"notAfter": end}}
    event = {"requestContext": {"authentication": {"clientCert": certificate}}}
    requests = [read({"aws.event": event})]
    if isinstance(end, str):  # ssl returns text
        requests.append(read({"gunicorn.socket": Socket({**PEER, "notAfter": end})}))
    authenticate = make_authenticator(Auth.MTLS, OneCaller())
    for request in requests:
        assert authenticate(request, None).certificate_days == days


def test_an_expired_certificate_is_refused_on_an_open_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And in a resumed session: TLS does not compare the time again."""
    monkeypatch.setattr("podgraft.base.system.wall_seconds", lambda: NOW)
    request = read({"gunicorn.socket": Socket({**PEER, "notAfter": "Jan 15 07:59:59 2027 GMT"})})
    with pytest.raises(UnauthenticatedError, match="has expired") as error:
        make_authenticator(Auth.MTLS, OneCaller())(request, None)
    assert error.value.token_cluster == "prod-eu"


def test_a_header_cannot_pretend_to_be_a_certificate() -> None:
    forged = {
        "HTTP_X_AMZN_CLIENT_CERT": SUBJECT,
        "HTTP_AWS_EVENT": "x",
        "HTTP_PODGRAFT_PATH_TOKEN": "p",
    }
    request = read(forged)
    assert (request.tokens, request.certificate) == ((), None)


PATHS = (
    ("/inject", None, "/inject"),
    ("/k/abc/inject/cluster/prod-eu", "abc", "/inject/cluster/prod-eu"),
    (f"/k/{PATH_TOKEN}/istio/inject", PATH_TOKEN, "/istio/inject"),
    ("/k/abc", "abc", ""),
    ("/k/", "", ""),
    ("/k//inject", "", "/inject"),
    ("/kk/abc/inject", None, "/kk/abc/inject"),
    ("/k", None, "/k"),
)


@pytest.mark.parametrize(("path", "token", "rest"), PATHS)
def test_a_token_is_taken_out_of_the_path(path: str, token: str | None, rest: str) -> None:
    environ: dict[str, Any] = {"PATH_INFO": path}
    hide_token(environ)
    assert (read(environ).path_token, environ["PATH_INFO"]) == (token, rest)
