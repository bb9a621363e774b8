"""The test cluster: podgraft serve as istiod, as itself, and as another injector behind both."""

import contextlib
import io
import os
import shutil
import subprocess
import sys
from base64 import b64encode
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path
from threading import Thread
from typing import Any

from e2e.live import cluster_objects as objects
from e2e.live.control_plane import ControlPlane
from podgraft.cli import main
from support.istio_samples import add_gateway_template

CLUSTER = "prod-eu"
_NATIVE = {"name": "ENABLE_NATIVE_SIDECARS", "value": "false"}
_NAMESPACED = "/api/v1/namespaces"
_ADMISSION = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"


class ClusterSetup:
    """Creates the objects of the cluster; ``token`` must not stay in recordings."""

    def __init__(self, plane: ControlPlane, folder: Path, stack: ExitStack) -> None:
        self._plane = plane
        self._folder = folder
        self._certificates = folder / "certificates"
        self._make_store()
        self._address = stack.enter_context(_start_server(self._serve_command()))

    @property
    def token(self) -> str:
        """The token of the cluster, in the paths of the webhooks."""
        return (self._folder / "token").read_text().strip()

    @property
    def endpoint(self) -> str:
        """The URL of podgraft."""
        return f"https://localhost:{self._address.rpartition(':')[2]}"

    def create_istio(self) -> None:
        """The first state: pods of two revisions, of podgraft, and without injection."""
        self._create_namespaces(*objects.NAMESPACES)
        for manifest in objects.read_access():
            self._plane.create(_access_path(manifest), manifest)
        self._create_istiod("default", _NATIVE)
        secret = {"secretKeyRef": {"name": "istiod", "key": "platform"}}
        self._create_istiod(
            "canary",
            _NATIVE,
            {"name": "PLATFORM", "valueFrom": secret},
            {"name": "SHARED_MESH_CONFIG", "value": "shared"},
            {"name": "CLUSTER_ID", "value": "east"},
        )
        service = {"metadata": {"name": "istiod"}, "spec": {"ports": [{"port": 443}]}}
        self._plane.create(f"{_NAMESPACED}/istio-system/services", service)
        self._create_limits()
        self._create_pods("shop", "early", count=1)  # before the webhooks exist
        self._create_webhooks()
        self._create_pods("shop", "web", count=3)
        self._create_pods("shop", "vault", count=1, **{"secrets.example.com/role": "api"})
        self._create_pods("canary", "web", count=1)
        self._create_pods("moved", "web", count=1)
        self._create_pods("plain", "web", count=1)

    def create_default_revision(self) -> None:
        """Istio's ConfigMaps, istiod, and its webhook; the namespace shop is injected."""
        self._create_namespaces("istio-system", "shop")
        self._create_istiod("default", _NATIVE)
        [injector, _] = objects.config_maps("default")
        add_gateway_template(injector)
        path = f"{_NAMESPACED}/istio-system/configmaps/{injector['metadata']['name']}"
        self._plane.replace(path, injector)
        self._create_webhook("default")

    def create_pods(self, name: str, count: int) -> None:
        """Create pods of one workload, which istiod injects."""
        self._create_pods("shop", name, count=count)

    def upgrade(self) -> None:
        """The second state: istiod of the default revision has another image."""
        tags = (objects.OLD_TAG, objects.NEW_TAG)
        for manifest in objects.config_maps("default", replace=tags):
            name = manifest["metadata"]["name"]
            self._plane.replace(f"{_NAMESPACED}/istio-system/configmaps/{name}", manifest)

    def _make_store(self) -> None:
        store = self._folder / "store"
        for injector, sample in (("default", "istio"), ("vault", "vault-agent")):
            shutil.copytree(objects.SAMPLES / sample / "bundle", store / injector / "bundle")
        (store / "vault" / "bundle" / "agent.yaml").write_text(objects.AGENT)
        (store / "default" / "policy.yaml").write_text("features: {nativeSidecars: false}\n")
        for revision in ("canary", "podgraft"):
            shutil.copytree(store / "default", store / revision)
            policy = f"revision: {revision}\nfeatures: {{nativeSidecars: false}}\n"
            (store / revision / "policy.yaml").write_text(policy)
        mine = ("--dir", self._certificates, "--key-type", "p-256")
        _run("certs", "ca", *mine)
        _run("certs", "server", "localhost", *mine)
        place = ("--config", store, "--output", self._folder / "token")
        _run("tokens", "issue", "--cluster", CLUSTER, *place)

    def _serve_command(self) -> list[str | Path]:
        certificate = self._certificates / "server.pem"
        return [
            *(sys.executable, "-m", "podgraft", "serve", "--host", "127.0.0.1", "--port", "0"),
            *("--store", self._folder / "store", "--workers", "1"),
            *("--cert", certificate, "--key", certificate.with_suffix(".key")),
        ]

    def _create_namespaces(self, *names: str) -> None:
        for name in names:
            metadata = {"name": name, "labels": dict(objects.NAMESPACES[name])}
            self._plane.create(_NAMESPACED, {"metadata": metadata})
            account = {"metadata": {"name": "default"}}
            self._plane.create(f"{_NAMESPACED}/{name}/serviceaccounts", account)

    def _create_istiod(self, revision: str, *env: Any) -> None:
        for manifest in objects.config_maps(revision):
            self._plane.create(f"{_NAMESPACED}/istio-system/configmaps", manifest)
        deployments = "/apis/apps/v1/namespaces/istio-system/deployments"
        self._plane.create(deployments, objects.istiod(revision, *env))

    def _create_limits(self) -> None:
        """A LimitRange: the admission plugin sets resources of sidecars too."""
        limits = [{"type": "Container", "default": {"ephemeral-storage": "1Gi"}}]
        limit_range = {"metadata": {"name": "limits"}, "spec": {"limits": limits}}
        self._plane.create(f"{_NAMESPACED}/shop/limitranges", limit_range)

    def _create_webhooks(self) -> None:
        self._create_webhook("default")
        self._create_webhook("canary")
        client = self._client("vault/inject")
        vault = objects.webhook("vault.hashicorp.com", client, {})
        self._plane.create(
            _ADMISSION, objects.webhook_configuration("vault-agent-injector", {}, vault)
        )
        selector = {"matchLabels": {"istio.io/rev": "podgraft"}}
        moved = objects.webhook(
            "podgraft.inject.podgraft.dev", self._client("podgraft/inject"), selector
        )
        elsewhere = objects.webhook(
            "old.inject.podgraft.dev",
            {"url": "https://old.example.com/inject", "caBundle": self._ca_bundle()},
            {"matchLabels": {"never": "matches"}},
        )
        labels = {"app.kubernetes.io/name": "podgraft", "app.kubernetes.io/instance": "podgraft"}
        self._plane.create(
            _ADMISSION,
            objects.webhook_configuration("podgraft-podgraft", labels, moved, elsewhere),
        )
        gone = objects.webhook(
            "gone.sidecar-injector.istio.io",
            {"service": {"namespace": "istio-system", "name": "istiod-gone", "path": "/inject"}},
            {"matchLabels": {"istio.io/rev": "gone"}},
        )
        labels = {"istio.io/rev": "gone"}
        name = "istio-sidecar-injector-gone"
        self._plane.create(_ADMISSION, objects.webhook_configuration(name, labels, gone))

    def _create_webhook(self, revision: str) -> None:
        """The webhook of istiod, for the label of the revision."""
        is_default = revision == "default"
        suffix, injector = ("", "") if is_default else (f"-{revision}", f"{revision}/")
        label = {"istio-injection": "enabled"} if is_default else {"istio.io/rev": revision}
        hook = objects.webhook(
            "namespace.sidecar-injector.istio.io",
            self._client(f"{injector}inject"),
            {"matchLabels": label},
        )
        labels = {"app": "sidecar-injector", "istio.io/rev": revision}
        name = f"istio-sidecar-injector{suffix}"
        self._plane.create(_ADMISSION, objects.webhook_configuration(name, labels, hook))

    def _client(self, path: str) -> Any:
        url = f"https://localhost:{self._address.rpartition(':')[2]}/k/{self.token}/{path}"
        return {"url": url, "caBundle": self._ca_bundle()}

    def _ca_bundle(self) -> str:
        return b64encode((self._certificates / "ca.pem").read_bytes()).decode()

    def _create_pods(self, namespace: str, name: str, count: int, **annotations: str) -> None:
        owner = self._plane.create(
            f"/apis/apps/v1/namespaces/{namespace}/replicasets",
            objects.replica_set(f"{name}-6d4cf56db6", objects.web_template(name, **annotations)),
        )
        for number in range(count):
            path = f"{_NAMESPACED}/{namespace}/pods"
            self._plane.create(path, objects.pod_of(owner, f"abc{number}"))


def _access_path(manifest: Any) -> str:
    namespace = manifest["metadata"].get("namespace")
    scope = f"/namespaces/{namespace}" if namespace else ""
    plural = f"{manifest['kind'].lower()}s"
    return f"/apis/rbac.authorization.k8s.io/v1{scope}/{plural}"


@contextlib.contextmanager
def _start_server(command: list[str | Path]) -> Generator[str]:
    unbuffered = os.environ | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=unbuffered) as process:
        assert process.stdout is not None
        prefix = "podgraft listens on https://"
        try:
            line = next(line for line in process.stdout if line.startswith(prefix))
            # The server would wait when the pipe is full of log lines.
            Thread(target=process.stdout.read, daemon=True).start()
            yield line.strip().removeprefix(prefix)
        finally:
            process.terminate()


def _run(*words: str | Path) -> None:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main([str(word) for word in words])
    assert status == 0, err.getvalue()
