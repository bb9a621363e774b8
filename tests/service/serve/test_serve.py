"""``podgraft serve`` as an operator starts it: the real app, over HTTPS, from a folder."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from podgraft.cli import main
from podgraft.cli.certs import issuance, keys, names, pem
from podgraft.cli.certs.issuance import Validity
from podgraft.service.serve.https import find_shared_memory
from service.serve.running import CA, CERT, KEY, Served, issue_token, prepare, serving
from support.pki import Authority
from support.signers import MemorySigner

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
    allowed = ["allow", "--cluster", "prod-eu", "--config", "store", subject]
    assert main(["tokens", *allowed]) == 0
    assert served.ask("POST", path)[0] == 200
    assert served.ask("POST", "/inject/cluster/other")[0] == 200
    assert served.stop().count('"cluster":"prod-eu"') == 2  # whatever the path says


def test_without_authentication_it_warns_loudly(start: Start) -> None:
    served = start("--auth", "none")
    assert served.ask("POST", "/inject")[0] == 200
    assert "PODGRAFT_AUTH=none: authentication is disabled" in served.stop()


def test_a_passphrase_opens_the_key(start: Start, folder: Path) -> None:
    (folder / "secret").write_text("correct horse\n")
    renewed = ["server", "127.0.0.1", "--force", "--passphrase-file", "secret"]
    assert main(["certs", *renewed]) == 0
    assert start("--passphrase-file", "secret").ask("GET", "/ping") == (200, "pong")


def test_what_was_found_is_reported_at_start(start: Start) -> None:
    issue_token()
    written = start().stop()
    assert "injector default: policy " in written
    assert "cluster prod-eu: 1 token\n" in written
    found = (
        r"^certificate certificates/server.pem: 127.0.0.1; valid until \S+ \S+ UTC, \d+ days left$"
    )
    assert re.search(found, written, re.MULTILINE)
    assert "error" not in written


def test_a_store_that_no_one_may_call_states_how_to_let_a_cluster_in(start: Start) -> None:
    written = start().stop()
    remedy = "no cluster can call; run podgraft tokens issue --cluster ID --config store"
    assert f"warning: store/auth: {remedy}" in written


def test_an_injector_that_does_not_load_is_reported_and_others_are_served(
    start: Start, folder: Path
) -> None:
    shutil.copytree(folder / "store" / "default", folder / "store" / "other")
    (folder / "store" / "other" / "policy.yaml").write_text("policy: [")
    issue_token()
    (folder / "store" / "auth" / "broken.yaml").write_text("tokens: 5")
    served = start()
    assert served.ask("GET", "/ping") == (200, "pong")
    written = served.stop()
    assert "injector default: policy " in written
    assert "error: store/other: " in written
    assert "error: store/auth/broken.yaml: " in written


SERVE = ("serve", "--cert", CERT, "--key", KEY)


@pytest.mark.usefixtures("folder")
def test_check_reports_and_does_not_serve(capsys: pytest.CaptureFixture[str]) -> None:
    issue_token()
    capsys.readouterr()
    assert main([*SERVE, "--store", "store", "--check"]) == 0
    assert "cluster prod-eu: 1 token\n" in capsys.readouterr().out
    shutil.copytree("store/default", "store/other")
    Path("store/other/policy.yaml").write_text("policy: [")
    assert main([*SERVE, "--store", "store", "--check"]) == 1
    written = capsys.readouterr()
    assert "error: store/other: " in written.out
    assert "some documents do not load; correct the errors above" in written.err


@pytest.mark.usefixtures("folder")
def test_with_a_signer_only_signed_policies_load(capsys: pytest.CaptureFixture[str]) -> None:
    signer = MemorySigner()
    _write("signer.pem", signer.public_pem)
    _write("signer.key", signer.private_pem)
    shutil.rmtree("store/logging")
    issue_token()
    serve = [*SERVE, "--store", "store", "--check", "--signer", "signer.pem"]
    policy = Path("store/default/policy.yaml")
    policy.write_text("policy: enabled\n")
    assert main(serve) == 1
    assert "the policy is not signed; sign it" in "".join(capsys.readouterr())
    assert main(["policy", "sign", "store/default", "--sign-key", "signer.key"]) == 0
    assert main(serve) == 0
    policy.write_text(policy.read_text().replace("enabled", "disabled"))
    assert main(serve) == 1
    assert "or the text was changed" in "".join(capsys.readouterr())
    _write("signer.pem", "x")
    assert main(serve) == 1
    assert "signer.pem: expected a public key" in "".join(capsys.readouterr())


def _write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


UNUSABLE: tuple[tuple[str, Callable[[], object], str, str], ...] = (
    (
        "one level too deep",
        lambda: None,
        "store/default",
        "--store store/default: is an injector, not a folder of injectors; use --store ",
    ),
    (
        "empty",
        lambda: Path("empty").mkdir(),
        "empty",
        "--store empty: contains no injector; put manifests into empty/default/bundle",
    ),
    (
        "callers alone",
        lambda: _write("callers/auth/prod-eu.yaml", "tokens: []"),
        "callers",
        "--store callers: contains no injector",
    ),
    (
        "a policy that does not load",
        lambda: _write("broken/default/policy.yaml", "policy: ["),
        "broken",
        "no injector loads; correct the errors above",
    ),
)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("name", "make", "store", "message"), UNUSABLE, ids=[row[0] for row in UNUSABLE]
)
@pytest.mark.parametrize("check", [[], ["--check"]], ids=["serve", "check"])
def test_a_store_that_cannot_work_is_refused(
    name: str,
    make: Callable[[], object],
    store: str,
    message: str,
    check: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    make()
    assert main([*SERVE, "--store", store, *check]) == 1, name
    assert message in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("begin", "days", "message"),
    [(-40, 30, "the certificate expired on "), (10, 30, "the certificate is not valid before ")],
)
def test_a_certificate_that_no_client_accepts_is_refused(
    begin: int, days: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lifetime = Validity.from_now(datetime.now(UTC) + timedelta(days=begin), days)
    authority = Authority()
    key = keys.make_key(keys.KeyType.P_256)
    wanted = names.parse_names(["127.0.0.1"])
    made = issuance.make_server_certificate(wanted, key.public_key(), authority.issuer, lifetime)
    Path(CERT).write_bytes(pem.dump_certificates([made]))
    Path(KEY).write_bytes(keys.encode_key(key, None))
    assert main([*SERVE, "--store", "store"]) == 1
    assert message in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_an_address_in_use_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        started = [
            subprocess.Popen(
                [sys.executable, "-m", "podgraft", *SERVE, "--store", "store", *words],
                stderr=subprocess.PIPE,
                text=True,
            )
            for words in (
                ("--host", "127.0.0.1", "--port", port),
                ("--host", "127.0.0.1", "--port", "0", "--metrics-port", port),
            )
        ]
        errors = [process.communicate()[1] for process in started]  # gunicorn waits for 5 s
    assert [process.returncode for process in started] == [1, 1]
    problem = f"error: cannot listen on 127.0.0.1:{port}: Address already in use; use another "
    assert errors[0].endswith(f"{problem}--host or --port\n")
    assert errors[1].endswith(f"{problem}--metrics-host or --metrics-port\n")


_WITHOUT_MEMORY = """
import sys
from podgraft.service.serve import https
https.find_shared_memory = lambda: "/absent"  # gunicorn cannot make the file of a heartbeat
from podgraft.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.usefixtures("folder")
def test_a_server_that_fails_for_another_reason_names_no_address() -> None:
    words = [*SERVE, "--store", "store", "--host", "127.0.0.1", "--port", "0"]
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT_MEMORY, *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "Can't create workertmp" in done.stderr
    assert done.stderr.endswith(
        "error: the server did not start; the last lines of its log have the reason\n"
    )


@pytest.mark.parametrize("is_writable", [True, False])
def test_shared_memory_is_used_only_if_it_is_writable(
    is_writable: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def access(_: str, mode: int) -> bool:
        return mode == os.W_OK and is_writable

    monkeypatch.setattr("os.access", access)
    assert (find_shared_memory() is not None) == is_writable


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("--key", "certificates/prod-eu.key"), 1, "belongs to another certificate than"),
        (("--auth", "mtls"), 2, "--auth mtls requires --client-ca"),
        (("--cert", "missing.pem"), 1, "missing.pem: not found; check --cert"),
        (("--port", "70000"), 2, "70000 is not in the range"),
    ],
)
def test_what_cannot_work_is_reported_before_anything_listens(
    words: tuple[str, ...], status: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "--store", "store", "--cert", CERT, "--key", KEY, *words]) == status
    assert message in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("check", [[], ["--check"]], ids=["serve", "check"])
def test_client_authorities_that_have_all_expired_are_refused(
    check: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    begin = datetime.now(UTC) - timedelta(days=40)
    key = keys.make_key(keys.KeyType.P_256)
    expired = issuance.make_ca(key, "old CA", Validity.from_now(begin, 30))
    Path("clients.pem").write_bytes(pem.dump_certificates([expired]))
    capsys.readouterr()
    assert main([*SERVE, "--store", "store", "--client-ca", "clients.pem", *check]) == 1
    written = "".join(capsys.readouterr())
    assert "client CA clients.pem: CN=old CA; valid until " in written
    assert "error: clients.pem: CN=old CA expired; remove it, and sign client cert" in written
    assert "every client CA has expired; correct the errors above" in written


@pytest.mark.usefixtures("folder")
def test_one_of_several_client_authorities_can_have_expired(
    capsys: pytest.CaptureFixture[str],
) -> None:
    issue_token()
    begin = datetime.now(UTC) - timedelta(days=40)
    key = keys.make_key(keys.KeyType.P_256)
    expired = issuance.make_ca(key, "old CA", Validity.from_now(begin, 30))
    soon = issuance.make_ca(key, "new CA", Validity.from_now(begin, 60))
    Path("clients.pem").write_bytes(pem.dump_certificates([expired, soon]))
    capsys.readouterr()
    # A server would start; a pipeline stops.
    serve = [*SERVE, "--store", "store", "--client-ca", "clients.pem", "--check"]
    assert main(serve) == 1
    written = "".join(capsys.readouterr())
    assert "warning: clients.pem: CN=new CA expires soon; renew it: podgraft certs" in written
    assert "some documents do not load; correct the errors above" in written
