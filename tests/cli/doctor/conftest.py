"""A cluster with one registration, and podgraft serve on this machine as its endpoint."""

import json
import shutil
from base64 import b64encode
from collections.abc import Generator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from podgraft.cli import main
from podgraft.cli.certs import keys, pem
from podgraft.cli.doctor import diagnosis
from podgraft.cli.doctor.diagnosis import Diagnosis, Request
from podgraft.kube import yaml
from service.serve.running import serving
from support.fake_cluster import make_cluster
from support.tls_endpoint import serve_response

SAMPLE = Path(__file__).parents[3] / "samples" / "istio"
HOOKS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
NAMESPACES = "/api/v1/namespaces"
DRY_RUN = "POST /api/v1/namespaces/shop/pods"
STORE = ("--config", "store", "--cluster")
CONTAINERS: Any = [{"name": "app"}, {"name": "istio-proxy"}]
INJECTED: Any = {"spec": {"containers": CONTAINERS}}


@dataclass(slots=True)
class Site:
    """The folder with the files of an operator, and the port of the server."""

    folder: Path
    port: int
    stack: ExitStack = field(default_factory=ExitStack)

    def token(self, name: str = "token") -> str:
        """The text of a token."""
        return (self.folder / name).read_text().strip()

    def registration(
        self, *, port: int | None = None, host: str = "127.0.0.1", ca: str | None = "ca", **own: Any
    ) -> Any:
        """A registration of one webhook, with the token of prod-eu."""
        token, injector = own.pop("token", self.token()), own.pop("injector", "istio")
        path = f"/k/{token}/{injector}/inject" if token else f"/{injector}/inject"
        client: Any = {"url": f"https://{host}:{port or self.port}{path}"}
        if ca is not None:
            text = (self.folder / "certificates" / f"{ca}.pem").read_bytes()
            client["caBundle"] = b64encode(text).decode()
        hook: Any = {
            "name": "istio.inject.podgraft.dev",
            "clientConfig": client,
            "failurePolicy": "Fail",
            "namespaceSelector": {"matchLabels": {"istio-injection": "enabled"}},
            "objectSelector": {},
            "rules": [
                {
                    "apiGroups": [""],
                    "apiVersions": ["v1"],
                    "operations": ["CREATE"],
                    "resources": ["pods"],
                    "scope": "Namespaced",
                }
            ],
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            "timeoutSeconds": 10,
            **own,
        }
        return {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "MutatingWebhookConfiguration",
            "metadata": {
                "name": "podgraft-istio",
                "labels": {"app.kubernetes.io/name": "podgraft"},
            },
            "webhooks": [hook],
        }

    def respond(
        self, status: int, response: Any, *, name: str = "server", old_tls: bool = False
    ) -> int:
        """Start an endpoint with one response; return its port."""
        folder = self.folder / "certificates"
        chain = pem.read_certificates(folder / f"{name}.pem")
        key = keys.read_key(folder / f"{name}.key", None)
        serve = serve_response(chain, key, folder, status, json.dumps(response), old_tls=old_tls)
        return self.stack.enter_context(serve).port

    def objects(self, *registrations: Any, **responses: Any) -> Mapping[str, Any]:
        """The objects of the cluster, which has a healthy control plane."""
        return {
            HOOKS: list(registrations),
            NAMESPACES: [make_namespace("shop", **{"istio-injection": "enabled"})],
            DRY_RUN: INJECTED,
            **responses,
        }

    def diagnose(self, objects: Mapping[str, Any], **request: Any) -> Diagnosis:
        """The diagnosis of the cluster."""
        return diagnosis.examine(make_cluster(objects), "prod", Request(**request))


def make_namespace(name: str, **labels: str) -> Any:
    """A Namespace."""
    own = {"kubernetes.io/metadata.name": name, **labels}
    return {"kind": "Namespace", "metadata": {"name": name, "labels": own}}


def make_response(**annotations: str) -> Any:
    """The response to the synthetic review."""
    annotations = {"decision": "inject", "policy-version": "12", **annotations}
    review: Any = {"uid": "podgraft-synthetic-review", "allowed": True, "patch": "W10="}
    return {"response": {**review, "auditAnnotations": annotations}}


@pytest.fixture(scope="session")
def operator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Certificates of two CAs, a store, and tokens."""
    path = tmp_path_factory.mktemp("doctor")
    made = ("--key-type", "p-256")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path)
        assert main(["certs", "ca", *made]) == 0
        assert main(["certs", "ca", "--dir", "other", *made]) == 0
        shutil.copy("other/ca.pem", "certificates/other.pem")
        for name, words in (("server", ()), ("soon", ("--days", "9"))):
            assert main(["certs", "server", "127.0.0.1", "--name", name, *words, *made]) == 0
        assert main(["certs", "server", "a.example", "--name", "example", *made]) == 0
        shutil.copytree(SAMPLE / "bundle", "store/istio/bundle")
        Path("store/istio/policy.yaml").write_text("istioRelease: '1.30'\n")
        for cluster, token, lifetime in (
            ("prod-eu", "token", "90d"),
            ("prod-soon", "soon", "5d"),
            ("prod-office", "office", "90d"),
        ):
            words = ("--expires", lifetime, "--output", token)
            assert main(["tokens", "issue", *STORE, cluster, *words]) == 0
        away = ("--config", "away", "--cluster", "a", "--output")
        assert main(["tokens", "issue", *away, "wrong"]) == 0
        office: Any = yaml.load(Path("store/auth/prod-office.yaml").read_text())
        office["sources"] = ["198.51.100.0/24"]
        Path("store/auth/prod-office.yaml").write_text(yaml.dump(office))
    return path


@pytest.fixture(scope="session")
def port(operator: Path) -> Generator[int]:
    """The port of podgraft serve."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(operator)
        with serving(operator) as server:
            yield server.port


@pytest.fixture
def site(operator: Path, port: int, monkeypatch: pytest.MonkeyPatch) -> Generator[Site]:
    """The site of one test."""
    monkeypatch.chdir(operator)
    with ExitStack() as stack:
        yield Site(operator, port, stack)
