"""The pods that Kubernetes' controllers create: names, owners, and the labels that they add.

Sources: kubernetes 1.37, pkg/controller (deployment, job, cronjob, statefulset, daemon), Argo
Rollouts, and OpenShift's DeploymentConfig controller. Hashes and numbers are examples.
"""

from collections.abc import Callable, Mapping

from msgspec import Struct

from podgraft.base.jsonvalue import JSON, Object, object_at, string_at

_HASH = "0123456789"
_MINUTES = "29400000"  # a CronJob names its Jobs by the minutes since 1970
_UID = "00000000-0000-0000-0000-000000000000"


class _Owner(Struct, frozen=True):
    """The owner that the pod names, and what its controller adds to the pod."""

    api_version: str
    kind: str
    name: str
    labels: Mapping[str, str] = {}
    pod_name: str = ""


def make_pod(document: Object, template: Object) -> Object:
    """The pod of the first request that follows the creation of a workload."""
    metadata = object_at(template, "metadata")
    owner = _owner(document)
    reference: Object = {
        "apiVersion": owner.api_version,
        "kind": owner.kind,
        "name": owner.name,
        "uid": _UID,
        "controller": True,
        "blockOwnerDeletion": True,
    }
    names: Object = {"generateName": f"{owner.name}-"}
    if owner.pod_name:
        names["name"] = owner.pod_name
    labels: Object = {**object_at(metadata, "labels"), **owner.labels}
    added: Object = {"labels": labels, "ownerReferences": [reference]}
    spec: JSON = template["spec"]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {**metadata, **names, **added},
        "spec": spec,
    }


def _owner(document: Object) -> _Owner:
    name = string_at(document, "metadata", "name")
    kind, api_version = string_at(document, "kind"), string_at(document, "apiVersion")
    make = _OWNERS.get(kind)
    return make(name) if make else _Owner(api_version, kind, name)


def _replica_set(name: str, label: str) -> _Owner:
    name = f"{name}-{_HASH}"
    return _Owner("apps/v1", "ReplicaSet", name, {label: _HASH})


def _stateful_set(name: str) -> _Owner:
    labels = {
        "apps.kubernetes.io/pod-index": "0",
        "controller-revision-hash": f"{name}-{_HASH}",
        "statefulset.kubernetes.io/pod-name": f"{name}-0",
    }
    return _Owner("apps/v1", "StatefulSet", name, labels, f"{name}-0")


def _daemon_set(name: str) -> _Owner:
    labels = {"controller-revision-hash": _HASH, "pod-template-generation": "1"}
    return _Owner("apps/v1", "DaemonSet", name, labels)


def _job(name: str) -> _Owner:
    labels = {
        "batch.kubernetes.io/controller-uid": _UID,
        "batch.kubernetes.io/job-name": name,
        "controller-uid": _UID,
        "job-name": name,
    }
    return _Owner("batch/v1", "Job", name, labels)


def _replication_controller(name: str) -> _Owner:
    labels = {"deployment": f"{name}-1", "deploymentconfig": name}
    return _Owner("v1", "ReplicationController", f"{name}-1", labels)


_OWNERS: Mapping[str, Callable[[str], _Owner]] = {
    "Deployment": lambda name: _replica_set(name, "pod-template-hash"),
    "Rollout": lambda name: _replica_set(name, "rollouts-pod-template-hash"),
    "StatefulSet": _stateful_set,
    "DaemonSet": _daemon_set,
    "Job": _job,
    "CronJob": lambda name: _job(f"{name}-{_MINUTES}"),
    "DeploymentConfig": _replication_controller,
}
