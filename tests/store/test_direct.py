"""Who speaks to AWS directly, and what becomes of connections that AWS closed meanwhile."""

import socket
from collections.abc import Generator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from time import monotonic, sleep

import pytest

from podgraft.store import aws, direct, sdk

LAMBDA = {
    "AWS_REGION": "eu-central-1",
    "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_SESSION_TOKEN": "session",
}

ENDPOINTS: tuple[tuple[str, dict[str, str], str, str], ...] = (
    ("Lambda's own", {}, "ssm.eu-central-1.amazonaws.com", "s3.eu-central-1.amazonaws.com"),
    (
        "China",
        {"AWS_REGION": "cn-north-1"},
        "ssm.cn-north-1.amazonaws.com.cn",
        "s3.cn-north-1.amazonaws.com.cn",
    ),
    ("one for all", {"AWS_ENDPOINT_URL": "https://x:1"}, "x:1", "x:1"),
    (
        "one for a service",
        {"AWS_ENDPOINT_URL": "https://x:1", "AWS_ENDPOINT_URL_S3": "https://y"},
        "x:1",
        "y",
    ),
)


@pytest.mark.parametrize(("_name", "more", "ssm", "s3"), ENDPOINTS, ids=[e[0] for e in ENDPOINTS])
def test_services_are_found(_name: str, more: dict[str, str], ssm: str, s3: str) -> None:
    account = direct.account(LAMBDA | more)
    assert account is not None
    assert [account.url(name) for name in ("ssm", "s3")] == [f"https://{ssm}", f"https://{s3}"]


INTRICATE: tuple[tuple[str, dict[str, str]], ...] = (
    ("no credentials", {"AWS_ACCESS_KEY_ID": ""}),
    ("no region", {"AWS_REGION": ""}),
    ("a profile", {"AWS_PROFILE": "operator"}),
    ("SnapStart", {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1:9001/c"}),
    ("FIPS", {"AWS_USE_FIPS_ENDPOINT": "true"}),
    ("a proxy", {"HTTPS_PROXY": "http://proxy:3128"}),
    ("tracing", {"POWERTOOLS_TRACE_DISABLED": "false"}),
    ("GovCloud", {"AWS_REGION": "us-gov-west-1"}),
    ("an isolated partition", {"AWS_REGION": "eu-isoe-west-1"}),
    ("a sovereign partition", {"AWS_REGION": "eusc-de-east-1"}),
)


@pytest.mark.parametrize(("_name", "more"), INTRICATE, ids=[each[0] for each in INTRICATE])
def test_what_is_more_than_lambdas_own_words_is_left_to_botocore(
    _name: str, more: dict[str, str]
) -> None:
    assert direct.account(LAMBDA | more) is None


def test_botocore_is_asked_for_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """``PODGRAFT_AWS_CLIENT=botocore``, the way back to the SDK."""
    monkeypatch.setenv("AWS_DEFAULT_REGION", LAMBDA["AWS_REGION"])
    by_lambda, by_name = aws.clients(LAMBDA), aws.clients(LAMBDA, botocore=True)
    assert [type(client).__module__ for client in by_lambda] == [direct.__name__] * 2
    assert [type(client).__module__ for client in by_name] == [sdk.__name__] * 2


class _Silent(BaseHTTPRequestHandler):
    """Logs nothing."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 — the base class's name
        """Say nothing."""


class _Forgetful(_Silent):
    """Answers, and closes the connection without a word of it."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        assert self.headers["User-Agent"] == "podgraft"
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"whole")
        self.close_connection = True


@contextmanager
def served(handler: type[BaseHTTPRequestHandler]) -> Generator[direct.S3]:
    """S3 on loopback that answers so."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        account = direct.account(LAMBDA | {"AWS_ENDPOINT_URL": url})
        assert account is not None
        try:
            yield direct.S3(account)
        finally:
            server.shutdown()


def test_a_connection_that_was_closed_meanwhile_is_made_again() -> None:
    with served(_Forgetful) as s3:
        assert [s3.read("bucket", "key") for _ in range(3)] == [b"whole"] * 3


class _Faithful(_Silent):
    """Keeps its connections; answers with who is asking, by the client's port."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        port = str(self.client_address[1]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(port)))
        self.end_headers()
        self.wfile.write(port)


def test_a_connection_is_kept() -> None:
    with served(_Faithful) as s3:
        assert len({s3.read("bucket", "key") for _ in range(3)}) == 1


class _Trickling(_Silent):
    """Never stops answering: a byte every so often."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        with suppress(OSError):
            for _ in range(1000):
                self.wfile.write(b"x")
                self.wfile.flush()
                sleep(0.05)


def test_an_answer_that_trickles_is_given_up() -> None:
    started = monotonic()
    with served(_Trickling) as s3, pytest.raises(TimeoutError):
        s3.read("bucket", "key")
    assert monotonic() - started < 2


def test_many_addresses_together_have_the_time_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """S3's name has eight; where there is no way to it, none of them answers."""

    class Deaf(socket.socket):
        def connect(self, address: object) -> None:
            del address
            sleep(self.gettimeout() or 0)
            raise TimeoutError

    def eight(host: str, port: int, **_: object) -> list[object]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, port))] * 8

    monkeypatch.setattr(direct, "getaddrinfo", eight)
    monkeypatch.setattr(direct, "socket", Deaf)
    account = direct.account(LAMBDA)
    assert account is not None
    started = monotonic()
    with pytest.raises(TimeoutError):
        direct.S3(account).read("bucket", "key")
    assert monotonic() - started < 1
