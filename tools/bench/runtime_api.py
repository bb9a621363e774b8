"""The Runtime API of Lambda on loopback, for the real runtime client and the real handler.

AWS documents the API (Lambda developer guide, "Using the Lambda runtime API"): the client gets
the next event, and posts a response or an error for it, or an error of its initialization. This API
returns events one by one, and stores the messages of the client with their times.
"""

import json
import os
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from threading import Thread
from time import monotonic
from typing import IO, Any

import msgspec

PREFIX = "/2018-06-01/runtime/"
TRACE = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"
INVOCATION_HEADERS = {
    "Lambda-Runtime-Aws-Request-Id": "8476a536-e9f4-11e8-9739-2dfe598c3fcd",
    "Lambda-Runtime-Deadline-Ms": "9999999999999",
    "Lambda-Runtime-Trace-Id": TRACE,
    "Lambda-Runtime-Invoked-Function-Arn": "arn:aws:lambda:eu-central-1:0:function:p",
}


@dataclass(frozen=True, slots=True)
class ClientMessage:
    """One message of the runtime client: ``next``, ``response``, ``error`` or ``init/error``."""

    kind: str
    body: Any
    received_at: float


class RuntimeApi:
    """The API; ``invoke`` sends one event and returns the message of the client."""

    def __init__(
        self, address: str, messages: "Queue[ClientMessage]", events: "Queue[bytes]"
    ) -> None:
        self.address = address
        self._messages = messages
        self._events = events

    def next_message(self, seconds: float = 30.0) -> ClientMessage:
        """The client's next message; ``queue.Empty`` where none comes in time."""
        return self._messages.get(timeout=seconds)

    def invoke(self, event: Mapping[str, Any]) -> ClientMessage:
        """Hand out one event and wait for its response or error."""
        self._events.put(_encode(event))
        response = self.next_message()
        return response if response.kind != "next" else self.next_message()


def _encode(event: Mapping[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(event)
    except UnicodeEncodeError:  # a lone surrogate, which JSON can escape
        return json.dumps(event).encode()


@contextmanager
def serve_runtime_api() -> Generator[RuntimeApi]:
    """Serve the API on a free port of loopback."""
    messages: Queue[ClientMessage] = Queue()
    events: Queue[bytes] = Queue()

    class Handler(_Handler):
        inbox, outbox = messages, events

    with _Server(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        host, port = server.server_address[:2]
        try:
            yield RuntimeApi(f"{host!s}:{port}", messages, events)
        finally:
            events.put(b"")
            server.shutdown()


@contextmanager
def start_runtime_client(
    address: str,
    environment: Mapping[str, str],
    folder: Path,
    *,
    python: str = sys.executable,
    handler: str = "handler.handler",
    output: "IO[bytes] | int" = subprocess.PIPE,
) -> Generator["subprocess.Popen[bytes]"]:
    """Start AWS's runtime client on the handler in *folder*; end it with the block.

    *address* is that of a Runtime API. The process gets *environment* and PATH. A long run needs
    another *output* than a pipe, which would fill.
    """
    process = subprocess.Popen(
        [python, "-m", "awslambdaric", handler],
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "AWS_LAMBDA_RUNTIME_API": address,
            "AWS_LAMBDA_FUNCTION_NAME": "podgraft",
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "1024",
            "LAMBDA_TASK_ROOT": str(folder),
            **environment,
        },
        stdout=output,
        stderr=subprocess.STDOUT,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log nothing about clients that were stopped while they waited."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Without these two, every exchange waits for a delayed acknowledgement.
    disable_nagle_algorithm = True
    wbufsize = -1

    inbox: "Queue[ClientMessage]"
    outbox: "Queue[bytes]"

    def do_GET(self) -> None:
        """Answer ``invocation/next`` with the next event, once there is one."""
        self.inbox.put(ClientMessage("next", None, monotonic()))
        event = self.outbox.get()
        if event:
            self._respond(HTTPStatus.OK, event, INVOCATION_HEADERS)

    def do_POST(self) -> None:
        """Keep a response or an error."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        action = self.path.removeprefix(PREFIX).rpartition("/")[2]
        action = "init/error" if self.path.endswith("init/error") else action
        self.inbox.put(ClientMessage(action, msgspec.json.decode(body), monotonic()))
        self._respond(HTTPStatus.ACCEPTED, b"{}", {})

    def _respond(self, status: HTTPStatus, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 — the base class's name
        """Log nothing."""
