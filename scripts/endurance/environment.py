"""One environment of the function behind an HTTP front: one process that prints its port.

The front does what API Gateway does: it turns an HTTP request into an event of payload format 2.0,
passes it to the handler, and turns the result into the response. The handler runs in Lambda's own
runtime client. The process ends when its standard input is closed.
"""

import json
import os
import sys
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import Any
from urllib.parse import urlsplit

from podgraft.cli.bench.runtime_api import RuntimeApi, serve_runtime_api, start_runtime_client

ROOT = Path(__file__).parents[2]


class FrontHandler(BaseHTTPRequestHandler):
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


def main() -> None:
    """Serve until the standard input is closed."""
    variables = {
        "PYTHONPATH": str(ROOT / "layers" / "engine"),
        "PODGRAFT_STORE": os.environ["PODGRAFT_STORE"],
    }
    with (
        serve_runtime_api() as api,
        start_runtime_client(
            api, variables, ROOT / "functions" / "webhook", output=sys.stderr.fileno()
        ) as client,
    ):
        handler = type("Handler", (FrontHandler,), {"runtime": api, "lock": Lock()})
        with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            server.daemon_threads = True
            Thread(target=server.serve_forever, daemon=True).start()
            print(json.dumps({"port": server.server_address[1], "pid": client.pid}), flush=True)
            sys.stdin.read()
            server.shutdown()


if __name__ == "__main__":
    main()
