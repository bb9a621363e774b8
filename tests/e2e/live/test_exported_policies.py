"""Exported policies in kube-apiserver: the stored pods are those that podgraft makes."""

import json
import time
from collections.abc import Callable, Generator
from typing import Any

import pytest

from e2e.live.control_plane import ControlPlane, find_program, start_control_plane
from podgraft.base.jsonvalue import object_at
from podgraft.kube import yaml
from support.native_reviews import SAMPLES, load_pair

_ADMISSION = "/apis/admissionregistration.k8s.io/v1"
_PATHS = {
    "MutatingAdmissionPolicy": f"{_ADMISSION}/mutatingadmissionpolicies",
    "MutatingAdmissionPolicyBinding": f"{_ADMISSION}/mutatingadmissionpolicybindings",
}
_SECONDS = 60
_GENERATED = ("uid", "resourceVersion", "creationTimestamp", "generation", "managedFields")
_TOKEN = "kube-api-access-"


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Generator[ControlPlane]:
    with start_control_plane(find_program(), tmp_path_factory.mktemp("plane")) as started:
        yield started


def create_namespace(plane: ControlPlane, namespace: Any) -> None:
    path = "/api/v1/namespaces"
    status, body = plane.request("POST", path, namespace)
    if status == 409 and len(namespace["metadata"]) > 1:  # of another sample
        path = f"{path}/{namespace['metadata']['name']}"
        status, body = plane.request("PUT", path, namespace)
    assert status in {200, 201, 409}, body.decode()
    accounts = f"/api/v1/namespaces/{namespace['metadata']['name']}/serviceaccounts"
    status, body = plane.request("POST", accounts, {"metadata": {"name": "default"}})
    assert status in {201, 409}, body.decode()


def create_account(plane: ControlPlane, pod: Any) -> None:
    name = pod["spec"].get("serviceAccountName", "default")
    path = f"/api/v1/namespaces/{pod['metadata']['namespace']}/serviceaccounts"
    status, body = plane.request("POST", path, {"metadata": {"name": name}})
    assert status in {201, 409}, body.decode()


def try_pod(plane: ControlPlane, pod: Any) -> Any:
    """The pod as kube-apiserver would store it, without what it generates."""
    path = f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods?dryRun=All"
    status, body = plane.request("POST", path, pod)
    assert status == 201, body.decode()
    stored = json.loads(body)
    for key in _GENERATED:
        stored["metadata"].pop(key, None)
    spec = stored["spec"]
    containers = (*spec["containers"], *spec.get("initContainers", []))
    for owner, key in ((spec, "volumes"), *((each, "volumeMounts") for each in containers)):
        owner[key] = [each for each in owner.get(key, []) if not each["name"].startswith(_TOKEN)]
    return {"metadata": stored["metadata"], "spec": spec}


def wait_for(read: Callable[[], Any], wanted: Any) -> Any:
    """Repeat requests until their result is as wanted: policies are in force after a second."""
    deadline = time.monotonic() + _SECONDS
    while (found := read()) != wanted and time.monotonic() < deadline:
        time.sleep(0.2)  # between two requests
    return found


_SAMPLES = (
    *("eks-pod-identity", "hello", "image-mirror", "linkerd", "logging", "opentelemetry"),
    *("opentelemetry-agents", "several-sidecars", "sidecar-resources", "vault-agent"),
)


@pytest.mark.parametrize("sample", _SAMPLES)
def test_stored_pods_are_those_of_podgraft(plane: ControlPlane, sample: str) -> None:
    pair = load_pair(SAMPLES / sample)
    inputs: list[Any] = [
        yaml.load_document(path.read_text())
        for path in sorted((SAMPLES / sample).glob("input.*.yaml"))
    ]
    pods = [each for each in inputs if each["kind"] == "Pod"]
    for namespace in pair.original.bundle.namespaces.values():
        create_namespace(plane, namespace)
    for pod in pods:
        pod["metadata"].setdefault("namespace", "default")
        create_namespace(plane, {"metadata": {"name": pod["metadata"]["namespace"]}})
        create_account(plane, pod)
    reviews = [pair.review_with_podgraft(pod) for pod in pods]
    pods = [pod for pod, (_, is_allowed) in zip(pods, reviews, strict=True) if is_allowed]
    expected = [try_pod(plane, after) for after, is_allowed in reviews if is_allowed]
    unchanged = [try_pod(plane, pod) for pod in pods]
    assert expected != unchanged

    for document in pair.export.documents:
        plane.create(_PATHS[str(document["kind"])], document)
    assert wait_for(lambda: [try_pod(plane, pod) for pod in pods], expected) == expected
    for document in pair.export.documents:
        name = object_at(document, "metadata")["name"]
        plane.request("DELETE", f"{_PATHS[str(document['kind'])]}/{name}")
    assert wait_for(lambda: [try_pod(plane, pod) for pod in pods], unchanged) == unchanged
