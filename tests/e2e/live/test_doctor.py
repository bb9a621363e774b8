"""``podgraft doctor`` against a real kube-apiserver: each fault that a control plane can show."""

import json
import socket
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from e2e.live.cluster_setup import ClusterSetup
from e2e.live.control_plane import ControlPlane, find_program, start_control_plane
from e2e.live.exchanges import record_exchanges, write_kubeconfig
from podgraft.cli import main
from podgraft.cli.certs import keys, pem
from podgraft.kube import yaml
from support.tls_endpoint import serve_response

_HOOKS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
_SELECTOR = ("--namespace-selector", "istio-injection=enabled")
_MAX_SECONDS = 5
# Works for a synthetic review, and for no other.
_SYNTHETIC = {"uid": "podgraft-synthetic-review", "allowed": True, "patch": "W10="}


@dataclass(frozen=True, slots=True)
class Place:
    """A cluster without Istio, and the folder with certificates and tokens."""

    plane: ControlPlane
    setup: ClusterSetup
    folder: Path

    def register(self, capsys: pytest.CaptureFixture[str], *words: str) -> Any:
        """Return the registration of podgraft register, with the usual options unless given."""
        usual = {
            "--url": self.setup.endpoint,
            "--ca-bundle": "certificates/ca.pem",
            "--token-file": "token",
            "--injector": "podgraft",
        }
        options = [
            part for name, value in usual.items() if name not in words for part in (name, value)
        ]
        selector = () if "--revision" in words or "--namespace-selector" in words else _SELECTOR
        capsys.readouterr()
        assert main(["register", "--allow-loopback", *options, *selector, *words]) == 0
        return yaml.load(capsys.readouterr().out)

    def respond(self, stack: ExitStack, name: str, response: Any) -> str:
        """Start an endpoint with one response; return its URL."""
        folder = self.folder / "certificates"
        chain = pem.read_certificates(folder / f"{name}.pem")
        key = keys.read_key(folder / f"{name}.key", None)
        served = serve_response(chain, key, folder, 200, json.dumps({"response": response}))
        return f"https://localhost:{stack.enter_context(served).port}"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Generator[Place]:
    program, folder = find_program(), tmp_path_factory.mktemp("cluster")
    with (
        start_control_plane(program, tmp_path_factory.mktemp("plane")) as plane,
        ExitStack() as ended,
        pytest.MonkeyPatch.context() as patch,
    ):
        setup = ClusterSetup(plane, folder, ended)
        patch.chdir(folder)
        away = ("tokens", "issue", "--config", "away", "--cluster", "a", "--output", "wrong")
        assert main([*away]) == 0
        assert (
            main(["tokens", "issue", "--config", "away", "--cluster", "b", "--output", "cut"]) == 0
        )
        Path("cut").chmod(0o600)
        Path("cut").write_text(Path("cut").read_text().strip()[:-3])
        made = ("--key-type", "p-256")
        assert main(["certs", "ca", "--dir", "foreign", *made]) == 0
        assert main(["certs", "server", "localhost", "--name", "soon", "--days", "9", *made]) == 0
        assert main(["certs", "server", "a.example", "--name", "example", *made]) == 0
        for name, labels in (("shop", {"istio-injection": "enabled"}), ("argocd", {})):
            plane.create("/api/v1/namespaces", {"metadata": {"name": name, "labels": labels}})
            accounts = f"/api/v1/namespaces/{name}/serviceaccounts"
            plane.create(accounts, {"metadata": {"name": "default"}})
        yield Place(plane, setup, folder)


def find_free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


Words = Callable[[Place, ExitStack], tuple[str, ...]]
# The number, the options of register, those of doctor, and whether a call by kube-apiserver fails.
CASES: tuple[tuple[str, Words, tuple[str, ...], bool], ...] = (
    ("", lambda _p, _s: (), (), False),
    ("D01", lambda _p, _s: ("--url", "https://hooks.invalid"), (), True),
    ("D02", lambda _p, _s: ("--url", f"https://localhost:{find_free_port()}"), (), True),
    ("D04", lambda p, s: ("--url", p.respond(s, "example", _SYNTHETIC)), (), True),
    ("D05", lambda p, s: ("--url", p.respond(s, "soon", _SYNTHETIC)), (), True),
    ("D06", lambda _p, _s: ("--ca-bundle", "foreign/ca.pem"), (), True),
    ("D07", lambda _p, _s: ("--token-file", "cut"), (), True),
    ("D09", lambda _p, _s: ("--token-file", "wrong"), (), True),
    ("D10", lambda _p, _s: (), ("--cluster", "prod-us"), False),
    ("D12", lambda _p, _s: ("--injector", "podgraf"), (), True),
    ("D23", lambda _p, _s: ("--namespace-selector", "istio-injection=enable"), (), False),
    ("D24", lambda _p, _s: ("--failure-policy", "Ignore"), (), False),
    ("D25", lambda p, s: ("--url", p.respond(s, "server", _SYNTHETIC)), (), True),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0] or "healthy")
def test_a_fault_in_a_real_cluster(
    case: tuple[str, Words, tuple[str, ...], bool],
    place: Place,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    number, words, options, fails = case
    with ExitStack() as stack:
        manifest = place.register(capsys, *words(place, stack))
        place.plane.create(_HOOKS, manifest)
        stack.callback(_delete, place, manifest)
        checks = diagnose(place, tmp_path, monkeypatch, capsys, *options)
    causes = find_causes(checks)
    if number in {"D05", "D25"}:  # the endpoint works for the synthetic review alone
        assert causes == {number, "D25"}, checks["D25"].get("reason")
        return
    assert causes == ({number} if number else set()), checks
    assert checks["D25"]["state"] == ("consequence" if fails else checks["D25"]["state"])
    if not fails:
        assert checks["D25"]["state"] in {"ok", "skipped"}, checks["D25"].get("reason")


def diagnose(
    place: Place,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *options: str,
) -> Mapping[str, Any]:
    """Run doctor in JSON; return the checks by number."""
    capsys.readouterr()
    with record_exchanges(place.plane) as (port, exchanges):
        write_kubeconfig(folder / "kubeconfig", port)
        monkeypatch.setenv("KUBECONFIG", str(folder / "kubeconfig"))
        started = time.monotonic()
        main(["doctor", "--context", "admin", "-o", "json", *options])
        seconds = time.monotonic() - started
        assert exchanges.methods <= {"GET", "POST"}
    out, err = capsys.readouterr()
    for file in ("token", "wrong", "cut"):
        assert (place.folder / file).read_text().strip() not in out + err
    assert seconds < _MAX_SECONDS, f"{seconds:.1f} s"
    [cluster] = json.loads(out)["clusters"]
    return {each["id"]: each for each in cluster["checks"]}


def find_causes(checks: Mapping[str, Any]) -> set[str]:
    return {name for name, each in checks.items() if each["state"] == "fault"}


def _delete(place: Place, manifest: Any) -> None:
    place.plane.request("DELETE", f"{_HOOKS}/{manifest['metadata']['name']}")


def test_a_cluster_without_a_registration(
    place: Place,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert find_causes(diagnose(place, tmp_path, monkeypatch, capsys)) == {"D20"}


def test_a_field_that_another_manager_changed(
    place: Place,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Applied by server-side apply, then edited."""
    manifest = place.register(capsys)
    name = manifest["metadata"]["name"]
    with ExitStack() as stack:
        stack.callback(_delete, place, manifest)
        apply = {"Content-Type": "application/apply-patch+yaml"}
        path = f"{_HOOKS}/{name}?fieldManager=kubectl&force=true"
        status, body = place.plane.request("PATCH", path, manifest, apply)
        assert status == 201, body
        checks = diagnose(place, tmp_path, monkeypatch, capsys)
        assert find_causes(checks) == set(), checks
        patch = [{"op": "replace", "path": "/webhooks/0/timeoutSeconds", "value": 3}]
        edit = {"Content-Type": "application/json-patch+json"}
        path = f"{_HOOKS}/{name}?fieldManager=kubectl-edit"
        assert place.plane.request("PATCH", path, patch, edit)[0] == 200
        checks = diagnose(place, tmp_path, monkeypatch, capsys)
    assert find_causes(checks) == {"D21"}
    [finding] = checks["D21"]["findings"]
    assert finding["problem"] == "kubectl-edit changed timeoutSeconds"


def test_two_registrations_of_one_injector(
    place: Place,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    first = place.register(capsys)
    second = {**first, "metadata": {**first["metadata"], "name": "podgraft-old"}}
    with ExitStack() as stack:
        for manifest in (first, second):
            place.plane.create(_HOOKS, manifest)
            stack.callback(_delete, place, manifest)
        checks = diagnose(place, tmp_path, monkeypatch, capsys)
    assert find_causes(checks) == {"D22"}
