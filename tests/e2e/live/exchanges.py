"""HTTP exchanges with the API server: a recording proxy, and a server that replays them."""

import http.server
import json
import re
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BufferedIOBase
from pathlib import Path
from typing import Any

from e2e.live.control_plane import TOKENS, ControlPlane
from podgraft.base.jsonvalue import JSON
from support.server_thread import run_server

FOLDER = Path(__file__).parent / "recorded"
PATH_TOKEN = "t0k3n"  # instead of the token of the cluster

_UNREAD = frozenset({"managedFields", "resourceVersion"})
_UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_TIME = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_PORT = re.compile(r"127\.0\.0\.1:\d+")
_TOKEN_VOLUME = re.compile(r"kube-api-access-[a-z0-9]{5}\b")

# Answers a GET request of a user: status and body.
Answer = Callable[[str, str], tuple[int, bytes]]


@dataclass(slots=True)
class Exchanges:
    """The methods of all requests, and the responses by user and path."""

    methods: set[str] = field(default_factory=set[str])
    forward_dry_run: Callable[[str, Any], tuple[int, bytes]] | None = None
    responses: dict[str, Any] = field(default_factory=dict[str, Any])

    def save(self, state: str, token: str) -> None:
        """Write the responses without what differs in each run."""
        FOLDER.mkdir(exist_ok=True)
        text = json.dumps(self.responses, indent=1, sort_keys=True, ensure_ascii=False)
        recording_path(state).write_text(_normalize(text.replace(token, PATH_TOKEN)) + "\n")


def recording_path(state: str) -> Path:
    """The file of the exchanges in one state of the cluster."""
    return FOLDER / f"{state}.json"


def load(state: str) -> dict[str, Any]:
    """The recorded responses by user and path."""
    responses: dict[str, Any] = json.loads(recording_path(state).read_text())
    return responses


def _normalize(text: str) -> str:
    numbers: dict[str, str] = {}
    for match in _UUID.findall(text):
        numbers.setdefault(match, f"00000000-0000-4000-8000-{len(numbers):012}")
    text = _UUID.sub(lambda match: numbers[match[0]], text)
    text = _TIME.sub("2026-11-22T00:00:00Z", text)
    text = _TOKEN_VOLUME.sub("kube-api-access-00000", text)
    return _PORT.sub("127.0.0.1:8443", text)


def _clean(value: JSON) -> JSON:
    """The value without fields that no command reads, and that differ in each run."""
    if isinstance(value, dict):
        return {key: _clean(each) for key, each in value.items() if key not in _UNREAD}
    return [_clean(each) for each in value] if isinstance(value, list) else value


@contextmanager
def record_exchanges(plane: ControlPlane) -> Generator[tuple[int, Exchanges]]:
    """Forward requests to the control plane; return the port of the proxy, and the exchanges."""
    exchanges = Exchanges(
        forward_dry_run=lambda path, manifest: plane.request("POST", path, manifest)
    )

    def forward(user: str, path: str) -> tuple[int, bytes]:
        headers = {"Authorization": f"Bearer {TOKENS[user]}"}
        status, body = plane.request("GET", path, headers=headers)
        # An unknown API group has a text as response.
        value = _clean(json.loads(body)) if body.startswith(b"{") else body.decode()
        exchanges.responses[f"{user} {path}"] = {"status": status, "body": value}
        return status, body

    with _serve(forward, exchanges) as port:
        yield port, exchanges


@contextmanager
def replay_exchanges(state: str) -> Generator[tuple[int, Exchanges]]:
    """Serve the recorded responses; an unknown request fails with 500."""
    exchanges = Exchanges(responses=load(state))

    def find(user: str, path: str) -> tuple[int, bytes]:
        response = exchanges.responses.get(f"{user} {path}")
        if response is None:
            return 500, f'{{"kind":"Status","message":"{path}: not recorded"}}'.encode()
        body = response["body"]
        return response["status"], (body if isinstance(body, str) else json.dumps(body)).encode()

    with _serve(find, exchanges) as port:
        yield port, exchanges


def _read_chunks(stream: BufferedIOBase) -> Iterator[bytes]:
    while size := int(stream.readline(), 16):
        yield stream.read(size)
        stream.readline()
    stream.readline()


@contextmanager
def _serve(answer: Answer, exchanges: Exchanges) -> Generator[int]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_one_request(self) -> None:
            """Answer one request of any method; only GET has a response."""
            self.raw_requestline = self.rfile.readline(65537)
            if not self.raw_requestline or not self.parse_request():
                self.close_connection = True
                return
            exchanges.methods.add(self.command)
            user = self.headers.get("Impersonate-User", "reader")
            if self.command == "POST" and exchanges.forward_dry_run and "dryRun=All" in self.path:
                content = b"".join(_read_chunks(self.rfile))  # kubectl create --raw sends no length
                status, body = exchanges.forward_dry_run(self.path, json.loads(content))
            elif self.command == "GET":
                status, body = answer(user, self.path)
            else:
                status, body = 405, b"{}"
            self.send_response(status)
            is_text = not body.startswith(b"{")
            self.send_header("Content-Type", "text/plain" if is_text else "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Print nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        with run_server(server):
            yield server.server_port


def write_kubeconfig(file: Path, port: int) -> None:
    """Write a kubeconfig with one context for each user; ``reader`` is the current one.

    kubectl sends tokens only over TLS, so the user is in another header.
    """
    server = {"server": f"http://127.0.0.1:{port}"}
    contexts = [
        {"name": user, "context": {"cluster": "test", "user": user, "namespace": "shop"}}
        for user in TOKENS
    ]
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "test", "cluster": server}],
        "users": [{"name": user, "user": {"as": user}} for user in TOKENS],
        "contexts": contexts,
        "current-context": "reader",
    }
    file.write_text(json.dumps(config))
