"""An API server for kubectl with the webhook configurations of many clusters.

The server of the cluster NAME is ``http://127.0.0.1:PORT/NAME``. It stores what kubectl creates,
annotates, applies on the server side, and deletes, and compares versions as kube-apiserver does.
It has no defaults, no validation, and no owners of fields.
"""

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from podgraft.cli.live.api_errors import ApiError
from podgraft.kube import yaml
from support.fake_registrations import FakeRegistrations
from support.server_thread import run_server

GROUP = "admissionregistration.k8s.io"
KINDS = {
    "mutatingwebhookconfigurations": "MutatingWebhookConfiguration",
    "validatingwebhookconfigurations": "ValidatingWebhookConfiguration",
}
_VERSION = {"groupVersion": f"{GROUP}/v1", "version": "v1"}
_DISCOVERY: dict[str, Any] = {
    "/version": {"major": "1", "minor": "34", "gitVersion": "v1.34.0"},
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/api/v1": {"kind": "APIResourceList", "groupVersion": "v1", "resources": []},
    "/apis": {
        "kind": "APIGroupList",
        "apiVersion": "v1",
        "groups": [{"name": GROUP, "versions": [_VERSION], "preferredVersion": _VERSION}],
    },
    f"/apis/{GROUP}/v1": {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": f"{GROUP}/v1",
        "resources": [
            {
                "name": name,
                "singularName": kind.lower(),
                "namespaced": False,
                "kind": kind,
                "verbs": ["create", "delete", "get", "list", "patch"],
            }
            for name, kind in KINDS.items()
        ],
    },
}


@dataclass(slots=True)
class FakeKubeApi:
    """The clusters by name. ``unreachable`` ones respond with 503."""

    port: int
    clusters: dict[str, FakeRegistrations] = field(default_factory=dict[str, FakeRegistrations])
    unreachable: set[str] = field(default_factory=set[str])
    lock: threading.Lock = field(default_factory=threading.Lock)

    def write_kubeconfig(self, path: Path) -> Path:
        """Write a kubeconfig with a context for each cluster."""
        server = f"http://127.0.0.1:{self.port}"
        config: dict[str, Any] = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [
                {"name": each, "cluster": {"server": f"{server}/{each}"}} for each in self.clusters
            ],
            "users": [{"name": "operator", "user": {}}],
            "contexts": [
                {"name": each, "context": {"cluster": each, "user": "operator"}}
                for each in self.clusters
            ],
        }
        path.write_text(json.dumps(config))
        return path

    def respond(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        """The status and the body of a response."""
        _, name, *rest = urlsplit(path).path.split("/")
        place = f"/{'/'.join(rest)}"
        if name in self.unreachable:
            return 503, _status(503, "the server is currently unable to handle the request")
        if place in _DISCOVERY:
            return 200, _DISCOVERY[place]
        resource, *names = place.removeprefix(f"/apis/{GROUP}/v1/").split("/")
        if resource not in KINDS:
            return 404, _status(404, "not found")
        with self.lock:
            return self._change(self.clusters[name], method, KINDS[resource], names, body)

    def _change(
        self, cluster: FakeRegistrations, method: str, kind: str, names: list[str], body: Any
    ) -> tuple[int, Any]:
        stored = cluster.objects.get((kind, names[0])) if names else None
        if method == "GET" and not names:
            items = [each for each in cluster.read() if each["kind"] == kind]
            return 200, {"kind": f"{kind}List", "apiVersion": f"{GROUP}/v1", "items": items}
        try:
            if method == "POST":
                return 201, cluster.create(body)
            if stored is None:
                return 404, _status(404, "not found")
            if method == "GET":
                return 200, stored
            if method == "DELETE":
                cluster.delete(stored)
                return 200, _status(200, "")
            if "webhooks" in body:
                return 200, cluster.apply(body)
            metadata = {"resourceVersion": stored["metadata"]["resourceVersion"]}
            return 200, cluster.touch(
                {**stored, "metadata": {**stored["metadata"], **metadata, **body["metadata"]}}
            )
        except ApiError as error:
            return 409, _status(409, f"Operation cannot be fulfilled: {error}")


def _status(code: int, message: str) -> Any:
    reasons = {404: "NotFound", 409: "Conflict", 503: "ServiceUnavailable"}
    status = "Success" if code < 400 else "Failure"
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": status,
        "code": code,
        "message": message,
        "reason": reasons.get(code, ""),
    }


@contextmanager
def serve_kube_api(*clusters: str) -> Generator[FakeKubeApi]:
    """Serve empty clusters on a free port of 127.0.0.1."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def respond(self) -> None:
            length = int(self.headers["Content-Length"] or 0)
            content = self.rfile.read(length).decode()
            body: Any = yaml.load_document(content) if content else None
            status, answer = api.respond(self.command, self.path, body)
            data = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PATCH = do_DELETE = respond

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Print nothing."""

    class Server(ThreadingHTTPServer):
        request_queue_size = 128
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as server:
        api = FakeKubeApi(server.server_port, {each: FakeRegistrations() for each in clusters})
        with run_server(server):
            yield api
