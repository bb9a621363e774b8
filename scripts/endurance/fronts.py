"""What is loaded: ``podgraft serve``, and the Lambda handler behind a front on loopback.

The front does what API Gateway does: it turns an HTTP request into an event of payload format 2.0,
passes it to the handler, and turns the result into the response. The handler runs in Lambda's own
runtime client, as one environment: further requests wait for it.
"""

import json
import os
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import Any
from urllib.parse import urlsplit

from podgraft.cli.bench.bench_input import BenchmarkInput
from podgraft.cli.bench.runtime_api import RuntimeApi, serve_runtime_api, start_runtime_client
from podgraft.cli.bench.throughput import review_files, start_server

ROOT = Path(__file__).parents[2]
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Front:
    """A server that runs: where it listens, and the processes whose memory counts."""

    name: str
    host: str
    port: int
    authority: str
    connections: int
    root_pid: int

    def resident_bytes(self) -> int:
        """The memory of the process and its children: Linux's resident set."""
        return sum(_resident_bytes(pid) for pid in (self.root_pid, *_find_children(self.root_pid)))


def _find_children(pid: int) -> list[int]:
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(word) for word in path.read_text().split()]


def _resident_bytes(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_BYTES
    except FileNotFoundError:  # it ended meanwhile
        return 0


@contextmanager
def open_serve(inputs: BenchmarkInput, folder: Path) -> Generator[Front]:
    """``podgraft serve`` with two workers, over TLS."""
    for _ in review_files(inputs, folder):  # the first of which the server must inject
        pass
    with start_server(inputs, folder) as server:
        yield Front("serve", "127.0.0.1", server.port, str(server.authority), 8, server.pid)


@contextmanager
def open_lambda(inputs: BenchmarkInput, folder: Path) -> Generator[Front]:
    """The handler in Lambda's runtime client, behind the front."""
    store = inputs.write_store(folder / "store")
    environment = {
        "PYTHONPATH": str(ROOT / "layers" / "engine"),
        "PODGRAFT_STORE": f"file:{store}",
    }
    with (
        (folder / "log").open("wb") as log,
        serve_runtime_api() as api,
        start_runtime_client(
            api, environment, ROOT / "functions" / "webhook", python=sys.executable, output=log
        ) as process,
        _serve_front(api) as port,
    ):
        yield Front("Lambda handler", "127.0.0.1", port, "", 4, process.pid)


@contextmanager
def _serve_front(api: RuntimeApi) -> Generator[int]:
    environment_lock = Lock()

    class Handler(_FrontHandler):
        runtime, lock = api, environment_lock

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()


class _FrontHandler(BaseHTTPRequestHandler):
    """Turns a request into an event, and the result into a response."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    runtime: RuntimeApi
    lock: Any

    def do_POST(self) -> None:
        """Pass one request to the handler."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        event = make_event(self.path, dict(self.headers.items()), body, self.client_address[0])
        with self.lock:
            result = self.runtime.invoke(event)
        response: Mapping[str, Any] = (
            result.body if result.kind == "response" else {"statusCode": 502}
        )
        text = str(response.get("body", "")).encode()
        self.send_response(response["statusCode"])
        for name, value in dict(response.get("headers", {})).items():
            if name.lower() != "content-length":
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Log nothing."""


def make_event(target: str, headers: Mapping[str, str], body: bytes, source: str) -> dict[str, Any]:
    """The event of payload format 2.0 for a POST."""
    url = urlsplit(target)
    http = {"method": "POST", "path": url.path, "protocol": "HTTP/1.1", "sourceIp": source}
    return {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": url.path,
        "rawQueryString": url.query,
        "headers": {name.lower(): value for name, value in headers.items()},
        "requestContext": {"http": http, "stage": "$default"},
        "body": body.decode("utf-8", "replace"),
        "isBase64Encoded": False,
    }


def run_generator(plan: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Run the load generator in a process of its own; return its results."""
    path = folder / "plan.json"
    path.write_text(json.dumps(plan))
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("generator.py")), str(path)],
        check=True,
        capture_output=True,
        text=True,
        timeout=2 * plan["seconds"] + 120,
    )
    return json.loads(done.stdout.splitlines()[-1])
