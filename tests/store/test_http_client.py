"""Who speaks to AWS directly, and what becomes of connections that AWS closed meanwhile."""

import socket
from collections.abc import Generator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from time import monotonic, sleep
from typing import Any, cast

import pytest
from botocore.config import Config
from botocore.session import get_session

from podgraft.store.aws import botocore_client, clients, connection, http_client
from podgraft.store.aws import client as aws

LAMBDA = {
    "AWS_REGION": "eu-central-1",
    "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_SESSION_TOKEN": "session",
}

ENOUGH = 2.0
LITTLE = 0.2
SLACK = 10.0  # of a busy machine; less than a client waits by itself (patient_clients)
PATIENT = 60.0

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
    account = http_client.config_from_environment(LAMBDA | more)
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
    assert http_client.config_from_environment(LAMBDA | more) is None


def test_botocore_is_selected_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """``PODGRAFT_AWS_CLIENT=botocore``, the way back to the SDK."""
    monkeypatch.setenv("AWS_DEFAULT_REGION", LAMBDA["AWS_REGION"])
    by_lambda, by_name = clients.make_clients(LAMBDA), clients.make_clients(LAMBDA, botocore=True)
    assert [type(client).__module__ for client in by_lambda] == [http_client.__name__] * 2
    assert [type(client).__module__ for client in by_name] == [botocore_client.__name__] * 2


class _SilentHandler(BaseHTTPRequestHandler):
    """Logs nothing."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 — the base class's name
        """Say nothing."""


class _ClosingHandler(_SilentHandler):
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
def serve_s3(handler: type[BaseHTTPRequestHandler]) -> Generator[http_client.S3]:
    """S3 on loopback that answers so."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        account = http_client.config_from_environment(LAMBDA | {"AWS_ENDPOINT_URL": url})
        assert account is not None
        try:
            yield http_client.S3(account)
        finally:
            server.shutdown()


def test_a_connection_that_was_closed_meanwhile_is_made_again() -> None:
    with serve_s3(_ClosingHandler) as s3:
        assert [s3.read("bucket", "key", ENOUGH) for _ in range(3)] == [b"whole"] * 3


class _KeepAliveHandler(_SilentHandler):
    """Keeps its connections; answers with who is asking, by the client's port."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        port = str(self.client_address[1]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(port)))
        self.end_headers()
        self.wfile.write(port)


def test_a_connection_is_retained() -> None:
    with serve_s3(_KeepAliveHandler) as s3:
        assert len({s3.read("bucket", "key", ENOUGH) for _ in range(3)}) == 1


class _SlowBodyHandler(_SilentHandler):
    """Never stops answering: a byte every so often."""

    start = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"

    def do_GET(self) -> None:
        with suppress(OSError):
            self.wfile.write(self.start)
            for _ in range(1000):
                self.wfile.write(b"x")
                self.wfile.flush()
                sleep(0.02)


class _SlowHeaderHandler(_SlowBodyHandler):
    start = b"HTTP/1.1 200 OK\r\nX-Long: "


class _SlowStatusHandler(_SlowBodyHandler):
    start = b"HTTP/1.1 200 "


@pytest.mark.usefixtures("patient_clients")
@pytest.mark.parametrize("handler", [_SlowBodyHandler, _SlowHeaderHandler, _SlowStatusHandler])
def test_a_response_that_trickles_is_given_up(handler: type[BaseHTTPRequestHandler]) -> None:
    with serve_s3(handler) as s3, assert_ends_within(LITTLE):
        s3.read("bucket", "key", LITTLE)


@contextmanager
def assert_ends_within(seconds: float) -> Generator[None]:
    """What is done inside is given up then, give or take what a busy machine takes."""
    started = monotonic()
    with pytest.raises(TimeoutError):
        yield
    assert monotonic() - started < seconds + SLACK


@contextmanager
def unresponsive_port() -> Generator[int]:
    """A port that takes connections and never says a word; its number."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listening:
        yield listening.getsockname()[1]


@pytest.fixture
def patient_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let clients wait long by themselves: only the time of the call can end a test early."""
    monkeypatch.setattr(http_client, "CONNECT_SECONDS", PATIENT)
    monkeypatch.setattr(http_client, "READ_SECONDS", PATIENT)
    patient = Config(connect_timeout=PATIENT, read_timeout=PATIENT)
    monkeypatch.setattr(botocore_client, "CONFIG", botocore_client.CONFIG.merge(patient))


WAYS = ("direct", "direct over TLS", "botocore")


def make_client(way: str, port: int) -> aws.ObjectStore:
    """A client of that kind for whatever listens on the port."""
    if way == "botocore":
        made = get_session().create_client(
            "s3",
            region_name="eu-central-1",
            endpoint_url=f"http://127.0.0.1:{port}",
            aws_access_key_id="test",
            aws_secret_access_key="test",
            config=botocore_client.CONFIG,
        )
        return botocore_client.S3(cast("Any", made))
    scheme = "https" if "TLS" in way else "http"
    account = http_client.config_from_environment(
        LAMBDA | {"AWS_ENDPOINT_URL": f"{scheme}://127.0.0.1:{port}"}
    )
    assert account is not None
    return http_client.S3(account)


@pytest.mark.usefixtures("patient_clients")
@pytest.mark.parametrize("way", WAYS)
def test_a_call_takes_no_longer_than_it_is_given(way: str) -> None:
    with unresponsive_port() as port:
        client = make_client(way, port)
        for _ in range(2):
            with assert_ends_within(LITTLE):
                client.read("bucket", "key", LITTLE)


@pytest.mark.usefixtures("patient_clients")
def test_a_response_that_trickles_is_given_up_through_botocore_too() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _SlowHeaderHandler) as server:
        server.daemon_threads = True
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        client = make_client("botocore", server.server_address[1])
        with assert_ends_within(LITTLE):
            client.read("bucket", "key", LITTLE)
        server.shutdown()


class _UnresponsiveSocket(socket.socket):
    """A socket that never connects, and the seconds that all of them waited."""

    waited = 0.0

    def connect(self, address: object) -> None:
        del address
        seconds = self.gettimeout() or 0
        type(self).waited += seconds
        sleep(seconds)
        raise TimeoutError


@pytest.mark.parametrize("seconds", [LITTLE, 1.2])
def test_many_addresses_together_have_the_time_of_one(
    seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S3's name has eight; where there is no way to it, none of them answers."""

    def eight(host: str, port: int, **_: object) -> list[object]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, port))] * 8

    monkeypatch.setattr(connection, "getaddrinfo", eight)
    monkeypatch.setattr(connection, "socket", _UnresponsiveSocket)
    monkeypatch.setattr(_UnresponsiveSocket, "waited", 0.0)
    with pytest.raises(TimeoutError):
        make_client("direct", 9).read("bucket", "key", seconds)
    assert 0 < _UnresponsiveSocket.waited <= min(seconds, aws.CONNECT_SECONDS)


@pytest.mark.usefixtures("patient_clients")
@pytest.mark.parametrize("way", ["direct", "botocore"])
def test_a_name_that_no_one_resolves_takes_no_longer_either(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asleep = Event()

    def never(*_: object, **__: object) -> list[object]:
        asleep.wait(PATIENT)
        raise socket.gaierror

    with monkeypatch.context() as patched:
        patched.setattr(connection, "getaddrinfo", never)
        patched.setattr(socket, "getaddrinfo", never)
        client = make_client(way, 9)
        with assert_ends_within(LITTLE):
            client.read("bucket", "key", LITTLE)
        asleep.set()
