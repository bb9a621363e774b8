"""MutatingAdmissionPolicies: podgraft's objects are those that kube-apiserver makes itself."""

import json
import shutil
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from e2e.live.cluster_setup import ClusterSetup
from e2e.live.control_plane import ControlPlane, find_program, start_control_plane
from podgraft.cli import main
from podgraft.kube import yaml

_ROOT = Path(__file__).parents[3]
_SAMPLE = _ROOT / "samples" / "mutating-policy" / "bundle"
_ADMISSION = "/apis/admissionregistration.k8s.io/v1"
_WEBHOOKS = f"{_ADMISSION}/mutatingwebhookconfigurations"
_PATHS = {
    "CustomResourceDefinition": "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    "MutatingAdmissionPolicy": f"{_ADMISSION}/mutatingadmissionpolicies",
    "MutatingAdmissionPolicyBinding": f"{_ADMISSION}/mutatingadmissionpolicybindings",
    "TeamDefaults": "/apis/platform.example.com/v1/namespaces/shop/teamdefaults",
}
# The second mutation reads a default of what the first one adds; the third one fails. Kubernetes
# has no order of policies, so the container has the field that another policy sets already.
_DEFAULTS = """
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: side}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}
  matchConditions:
  - {name: one, expression: "!object.spec.containers.exists(c, c.name == 'side')"}
  failurePolicy: Ignore
  reinvocationPolicy: IfNeeded
  mutations:
  - patchType: JSONPatch
    jsonPatch:
      expression: >-
        [JSONPatch{op: 'add', path: '/spec/containers/-', value: Object.spec.containers{
        name: 'side', image: 'side', ports: [Object.spec.containers.ports{containerPort: 9}],
        securityContext: Object.spec.containers.securityContext{runAsUser: 1}}}]
  - patchType: ApplyConfiguration
    applyConfiguration:
      expression: >-
        Object{metadata: Object.metadata{annotations: {
        'ports': object.spec.containers.filter(c, c.name == 'side')
        .map(c, c.ports[0].protocol + c.imagePullPolicy).join(',')}}}
  - patchType: JSONPatch
    jsonPatch: {expression: "[JSONPatch{op: 'remove', path: '/spec/nope'}]"}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: side}
spec: {policyName: side, matchResources: {objectSelector: {matchLabels: {side: wanted}}}}
"""
_SECONDS = 60
_FIELDS = ("uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "name")
_PODS: tuple[Any, ...] = (
    {"containers": [{"name": "web", "image": "web:1"}]},
    {
        "containers": [
            {"name": "web", "image": "web", "env": [{"name": "LOG_LEVEL", "value": "debug"}]},
            {"name": "cache", "image": "redis:8", "securityContext": {"runAsUser": 1}},
        ]
    },
    {"containers": [{"name": "a", "image": "a", "ports": [{"containerPort": 80}]}]},
)


@dataclass(frozen=True, slots=True)
class Place:
    """A cluster without policies, and podgraft with those of the sample."""

    plane: ControlPlane
    setup: ClusterSetup
    folder: Path

    def create_pods(self) -> list[Any]:
        """The pods as kube-apiserver would store them."""
        path = "/api/v1/namespaces/shop/pods?dryRun=All"
        pods: list[Any] = []
        for number, spec in enumerate(_PODS):
            labels = {"side": "wanted"} if number else {}
            pod = {"metadata": {"name": f"web-{number}", "labels": labels}, "spec": spec}
            status, body = self.plane.request("POST", path, pod)
            assert status == 201, body.decode()
            pods.append(_without_generated(json.loads(body)))
        return pods

    def wait_until(self, condition: Callable[[], bool]) -> None:
        """Repeat requests until a condition holds: kube-apiserver reads policies once a second."""
        deadline = time.monotonic() + _SECONDS
        while not condition():
            assert time.monotonic() < deadline, "the policies are not in force"
            time.sleep(0.2)  # between two requests

    def try_create(self, document: Any) -> bool:
        """Whether an object can be created; a custom resource needs its definition first."""
        status, body = self.plane.request("POST", _PATHS[document["kind"]], document)
        assert status in {201, 404, 409}, body.decode()
        return status in {201, 409}

    def is_mutated(self) -> bool:
        """Whether all policies change pods."""
        plain, *selected = self.create_pods()
        has_both = (
            "labels" in plain["metadata"] and "securityContext" in plain["spec"]["containers"][0]
        )
        return has_both and all("annotations" in pod["metadata"] for pod in selected)

    def has_own_policies(self, key: str) -> bool:
        """Whether policies of the cluster set a field in a namespace without the webhook."""
        path = "/api/v1/namespaces/other/pods?dryRun=All"
        metadata = {"name": "web", "labels": {"side": "wanted"}}
        pod = {"metadata": metadata, "spec": _PODS[0]}
        status, body = self.plane.request("POST", path, pod)
        assert status == 201, body.decode()
        return f'"{key}"' in body.decode()

    def is_unchanged(self) -> bool:
        """Whether no policy changes a pod."""
        return not any(
            "annotations" in pod["metadata"] or "team" in pod["metadata"].get("labels", {})
            for pod in self.create_pods()
        )


def _without_generated(pod: Any) -> Any:
    metadata = {key: value for key, value in pod["metadata"].items() if key not in _FIELDS}
    spec = dict(pod["spec"])
    # The names of the token's volume are random.
    spec.pop("volumes", None)
    for container in spec["containers"]:
        container.pop("volumeMounts", None)
    return {"metadata": metadata, "spec": spec}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Generator[Place]:
    program, folder = find_program(), tmp_path_factory.mktemp("cluster")
    with (
        start_control_plane(program, tmp_path_factory.mktemp("plane")) as plane,
        ExitStack() as ended,
    ):
        setup = ClusterSetup(plane, folder, ended)
        injector = folder / "store" / "policies"
        shutil.copytree(_SAMPLE, injector / "bundle")
        (injector / "bundle" / "defaults.yaml").write_text(_DEFAULTS)
        (injector / "policy.yaml").write_text("policy: enabled\n")
        for name in ("shop", "other"):
            plane.create("/api/v1/namespaces", {"metadata": {"name": name}})
            accounts = f"/api/v1/namespaces/{name}/serviceaccounts"
            plane.create(accounts, {"metadata": {"name": "default"}})
        yield Place(plane, setup, folder)


def _read_documents(folder: Path) -> list[Any]:
    """The documents of a bundle: parameters after their definition, and bindings last."""
    return [
        document
        for path in sorted(folder.iterdir())
        for document in yaml.load_all(path.read_text())
    ]


def _delete_policies(place: Place, documents: list[Any]) -> None:
    for document in documents:
        if document["kind"].startswith("Mutating"):
            name = document["metadata"]["name"]
            place.plane.request("DELETE", f"{_PATHS[document['kind']]}/{name}")
    place.wait_until(place.is_unchanged)


def _register(place: Place, *options: str) -> int:
    folder = place.folder / "store" / "policies"
    target = ["register", str(folder), "--url", place.setup.endpoint, "--allow-loopback"]
    target += ["--injector", "policies", "--no-inject"]
    target += ["--namespace-selector", "kubernetes.io/metadata.name=shop"]
    target += ["--ca-bundle", "certificates/ca.pem", "--token-file", "token"]
    return main([*target, *options])


def test_stored_objects_are_those_of_kube_apiserver(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    documents = _read_documents(place.folder / "store" / "policies" / "bundle")
    for document in documents:
        place.wait_until(partial(place.try_create, document))
    place.wait_until(place.is_mutated)
    expected = place.create_pods()
    _delete_policies(place, documents)

    monkeypatch.chdir(place.folder)
    capsys.readouterr()
    assert _register(place) == 0
    webhook = place.plane.create(_WEBHOOKS, yaml.load(capsys.readouterr().out))
    place.wait_until(place.is_mutated)
    assert place.create_pods() == expected

    # The cluster moves to its own policies.
    exported = place.folder / "native"
    command = ["policy", "export", "--native", "--kubernetes", "1.37", "-o", str(exported)]
    assert main([*command, "--config", "store/policies"]) == 0
    (place.folder / "part").mkdir()
    for path in exported.glob("*-no-new-privileges.yaml"):  # podgraft runs it first, too
        shutil.copy(path, place.folder / "part")
    for part, key in (("part", "allowPrivilegeEscalation"), ("native", "ports")):
        for document in _read_documents(place.folder / part):
            place.wait_until(partial(place.try_create, document))
            assert place.is_mutated()  # no gap: for a moment, both are in force
        place.wait_until(partial(place.has_own_policies, key))
        capsys.readouterr()
        if part == "part":
            assert _register(place, "--native", part) == 0
            printed = capsys.readouterr()
            assert "remove no-new-privileges from the bundle" in printed.err
            changed: Any = yaml.load(printed.out)
            path = f"{_WEBHOOKS}/{webhook['metadata']['name']}"
            place.plane.replace(path, {**changed, "metadata": webhook["metadata"]})
            assert place.create_pods() == expected
    assert _register(place, "--native", "native") == 1
    name = capsys.readouterr().err.rsplit("mutatingwebhookconfiguration ", 1)[1].strip()
    assert place.plane.request("DELETE", f"{_WEBHOOKS}/{name}")[0] == 200
    place.wait_until(lambda: place.is_mutated() and place.create_pods() == expected)
    assert place.plane.request("GET", f"{_WEBHOOKS}/{name}")[0] == 404
