"""What a call brings to prove who sends it."""

from typing import Any

import pytest

from podgraft.store import subjects
from podgraft.web import credentials
from podgraft.web.credentials import CallerCredentials
from support.store_fixture import PATH_TOKEN, SUBJECT, TOKEN

PARSED = subjects.parse_subject(SUBJECT)


class Socket:
    """The face of an ``ssl.SSLSocket`` that gunicorn shows."""

    def __init__(self, peer: dict[str, Any]) -> None:
        self._peer = peer

    def getpeercert(self) -> dict[str, Any]:
        return self._peer


PEER = {"subject": ((("organizationName", "podgraft-clusters"),), (("commonName", "prod-eu"),))}
VERIFIED = {"requestContext": {"authentication": {"clientCert": {"subjectDN": SUBJECT}}}}

SHOWN: tuple[tuple[str, dict[str, Any], CallerCredentials], ...] = (
    ("nothing", {}, CallerCredentials((), None, "")),
    ("a source", {"REMOTE_ADDR": "192.0.2.7"}, CallerCredentials((), None, "192.0.2.7")),
    ("bearer", {"HTTP_AUTHORIZATION": f"Bearer {TOKEN}"}, CallerCredentials((TOKEN,), None, "")),
    (
        "bearer in small letters",
        {"HTTP_AUTHORIZATION": "bearer a"},
        CallerCredentials(("a",), None, ""),
    ),
    ("bearer of nothing", {"HTTP_AUTHORIZATION": "Bearer "}, CallerCredentials((), None, "")),
    ("basic", {"HTTP_AUTHORIZATION": "Basic cHJvZA=="}, CallerCredentials((), None, "")),
    ("in the path", {"podgraft.path_token": "p"}, CallerCredentials(("p",), None, "")),
    (
        "both",
        {"podgraft.path_token": "p", "HTTP_AUTHORIZATION": "Bearer b"},
        CallerCredentials(("p", "b"), None, ""),
    ),
    ("a certificate at the gateway", {"aws.event": VERIFIED}, CallerCredentials((), PARSED, "")),
    (
        "a certificate at gunicorn",
        {"gunicorn.socket": Socket(PEER)},
        CallerCredentials((), PARSED, ""),
    ),
    ("gunicorn without one", {"gunicorn.socket": Socket({})}, CallerCredentials((), None, "")),
    ("gunicorn without TLS", {"gunicorn.socket": object()}, CallerCredentials((), None, "")),
)


@pytest.mark.parametrize(("name", "environ", "wanted"), SHOWN, ids=[name for name, _, _ in SHOWN])
def test_credentials_are_read_from_each_source(
    name: str, environ: dict[str, Any], wanted: CallerCredentials
) -> None:
    assert credentials.extract_credentials(environ) == wanted, name


NOW = 1_800_000_000  # 2027-01-15 08:00:00
ENDS: Any = (
    ("Jan 25 08:00:00 2027 GMT", 10),
    ("Jan 25 07:59:59 2027 GMT", 9),
    ("Jan  5 08:00:00 2027 GMT", -10),
    ("2027-01-25T08:00:00Z", None),
    ("", None),
    (5, None),
    (None, None),
)


# The module ssl returns text only.
SOURCES = [
    (*case, source)
    for case in ENDS
    for source in ("gateway", "socket")
    if source == "gateway" or isinstance(case[0], str)
]


@pytest.mark.parametrize(("end", "days", "source"), SOURCES)
def test_the_days_of_a_certificate(
    end: Any, days: int | None, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("podgraft.web.credentials.time.time", lambda: NOW)
    certificate = {"subjectDN": SUBJECT, "validity": {"notAfter": end}}
    event = {"requestContext": {"authentication": {"clientCert": certificate}}}
    environ: dict[str, Any] = (
        {"aws.event": event}
        if source == "gateway"
        else {"gunicorn.socket": Socket({**PEER, "notAfter": end})}
    )
    assert credentials.extract_credentials(environ).certificate_days == days
    assert credentials.extract_credentials(environ, certificates=False).certificate_days is None


def test_a_header_cannot_pretend_to_be_a_certificate() -> None:
    forged = {
        "HTTP_X_AMZN_CLIENT_CERT": SUBJECT,
        "HTTP_AWS_EVENT": "x",
        "HTTP_PODGRAFT_PATH_TOKEN": "p",
    }
    assert credentials.extract_credentials(forged) == CallerCredentials((), None, "")


PATHS = (
    ("/inject", None, "/inject"),
    ("/k/abc/inject/cluster/prod-eu", "abc", "/inject/cluster/prod-eu"),
    (f"/k/{PATH_TOKEN}/istio/inject", PATH_TOKEN, "/istio/inject"),
    ("/k/abc", "abc", "/"),
    ("/k/", "", "/"),
    ("/k//inject", "", "/inject"),
    ("/kk/abc/inject", None, "/kk/abc/inject"),
    ("/k", None, "/k"),
)


@pytest.mark.parametrize(("path", "token", "rest"), PATHS)
def test_a_token_is_taken_out_of_the_path(path: str, token: str | None, rest: str) -> None:
    environ: dict[str, Any] = {"PATH_INFO": path}
    credentials.extract_path_token(environ)
    assert (environ.get("podgraft.path_token"), environ["PATH_INFO"]) == (token, rest)
