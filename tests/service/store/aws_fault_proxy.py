"""A proxy in front of moto that fails on purpose: what AWS does on its bad days, on loopback.

Real clients talk to it over real sockets, so that time-outs, resets and truncation are the
operating system's and not a mock's.
"""

import socket
import struct
from collections.abc import Generator
from contextlib import contextmanager
from enum import StrEnum
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event
from typing import Any

from support.aws_account import start_account
from support.server_thread import run_server


class Fault(StrEnum):
    """A way not to answer."""

    THROTTLED = "throttled"
    SERVER_ERROR = "5xx"
    DENIED = "access denied"
    TIMEOUT = "timeout"
    RESET = "connection reset"
    TRUNCATED = "truncated"


class Service(StrEnum):
    """Whose answers fail."""

    SSM = "ssm"
    S3 = "s3"


# Status and error code, as each service words them.
_ERRORS = {
    (Service.SSM, Fault.THROTTLED): (400, "ThrottlingException"),
    (Service.SSM, Fault.SERVER_ERROR): (500, "InternalServerError"),
    (Service.SSM, Fault.DENIED): (400, "AccessDeniedException"),
    (Service.S3, Fault.THROTTLED): (503, "SlowDown"),
    (Service.S3, Fault.SERVER_ERROR): (500, "InternalError"),
    (Service.S3, Fault.DENIED): (403, "AccessDenied"),
}
# Longer than any client here waits.
_HANGING_SECONDS = 10


class FaultyAws:
    """Where it listens, which services fail how, and how often each was asked."""

    def __init__(self) -> None:
        self.endpoint = ""
        self.faults: dict[Service, Fault] = {}
        self.calls: list[Service] = []
        self.connections: set[Any] = set()  # the addresses of the clients that are connected
        self.released = Event()


@contextmanager
def faulty_aws() -> Generator[FaultyAws]:
    """Start moto and the proxy in front of it; everything in it is gone at the end."""
    state = FaultyAws()
    with start_account() as moto:
        handler = type("Handler", (_Handler,), {"state": state, "moto": moto})
        server = _Server(("127.0.0.1", 0), handler)
        with run_server(server):
            state.endpoint = f"http://127.0.0.1:{server.server_address[1]}"
            yield state
            state.released.set()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of connections that were broken on purpose."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    state: FaultyAws
    moto: tuple[str, int]

    def setup(self) -> None:
        super().setup()
        self.state.connections.add(self.client_address)

    def finish(self) -> None:
        self.state.connections.discard(self.client_address)
        super().finish()

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        service = Service.SSM if "X-Amz-Target" in self.headers else Service.S3
        self.state.calls.append(service)
        match self.state.faults.get(service):
            case None:
                self._send(*self._forward(body))
            case Fault.TIMEOUT:
                self.state.released.wait(_HANGING_SECONDS)
                self.close_connection = True
            case Fault.RESET:
                self._reset()
            case Fault.TRUNCATED:
                status, kind, answer = self._forward(body)
                self._send(status, kind, answer, cut=len(answer) // 2 + 1)
            case fault:
                self._send_error(service, *_ERRORS[service, fault])

    do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = _serve

    def _forward(self, body: bytes) -> tuple[int, str, bytes]:
        connection = HTTPConnection(*self.moto)
        connection.request(self.command, self.path, body, dict(self.headers))
        response = connection.getresponse()
        return response.status, response.headers.get("Content-Type", ""), response.read()

    def _send_error(self, service: Service, status: int, code: str) -> None:
        if service is Service.SSM:
            text = f'{{"__type":"{code}","message":"on purpose"}}'
            return self._send(status, "application/x-amz-json-1.1", text.encode())
        text = f"<Error><Code>{code}</Code><Message>on purpose</Message></Error>"
        return self._send(status, "application/xml", text.encode())

    def _send(self, status: int, kind: str, body: bytes, cut: int | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body if cut is None else body[: len(body) - cut])
        self.close_connection = cut is not None

    def _reset(self) -> None:
        # Lingering for no time makes close() send RST instead of FIN.
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 — the base class's name
        """Say nothing."""
