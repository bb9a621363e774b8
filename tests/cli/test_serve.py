"""``podgraft serve`` as an operator starts it: the real app, over HTTPS, from a folder."""

import json
from collections.abc import Callable, Generator
from contextlib import ExitStack
from pathlib import Path

import pytest

import certs
import tokens
from cli.running import CA, CERT, KEY, Served, issue_token, prepare, serving
from podgraft.cli import main

Start = Callable[..., Served]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Certificates and a store, in the working directory."""
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    return tmp_path


@pytest.fixture
def start(folder: Path) -> Generator[Start]:
    """Start servers that are stopped at the end."""
    with ExitStack() as stack:
        yield lambda *words: stack.enter_context(serving(folder, *words))


def test_a_token_lets_a_cluster_in_and_never_reaches_the_log(start: Start) -> None:
    token = issue_token()
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
    assert served.ask("POST", f"/k/{token}/inject/cluster/other")[0] == 403
    assert token not in served.stop()


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
    assert served.ask("POST", "/inject/cluster/other")[0] == 403


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
