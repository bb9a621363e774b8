"""The clients of AWS: no call takes longer than its time, and a closed connection is made again."""

import logging
import socket
from collections.abc import Generator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event
from time import monotonic, sleep

import pytest

from podgraft.service.store.aws import clients
from podgraft.service.store.aws.client import (
    MAX_OBJECT_BYTES,
    AwsServiceError,
    RetryBudget,
    call_with_retries,
)
from podgraft.service.store.aws.clients import S3
from support.patience import GENEROUS_SECONDS, PATIENT_CONFIG
from support.server_thread import run_server

LITTLE, ENOUGH = 0.2, 20.0
SLACK = 10.0  # of a busy machine; less than a client waits by itself (patient_clients)


class _Handler(BaseHTTPRequestHandler):
    """Logs nothing."""

    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 — the base class's name
        """Say nothing."""

    def respond(self, content: bytes, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


class _PortHandler(_Handler):
    """Keeps its connections; answers with who is asking, by the client's port."""

    def do_GET(self) -> None:
        self.respond(str(self.client_address[1]).encode())


class _ClosingHandler(_PortHandler):
    """Closes the connection after the response, which does not announce it."""

    def do_GET(self) -> None:
        super().do_GET()
        self.close_connection = True


class _EndlessHandler(_Handler):
    """Sends zeros, more than a function has memory."""

    def do_GET(self) -> None:
        with suppress(OSError):
            self.send_response(200)
            self.send_header("Content-Length", str(1 << 40))
            self.end_headers()
            while True:
                self.wfile.write(bytes(1 << 20))


class _TruncatingHandler(_Handler):
    """Sends a part of what the header states."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "100")
        self.end_headers()
        self.wfile.write(b"x")
        self.close_connection = True


class _ThrottlingHandler(_Handler):
    def do_GET(self) -> None:
        self.respond(b"<Error><Code>SlowDown</Code></Error>", 503)


class _ResettingHandler(_Handler):
    def do_GET(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.connection.close()
        self.close_connection = True


class _SlowBodyHandler(_Handler):
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


@contextmanager
def serve_s3(
    handler: type[BaseHTTPRequestHandler], monkeypatch: pytest.MonkeyPatch
) -> Generator[S3]:
    """S3 on loopback that answers so."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        with run_server(server):
            yield make_s3(f"http://127.0.0.1:{server.server_address[1]}", monkeypatch)


def make_s3(url: str, monkeypatch: pytest.MonkeyPatch) -> S3:
    """The client of a function whose S3 is there."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", url)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    return clients.make_clients()[1]


@pytest.fixture
def patient_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let clients wait long by themselves: only the time of the call can end a test early."""
    monkeypatch.setattr(clients, "CONFIG", PATIENT_CONFIG)


@contextmanager
def assert_ends_within(seconds: float) -> Generator[None]:
    """What is done inside is given up then, give or take what a busy machine takes."""
    started = monotonic()
    with pytest.raises(TimeoutError):
        yield
    assert monotonic() - started < seconds + SLACK


def test_the_next_call_uses_the_same_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve_s3(_PortHandler, monkeypatch) as s3:
        assert len({s3.read("bucket", "key", ENOUGH) for _ in range(3)}) == 1


def test_a_connection_that_was_closed_meanwhile_is_made_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At once, or with the repetition of the call if the client does not know it yet."""
    with serve_s3(_ClosingHandler, monkeypatch) as s3:
        budget = RetryBudget.from_seconds(ENOUGH)
        ports = {
            call_with_retries("read", lambda seconds: s3.read("bucket", "key", seconds), budget)
            for _ in range(3)
        }
        assert len(ports) == 3


def test_a_large_object_is_read_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve_s3(_EndlessHandler, monkeypatch) as s3:
        assert len(s3.read("bucket", "key", ENOUGH)) == MAX_OBJECT_BYTES + 1


def test_a_truncated_object_is_an_error_of_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve_s3(_TruncatingHandler, monkeypatch) as s3, pytest.raises(ConnectionError):
        s3.read("bucket", "key", ENOUGH)


def test_an_error_of_the_service_has_its_code(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve_s3(_ThrottlingHandler, monkeypatch) as s3, pytest.raises(AwsServiceError) as raised:
        s3.read("bucket", "key", ENOUGH)
    assert (raised.value.code, raised.value.status) == ("SlowDown", 503)


def test_a_reset_is_an_error_of_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve_s3(_ResettingHandler, monkeypatch) as s3, pytest.raises(ConnectionError):
        s3.read("bucket", "key", ENOUGH)


@pytest.mark.usefixtures("patient_clients")
@pytest.mark.parametrize("handler", [_SlowBodyHandler, _SlowHeaderHandler, _SlowStatusHandler])
def test_a_response_that_trickles_is_given_up(
    handler: type[BaseHTTPRequestHandler], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve_s3(handler, monkeypatch) as s3, assert_ends_within(LITTLE):
        s3.read("bucket", "key", LITTLE)


@pytest.mark.usefixtures("patient_clients")
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_server_without_a_response_is_given_up(
    scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listening:
        s3 = make_s3(f"{scheme}://127.0.0.1:{listening.getsockname()[1]}", monkeypatch)
        for _ in range(2):
            with assert_ends_within(LITTLE):
                s3.read("bucket", "key", LITTLE)


@pytest.mark.usefixtures("patient_clients")
def test_a_name_that_no_one_resolves_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    asleep = Event()

    def never(*_: object, **__: object) -> list[object]:
        asleep.wait(GENEROUS_SECONDS)
        raise socket.gaierror

    s3 = make_s3("http://aws.example", monkeypatch)
    with monkeypatch.context() as patched:
        patched.setattr(socket, "getaddrinfo", never)
        with assert_ends_within(LITTLE):
            s3.read("bucket", "key", LITTLE)
        asleep.set()


def test_the_log_of_the_sdk_has_no_responses(monkeypatch: pytest.MonkeyPatch) -> None:
    logging.getLogger("botocore").setLevel(logging.DEBUG)
    make_s3("http://127.0.0.1:9", monkeypatch)
    assert not logging.getLogger("botocore.parsers").isEnabledFor(logging.DEBUG)
