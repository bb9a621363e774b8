"""One address of AWS for two local ones: the region in the signature of a request selects."""

import http.client
import re
import ssl
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from e2e.aws.cloud import Cloud
from support.server_thread import run_server

_REGION = re.compile(r"Credential=[^/]+/[0-9]+/([a-z0-9-]+)/")
_THROTTLED = b'{"__type": "ThrottlingException", "message": "Rate exceeded"}'


@dataclass(slots=True)
class Router:
    """``down`` are regions without a network, and ``throttled`` those that refuse writes."""

    port: int
    clouds: Mapping[str, Cloud]
    down: set[str] = field(default_factory=set[str])
    throttled: set[str] = field(default_factory=set[str])

    @property
    def environment(self) -> dict[str, str]:
        """What a command needs to find it."""
        return {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}"}


@contextmanager
def route(*clouds: Cloud) -> Generator[Router]:
    """Forward requests on a free port of 127.0.0.1."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def respond(self) -> None:
            length = int(self.headers["Content-Length"] or 0)
            body = self.rfile.read(length)
            found = _REGION.search(self.headers["Authorization"] or "")
            region = found[1] if found else ""
            target = self.headers["X-Amz-Target"] or ""
            if region in router.down or region not in router.clouds:
                self.close_connection = True
                return
            if region in router.throttled and target.endswith(".PutParameter"):
                self.send(400, {"Content-Type": "application/x-amz-json-1.1"}, _THROTTLED)
                return
            cloud = router.clouds[region]
            context = ssl.create_default_context(cafile=str(cloud.authority))
            connection = http.client.HTTPSConnection("127.0.0.1", cloud.port, context=context)
            connection.request(self.command, self.path, body, dict(self.headers))
            response = connection.getresponse()
            content = response.read()
            connection.close()
            self.send(response.status, dict(response.headers), content)

        def send(self, status: int, headers: Mapping[str, str], content: bytes) -> None:
            self.send_response(status)
            for name, value in headers.items():
                if name.lower() not in {"content-length", "transfer-encoding", "connection"}:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = respond

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        router = Router(server.server_port, {each.region: each for each in clouds})
        with run_server(server):
            yield router
