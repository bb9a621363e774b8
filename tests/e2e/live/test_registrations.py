"""Registrations in a real cluster: what they select, and what finds their faults."""

import shutil
from collections.abc import Generator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from e2e.live.cluster_setup import ClusterSetup
from e2e.live.control_plane import ControlPlane, find_program, start_control_plane
from e2e.live.exchanges import record_exchanges, write_kubeconfig
from podgraft.cli import main
from podgraft.kube import yaml

_HOOKS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
_POD = {"spec": {"containers": [{"name": "app", "image": "app"}]}}


@dataclass(frozen=True, slots=True)
class Place:
    """A cluster without Istio, podgraft, and the folder with certificates and tokens."""

    plane: ControlPlane
    setup: ClusterSetup
    folder: Path
    server: ExitStack

    def register(self, *words: str) -> int:
        """Run podgraft register with the endpoint and its CA."""
        target = ("--url", self.setup.endpoint, "--allow-loopback", "--injector", "podgraft")
        authority = ("--ca-bundle", str(self.folder / "certificates" / "ca.pem"))
        return main(["register", *target, *authority, *words])

    def add_namespace(self, name: str, **labels: str) -> None:
        """Create a namespace with a service account."""
        self.plane.create("/api/v1/namespaces", {"metadata": {"name": name, "labels": labels}})
        accounts = f"/api/v1/namespaces/{name}/serviceaccounts"
        self.plane.create(accounts, {"metadata": {"name": "default"}})

    def try_pod(self, namespace: str) -> tuple[int, str]:
        """Create a pod as a dry run; return status and body."""
        path = f"/api/v1/namespaces/{namespace}/pods?dryRun=All"
        status, body = self.plane.request("POST", path, {"metadata": {"name": "web"}, **_POD})
        return status, body.decode()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Generator[Place]:
    program, folder = find_program(), tmp_path_factory.mktemp("cluster")
    with (
        start_control_plane(program, tmp_path_factory.mktemp("plane")) as plane,
        ExitStack() as ended,
    ):
        setup = ClusterSetup(plane, folder, ended)
        found = Place(plane, setup, folder, ended)
        found.add_namespace("shop", **{"istio-injection": "enabled"})
        found.add_namespace("argocd")
        yield found


def test_a_registration_without_a_choice_is_refused(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    assert place.register("--token-file", str(place.folder / "token")) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "the namespaces are missing; choose one of" in captured.err


FAULTS = (
    ("wrong injector", ("--injector", "nosuch"), "token", "certificates", "responds 404"),
    ("wrong token", (), "wrong", "certificates", "responds 401 (Unauthorized): the token belongs"),
    ("no token", (), "", "certificates", "the URL contains no token"),
    ("wrong CA", (), "token", "foreign", "kube-apiserver would not trust localhost:"),
    ("right", (), "token", "certificates", ""),
)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault[0])
def test_reviews_find_what_kube_apiserver_meets(
    fault: tuple[str, tuple[str, ...], str, str, str],
    place: Place,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    name, words, token, ca, problem = fault
    monkeypatch.chdir(place.folder)
    _make_faulty_files(place.folder)
    capsys.readouterr()
    target = ["register", "--url", place.setup.endpoint, "--allow-loopback"]
    target += ["--namespace-selector", "istio-injection=enabled", "--ca-bundle", f"{ca}/ca.pem"]
    target += words or ("--injector", "podgraft")
    target += ["--token-file", token] if token else []
    assert main(target) == 0
    manifest: Any = yaml.load(capsys.readouterr().out)
    assert main([*target, "--test"]) == bool(problem)
    err = capsys.readouterr().err
    assert (problem or ": inject (") in err

    place.plane.create(_HOOKS, manifest)
    try:
        status, body = place.try_pod("shop")
        assert (status == 201) is not bool(problem), body
        assert ("istio-proxy" in body) is not bool(problem), name
        with record_exchanges(place.plane) as (port, exchanges):
            write_kubeconfig(tmp_path / "kubeconfig", port)
            monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))
            assert main(["status", "--test", "--context", "admin"]) == bool(problem)
            out, err = capsys.readouterr()
            assert exchanges.methods == {"GET"}
        assert problem in err
        assert ("fails" if problem else "inject (") in out
        secrets = [Path(file).read_text().strip() for file in ("token", "wrong")]
        assert not any(secret in out + err for secret in secrets)
    finally:
        place.plane.request("DELETE", f"{_HOOKS}/{manifest['metadata']['name']}")


def _make_faulty_files(folder: Path) -> None:
    if (folder / "wrong").exists():
        return
    away = ("--config", "away", "--cluster", "a", "--output", "wrong")
    assert main(["tokens", "issue", *away]) == 0
    assert main(["certs", "ca", "--dir", "foreign", "--key-type", "p-256"]) == 0
    shutil.rmtree("away")


def test_other_namespaces_go_on_while_the_endpoint_is_stopped(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last test of the module: it stops podgraft."""
    selector = ("--namespace-selector", "istio-injection=enabled")
    assert place.register("--token-file", str(place.folder / "token"), *selector) == 0
    place.plane.create(_HOOKS, yaml.load(capsys.readouterr().out))
    status, body = place.try_pod("shop")
    assert (status, "istio-proxy" in body) == (201, True), body
    status, body = place.try_pod("argocd")
    assert (status, "istio-proxy" in body) == (201, False), body
    place.server.close()
    status, body = place.try_pod("shop")
    assert (status, "failed calling webhook" in body) == (500, True), body
    status, body = place.try_pod("argocd")
    assert (status, "istio-proxy" in body) == (201, False), body
