"""``podgraft serve`` as an operator starts it: the real app, over HTTPS, from a folder."""

import json
import os
import shutil
import ssl
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from http.client import HTTPSConnection
from pathlib import Path
from typing import Any

import pytest

import certs
import tokens
from podgraft.cli import main

STORE = Path(__file__).parents[1] / "e2e" / "kube" / "store"
REVIEW: dict[str, Any] = json.loads((STORE.parent / "recorded" / "injection.json").read_text())[
    "calls"
][0]["request"]
CERT, KEY, CA = "certificates/server.pem", "certificates/server.key", "certificates/ca.pem"


class Served:
    """A running server, its output and how to call it."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        assert process.stdout is not None
        self.process = process
        self.first: list[str] = []
        for line in process.stdout:
            self.first.append(line)
            if line.startswith("podgraft listens on https://127.0.0.1:"):
                break
        self.port = int(self.first[-1].rsplit(":", 1)[-1])
        self.context = ssl.create_default_context(cafile=folder / CA)

    def ask(self, method: str, path: str, **headers: str) -> tuple[int, Any]:
        """One call on a connection of its own; POST sends a review."""
        connection = HTTPSConnection("127.0.0.1", self.port, context=self.context, timeout=20)
        body = json.dumps(REVIEW) if method == "POST" else None
        try:
            connection.request(method, path, body, {"Content-Type": "application/json"} | headers)
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def stop(self) -> str:
        """Everything that was printed, once it has stopped in good order."""
        self.process.terminate()
        out, err = self.process.communicate(timeout=30)
        assert self.process.returncode == 0
        return "".join(self.first) + out + err


Start = Callable[..., Served]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Certificates and a store, in the working directory."""
    monkeypatch.chdir(tmp_path)
    for command in (("ca",), ("server", "127.0.0.1"), ("client", "prod-eu")):
        assert certs.main([*command, "--key-type", "p-256"]) == 0
    shutil.copytree(STORE, "store")
    return tmp_path


@pytest.fixture
def start(folder: Path) -> Generator[Start]:
    """Start servers that are stopped at the end."""
    with ExitStack() as stack:
        yield lambda *words: stack.enter_context(_serving(folder, *words))


@contextmanager
def _serving(folder: Path, *words: str) -> Generator[Served]:
    command = [sys.executable, "-m", "podgraft", "serve", "--store", "store", "--cert", CERT]
    further = ("--key", KEY, "--host", "127.0.0.1", "--port", "0", "--workers", "1", *words)
    with subprocess.Popen(
        [*command, *further],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    ) as process:
        try:
            yield Served(process, folder)
        finally:
            process.kill()


def _token() -> str:
    issued = ["issue", "--cluster", "prod-eu", "--store", "file:store", "--output", "token"]
    assert tokens.main(issued) == 0
    return Path("token").read_text().strip()


def test_a_token_lets_a_cluster_in_and_never_reaches_the_log(start: Start) -> None:
    token = _token()
    served = start()
    assert served.ask("GET", "/ping") == (200, "pong")
    path = "/inject/cluster/prod-eu"
    for status, answer in (
        served.ask("POST", f"/k/{token}{path}"),
        served.ask("POST", path, Authorization=f"Bearer {token}"),
    ):
        assert status == 200
        assert json.loads(answer)["response"]["patchType"] == "JSONPatch"
    assert served.ask("POST", path)[0] == 401
    assert served.ask("POST", f"/k/{token}/inject/cluster/other")[0] == 200
    log = served.stop()
    assert log.count('"cluster":"prod-eu"') == 3  # whatever the path says
    assert token not in log


def test_a_client_certificate_lets_a_cluster_in(start: Start) -> None:
    served = start("--client-ca", CA)
    path = "/inject/cluster/prod-eu"
    assert served.ask("POST", path)[0] == 401
    served.context.load_cert_chain("certificates/prod-eu.pem", "certificates/prod-eu.key")
    assert served.ask("POST", path)[0] == 401  # known to the CA, and not yet to us
    subject = "CN=prod-eu,O=podgraft-clusters"
    allowed = ["allow", "--cluster", "prod-eu", "--store", "file:store", subject]
    assert tokens.main(allowed) == 0
    assert served.ask("POST", path)[0] == 200
    assert served.ask("POST", "/inject/cluster/other")[0] == 200
    assert served.stop().count('"cluster":"prod-eu"') == 2  # whatever the path says


def test_without_authentication_it_warns_loudly(start: Start) -> None:
    served = start("--auth", "none")
    assert served.ask("POST", "/inject")[0] == 200
    assert "PODGRAFT_AUTH=none: whoever reaches this address is answered" in served.stop()


def test_a_passphrase_opens_the_key(start: Start, folder: Path) -> None:
    (folder / "secret").write_text("correct horse\n")
    renewed = ["server", "127.0.0.1", "--force", "--passphrase-file", "secret"]
    assert certs.main(renewed) == 0
    assert start("--passphrase-file", "secret").ask("GET", "/ping") == (200, "pong")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("--key", "certificates/prod-eu.key"), 1, "do not load: [X509: KEY_VALUES_MISMATCH]"),
        (("--auth", "mtls"), 2, "--auth mtls needs --client-ca"),
        (("--cert", "missing.pem"), 2, "'missing.pem' does not exist"),
        (("--port", "70000"), 2, "70000 is not in the range"),
    ],
)
def test_what_cannot_work_is_told_before_anything_listens(
    words: tuple[str, ...], status: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "--store", "store", "--cert", CERT, "--key", KEY, *words]) == status
    assert message in capsys.readouterr().err
