"""Guarantee: an error never contains key material, tokens, or a stored document.

Incident: Istio CVE-2026-31837 (private key material when a JWKS fetch fails). ``tests/secrecy``
plants secrets in every fault, store error, and denial. These tests add the clients that present no
credentials, and keys that do not load.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from podgraft.cli import main
from podgraft.cli.certs import keys
from podgraft.core.versions.errors import StoreError
from podgraft.service.http import faults
from service.http.conftest import ApplicationFixture, make_application
from support.store_fixture import BUNDLE, write, write_injector

SECRET = "planted-s3cret"
BREAK: tuple[tuple[str, Callable[[Path], object]], ...] = (
    ("a policy", lambda folder: write_injector(folder, policy=f"{SECRET}: 1")),
    ("a value of a policy", lambda folder: write_injector(folder, policy=f"bundle: [{SECRET}]")),
    (
        "a bundle",
        lambda folder: write_injector(folder, files={**BUNDLE, "a.yaml": SECRET.encode()}),
    ),
    ("callers", lambda folder: write(folder / "auth" / "a.yaml", f"{SECRET}: 1".encode())),
    ("a name of a file", lambda folder: write(folder / "auth" / f"{SECRET}.yaml", b"x: 1")),
    ("a missing policy", lambda folder: (folder / "default" / "policy.yaml").mkdir()),
)
REQUESTS = (
    ("GET", "/readyz"),
    ("GET", "/healthz"),
    ("GET", "/ping"),
    ("POST", "/inject"),
    ("POST", "/istio/mutate"),
    ("POST", f"/{SECRET}/validate"),
    ("POST", "/k/guess/inject"),
    ("GET", f"/k/{SECRET}/readyz"),
)


@pytest.mark.parametrize(("name", "break_store"), BREAK, ids=[name for name, _ in BREAK])
def test_an_unauthenticated_client_learns_nothing_of_the_store(
    name: str, break_store: Callable[[Path], object], folder: Path
) -> None:
    break_store(folder)
    application = make_application(folder)
    for method, path in REQUESTS:
        response = application.client.open(path, method=method, data=b"{}")
        for word in (SECRET, "prod-eu", "istio", "sha256", "policy.yaml"):
            assert word not in response.text, (name, path, response.text)
    assert {str(record["event"]) for record in application.records} <= {"fault", "not_ready"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store of two injectors."""
    return write_injector(write_injector(tmp_path), "istio", policy="policy: disabled")


def test_the_log_has_the_error_once_in_a_minute(folder: Path) -> None:
    write_injector(folder, policy=f"{SECRET}: 1")
    at: ApplicationFixture = make_application(folder)
    for _ in range(50):
        assert at.client.get("/readyz").status_code == 500
    [record] = at.records
    assert (record["event"], record["code"]) == ("not_ready", 500)
    assert f"/{SECRET}: unknown key" in str(record["message"])
    at.clock.seconds += 60
    at.client.get("/readyz")
    assert len(at.records) == 2


def test_no_fault_of_a_store_is_written_to_a_client_without_credentials() -> None:
    for kind in faults.TABLE:
        if issubclass(kind, StoreError):
            response = faults.fault_response(kind(SECRET), is_authenticated=False)
            assert SECRET not in response.body.decode(), kind
    assert SECRET not in faults.fault_response(RuntimeError(SECRET)).body.decode()


BROKEN_KEYS: tuple[tuple[str, Callable[[bytes], bytes]], ...] = (
    ("cut", lambda pem: pem[: len(pem) // 2]),
    ("without its end", lambda pem: pem.replace(b"-----END", b"-----ENT")),
    ("with another label", lambda pem: pem.replace(b"PRIVATE KEY", b"CERTIFICATE")),
    ("one line", lambda pem: pem.replace(b"\n", b" ")),
    ("damaged", lambda pem: pem.replace(pem.splitlines()[1][:8], b"AAAAAAAA")),
)


@pytest.mark.parametrize(("name", "damage"), BROKEN_KEYS, ids=[name for name, _ in BROKEN_KEYS])
def test_a_key_that_does_not_load_is_not_printed(
    name: str,
    damage: Callable[[bytes], bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    made = ("--dir", "pki", "--key-type", "p-256")
    assert main(["certs", "ca", *made]) == 0
    assert main(["certs", "server", "127.0.0.1", *made]) == 0
    assert main(["certs", "client", "prod-eu", *made]) == 0
    for key in Path("pki").glob("*.key"):
        key.write_bytes(damage(keys.encode_key(ec.generate_private_key(ec.SECP256R1()), None)))
    secret = {line for key in Path("pki").glob("*.key") for line in key.read_text().split()[3:-3]}
    capfd.readouterr()
    url = ("--url", "https://127.0.0.1", "--allow-loopback", "--ca-bundle", "pki/ca.pem")
    client = ("--client-cert", "pki/prod-eu.pem", "--client-key", "pki/prod-eu.key")
    commands = (
        ["certs", "server", "a.example.com", *made, "--name", "b"],
        ["certs", "renew", "server", "--dir", "pki"],
        [
            "register",
            *url,
            *client,
            "--control-plane",
            "cp",
            "--namespace-selector",
            "inject=enabled",
        ],
        ["serve", "--check", "--store", ".", "--cert", "pki/server.pem", "--key", "pki/server.key"],
    )
    for command in commands:
        main(command)
        captured = capfd.readouterr()
        printed = captured.out + captured.err
        assert not [text for text in secret if len(text) > 16 and text in printed], (name, command)
        assert "Traceback" not in printed, (name, command)


def test_a_status_for_a_client_is_json(folder: Path) -> None:
    write_injector(folder, policy=f"{SECRET}: 1")
    status = json.loads(make_application(folder).client.get("/readyz").data)
    assert status["message"] == "the configuration does not load; see the podgraft log"
