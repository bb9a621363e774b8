"""What controllers and kubelets do with Deployments, in a control plane that has neither."""

import hashlib
import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from e2e.live import cluster_objects as objects
from e2e.live.control_plane import ControlPlane

_PAUSE_SECONDS = 0.1
_MERGE_PATCH = {"Content-Type": "application/merge-patch+json"}


@contextmanager
def roll_out(plane: ControlPlane, namespace: str) -> Generator[None]:
    """During the block, each Deployment has one pod of its newest template, which is ready."""
    stopped = threading.Event()

    def run() -> None:
        while not stopped.wait(_PAUSE_SECONDS):
            for each in _list(plane, f"/apis/apps/v1/namespaces/{namespace}/deployments"):
                _roll_out(plane, namespace, each)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()


def _list(plane: ControlPlane, path: str) -> list[Any]:
    items: list[Any] = json.loads(plane.request("GET", path)[1])["items"]
    return items


def _roll_out(plane: ControlPlane, namespace: str, deployment: Any) -> None:
    """Replace the pod if the template differs, and report it as ready."""
    name, template = deployment["metadata"]["name"], deployment["spec"]["template"]
    digest = hashlib.sha256(json.dumps(template, sort_keys=True).encode()).hexdigest()[:10]
    sets = f"/apis/apps/v1/namespaces/{namespace}/replicasets"
    owned = [each["metadata"]["name"] for each in _list(plane, sets)]
    current = f"{name}-{digest}"
    if current in owned:
        return
    labels = {**template["metadata"]["labels"], "pod-template-hash": digest}
    metadata = {**template["metadata"], "labels": labels}
    owner = plane.create(sets, objects.replica_set(current, {**template, "metadata": metadata}))
    pods = f"/api/v1/namespaces/{namespace}/pods"
    before = [each["metadata"]["name"] for each in _list(plane, pods)]
    plane.create(pods, objects.pod_of(owner, "abc01"))
    for old in (each for each in before if each.startswith(f"{name}-")):
        plane.request("DELETE", f"{pods}/{old}")
    for old in (each for each in owned if each.startswith(f"{name}-")):
        plane.request("DELETE", f"{sets}/{old}?propagationPolicy=Background")
    counts = dict.fromkeys(("replicas", "updatedReplicas", "readyReplicas", "availableReplicas"), 1)
    status = {"observedGeneration": deployment["metadata"]["generation"], **counts}
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments/{name}/status"
    code, body = plane.request("PATCH", path, {"status": status}, _MERGE_PATCH)
    assert code == 200, body.decode()
