"""Every command of docs/start.md works in order, and the pod has its sidecar.

The function's application serves over TLS with AWS on loopback, as API Gateway and Lambda would.
``sam`` is a stub. ``kubectl`` has an API server that calls webhooks as kube-apiserver does. The
same commands run with SAM in tests/e2e/aws, and with a real kube-apiserver in tests/e2e/live.
"""

import contextlib
import ssl
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

import pytest
from werkzeug.serving import BaseWSGIServer, make_server

from docs.limits import DOCS
from podgraft.cli import main
from podgraft.service import http as web
from podgraft.service import settings, store
from support import aws_account
from support.aws_account import start_account_with_bucket
from support.kubectl_with_webhooks import render_program
from support.page_run import PageRun
from support.patience import wait_long
from support.programs import PYTHON
from support.server_thread import run_server

PAGE = (DOCS / "start.md").read_text()
BUCKET = "bundles-of-start"
SETTINGS = {
    "PODGRAFT_STORE": "aws",
    "PODGRAFT_STACK": "podgraft-dev",
    "PODGRAFT_BUCKET": BUCKET,
    "PODGRAFT_REFRESH_SECONDS": "1",
}


def read_section(title: str) -> str:
    return PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The function at an address of loopback, and the CA of its certificate."""

    ca: Path
    port: int


@contextlib.contextmanager
def serve_function(folder: Path) -> Generator[Endpoint]:
    """Serve the application of the function, which reads the account of the environment."""
    pki = folder / "pki"
    options = ("--dir", str(pki), "--key-type", "p-256")
    assert main(["certs", "ca", *options]) == 0
    assert main(["certs", "server", "127.0.0.1", *options]) == 0
    configuration = settings.parse_settings({**SETTINGS, "AWS_REGION": "us-east-1"})
    policies, callers = store.open_stores(configuration.store_config)
    app = web.create_app(
        policies,
        callers,
        auth=configuration.auth,
        request_log=web.make_request_log(configuration, callers),
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pki / "server.pem", pki / "server.key")
    server: BaseWSGIServer = make_server("127.0.0.1", 0, app, threaded=True, ssl_context=context)
    with run_server(server):
        yield Endpoint(pki / "ca.pem", server.server_port)


@pytest.fixture
def account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Endpoint]:
    """The account with the stack, which calls the function."""
    wait_long(monkeypatch)
    with contextlib.ExitStack() as stack:
        session = stack.enter_context(start_account_with_bucket(BUCKET))
        endpoint = stack.enter_context(serve_function(tmp_path))
        # The stack has the address of the function as its output.
        session.create_client("cloudformation").delete_stack(StackName="podgraft-dev")
        monkeypatch.setattr(aws_account, "ENDPOINT", f"https://127.0.0.1:{endpoint.port}")
        aws_account.deploy_stack(session, "podgraft-dev", BUCKET)
        yield endpoint


def make_run(folder: Path, ca: Path) -> PageRun:
    program = folder / "kubectl.py"
    program.write_text(render_program(folder / "webhooks.yaml", ca))
    stubs = {"sam": "", "kubectl": f'exec {PYTHON} {program} "$@"'}
    return PageRun(folder, stubs, ca)


def test_the_commands_on_aws_inject_a_pod_and_undo_it(account: Endpoint, tmp_path: Path) -> None:
    run = make_run(tmp_path, account.ca)
    pod = "kubectl run web --image=nginx -o name"
    run.run(f"{read_section('On AWS')}\n{read_section('Undo')}", after=[pod])
    [created] = [
        text
        for line, text in run.outputs.items()
        if line.startswith("kubectl run web --image=nginx --labels")
    ]
    assert created == "hello\n"
    assert run.read_calls("sam") == [("build",), ("deploy",), ("delete",)]
    assert run.outputs[pod] == "\n"


def test_the_commands_on_this_machine_inject_a_pod(tmp_path: Path) -> None:
    run = make_run(tmp_path, tmp_path / "work" / "certificates" / "ca.pem")
    section = read_section("On this machine").replace("ADDRESS", "127.0.0.1")
    run.run(section.replace("--port 8443", "--host 127.0.0.1 --port 8443"))
    assert list(run.outputs.values())[-1] == "hello\n"


def test_a_registration_with_an_unknown_token_prints_no_manifest(
    account: Endpoint, tmp_path: Path
) -> None:
    """As the page states: the command prints the reason, and kubectl gets nothing to apply."""
    run = make_run(tmp_path, account.ca)
    commands = [line for line in read_section("On AWS").splitlines() if line.startswith("podgraft")]
    *before, register = commands
    wrong = f"echo 0123456789abcdef > token; {{ {register}; }} && exit 1 || true"
    run.run("", before=[*before, wrong])
    assert "401" in run.outputs[wrong]
    assert "no objects passed to apply" in run.outputs[wrong]
