"""kube-apiserver with its etcd, as tools/e2e_live.py builds it, in a folder of a test."""

import http.client
import json
import os
import socket
import ssl
import subprocess
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

# User by static token. The administrator sets the scene; the commands run as the others.
TOKENS = {"admin": "admin-token", "reader": "reader-token", "nobody": "nobody-token"}
_START_SECONDS = 120


@dataclass(frozen=True, slots=True)
class ControlPlane:
    """A running control plane; its certificate is self-signed."""

    port: int
    certificate: Path

    def request(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, bytes]:
        """Send a request, by default as the administrator; return status and body."""
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection = http.client.HTTPSConnection(
            "127.0.0.1", self.port, context=context, timeout=30
        )
        sent = {"Authorization": f"Bearer {TOKENS['admin']}", "Content-Type": "application/json"}
        try:
            content = None if body is None else json.dumps(body)
            connection.request(method, path, content, {**sent, **(headers or {})})
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def create(self, path: str, manifest: Any) -> Any:
        """Create an object; fails the test if the API server refuses it."""
        status, body = self.request("POST", path, manifest)
        assert status in {200, 201}, body.decode()
        return json.loads(body)

    def replace(self, path: str, manifest: Any) -> None:
        """Replace an object."""
        status, body = self.request("PUT", path, manifest)
        assert status == 200, body.decode()

    def is_ready(self) -> bool:
        """Whether the API server accepts requests."""
        try:
            return self.request("GET", "/readyz")[0] == 200
        except OSError:
            return False


def find_program() -> Path:
    """The control plane that tools/e2e_live.py has built; skips the test without one."""
    if "PODGRAFT_CONTROL_PLANE" not in os.environ:
        pytest.skip("needs Go and its module proxy: make e2e-live")
    return Path(os.environ["PODGRAFT_CONTROL_PLANE"])


def write_admin_kubeconfig(file: Path, planes: Mapping[str, ControlPlane]) -> None:
    """Write one context for each control plane, of the administrator; the first is current."""
    clusters = [
        {
            "name": name,
            "cluster": {
                "server": f"https://127.0.0.1:{plane.port}",
                "insecure-skip-tls-verify": True,
            },
        }
        for name, plane in planes.items()
    ]
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": clusters,
        "users": [{"name": "admin", "user": {"token": TOKENS["admin"]}}],
        "contexts": [
            {"name": name, "context": {"cluster": name, "user": "admin"}} for name in planes
        ],
        "current-context": next(iter(planes)),
    }
    file.write_text(json.dumps(config))


@contextmanager
def start_control_plane(
    program: Path, folder: Path, environment: Mapping[str, str] = {}
) -> Generator[ControlPlane]:
    """Start the program, with further variables; it ends with the context."""
    plane = ControlPlane(_find_free_port(), folder / "certificates" / "apiserver.crt")
    log = folder / "log"
    with (
        log.open("wb") as output,
        subprocess.Popen(
            [program, folder, *_make_flags(folder, plane.port)],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            env={**os.environ, **environment},
        ) as process,
    ):
        try:
            _wait(plane, process, log)
            yield plane
        finally:
            process.kill()


def _wait(plane: ControlPlane, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while not plane.is_ready():
        assert process.poll() is None, log.read_text()[-3000:]
        assert time.monotonic() < deadline, log.read_text()[-3000:]
        time.sleep(0.2)  # between two requests, until the server is ready


def _make_flags(folder: Path, port: int) -> list[str]:
    key = rsa.generate_private_key(65537, 2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
    (folder / "sa.key").write_bytes(pem)
    rows = [f"{token},{user},{user}" for user, token in TOKENS.items()]
    rows[0] += ",system:masters"
    (folder / "tokens.csv").write_text("\n".join(rows) + "\n")
    flags = {
        "bind-address": "127.0.0.1",
        "secure-port": port,
        "cert-dir": folder / "certificates",
        "authorization-mode": "RBAC",
        "token-auth-file": folder / "tokens.csv",
        "service-account-issuer": "https://kubernetes.default.svc",
        "service-account-key-file": folder / "sa.key",
        "service-account-signing-key-file": folder / "sa.key",
        "service-cluster-ip-range": "10.0.0.0/24",
        "endpoint-reconciler-type": "none",
        "allow-privileged": "true",
    }
    return [f"--{name}={value}" for name, value in flags.items()]


def _find_free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port
