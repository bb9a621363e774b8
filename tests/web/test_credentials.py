"""What a call brings to prove who sends it."""

from typing import Any

import pytest

from events.kept import PATH_TOKEN, SUBJECT, TOKEN
from podgraft.web import credentials, subjects
from podgraft.web.credentials import Credentials

PARSED = subjects.parse(SUBJECT)


class Socket:
    """The face of an ``ssl.SSLSocket`` that gunicorn shows."""

    def __init__(self, peer: dict[str, Any]) -> None:
        self._peer = peer

    def getpeercert(self) -> dict[str, Any]:
        return self._peer


PEER = {"subject": ((("organizationName", "podgraft-clusters"),), (("commonName", "prod-eu"),))}
VERIFIED = {"requestContext": {"authentication": {"clientCert": {"subjectDN": SUBJECT}}}}

SHOWN: tuple[tuple[str, dict[str, Any], Credentials], ...] = (
    ("nothing", {}, Credentials((), None, "")),
    ("a source", {"REMOTE_ADDR": "192.0.2.7"}, Credentials((), None, "192.0.2.7")),
    ("bearer", {"HTTP_AUTHORIZATION": f"Bearer {TOKEN}"}, Credentials((TOKEN,), None, "")),
    ("bearer in small letters", {"HTTP_AUTHORIZATION": "bearer a"}, Credentials(("a",), None, "")),
    ("bearer of nothing", {"HTTP_AUTHORIZATION": "Bearer "}, Credentials((), None, "")),
    ("basic", {"HTTP_AUTHORIZATION": "Basic cHJvZA=="}, Credentials((), None, "")),
    ("in the path", {"podgraft.path_token": "p"}, Credentials(("p",), None, "")),
    (
        "both",
        {"podgraft.path_token": "p", "HTTP_AUTHORIZATION": "Bearer b"},
        Credentials(("p", "b"), None, ""),
    ),
    ("a certificate at the gateway", {"aws.event": VERIFIED}, Credentials((), PARSED, "")),
    ("a certificate at gunicorn", {"gunicorn.socket": Socket(PEER)}, Credentials((), PARSED, "")),
    ("gunicorn without one", {"gunicorn.socket": Socket({})}, Credentials((), None, "")),
    ("gunicorn without TLS", {"gunicorn.socket": object()}, Credentials((), None, "")),
)


@pytest.mark.parametrize(("name", "environ", "wanted"), SHOWN, ids=[name for name, _, _ in SHOWN])
def test_credentials_are_read_from_where_they_stand(
    name: str, environ: dict[str, Any], wanted: Credentials
) -> None:
    assert credentials.read(environ) == wanted, name


def test_a_header_cannot_pretend_to_be_a_certificate() -> None:
    forged = {
        "HTTP_X_AMZN_CLIENT_CERT": SUBJECT,
        "HTTP_AWS_EVENT": "x",
        "HTTP_PODGRAFT_PATH_TOKEN": "p",
    }
    assert credentials.read(forged) == Credentials((), None, "")


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
    credentials.take_path_token(environ)
    assert (environ.get("podgraft.path_token"), environ["PATH_INFO"]) == (token, rest)
