"""The workload that owns a pod, derived from the pod's owner reference as in Istio."""

import re
from typing import NamedTuple

from msgspec import Struct

from podgraft.base.jsonvalue import Object, object_at, objects_at, string_at, string_members

CONFIG_LABEL = "deploymentconfig"


class OwnerRules(Struct, frozen=True, kw_only=True):
    """How a release derives the workload from the owner; the defaults are Istio 1.22's.

    ``cron_job_digits`` are how many digits (fewest, most) end the names of a CronJob's Jobs; with
    None, a Job is never a CronJob's. With ``any_replica_set``, a ReplicaSet is a Deployment's even
    if the pod has no label with the hash.
    ``hide_deployment_config`` drops the label that named a DeploymentConfig from the identity.
    """

    rollouts: bool = True
    deployment_configs: bool = True
    hide_deployment_config: bool = False
    any_replica_set: bool = False
    cron_job_digits: tuple[int, int] | None = (8, 10)
    cron_job_api_version: str = "batch/v1"


class WorkloadRef(Struct, frozen=True, kw_only=True):
    """The type, name, and namespace of a workload.

    ``metadata`` is the ObjectMeta for templates of releases before 1.22: the pod's, with the name
    of the workload.
    """

    kind: str
    api_version: str
    name: str
    namespace: str
    metadata: Object


class _Owner(NamedTuple):
    kind: str
    api_version: str
    name: str


SINCE_1_22 = OwnerRules()


def workload_of_pod(metadata: Object, rules: OwnerRules = SINCE_1_22) -> WorkloadRef:
    """The workload that owns the pod; a pod without an owner is its own workload."""
    labels = object_at(metadata, "labels")
    owner = _controller(metadata) if metadata.get("generateName") else None
    workload = _Owner("Pod", "v1", "") if owner is None else _workload(owner, labels, rules)
    if workload != owner and workload.kind == "DeploymentConfig" and rules.hide_deployment_config:
        remaining = {key: value for key, value in labels.items() if key != CONFIG_LABEL}
        metadata = {**metadata, "labels": remaining}
    name = workload.name or string_at(metadata, "name")
    return _to_workload_ref(workload, {**metadata, "name": name})


def root_workload(kind: str, metadata: Object) -> str:
    """Return kind and name of the workload that an object belongs to, such as ``Deployment/web``.

    All pods of a workload have the same one, also those that a controller creates by name, and so
    has the workload itself. The name does not depend on when kube-apiserver sets the name of an
    object with ``generateName``.
    """
    owner = _controller(metadata)
    if owner is not None and owner.kind and owner.name:
        workload = _workload(owner, object_at(metadata, "labels"), SINCE_1_22)
        return f"{workload.kind}/{workload.name}"
    name = string_at(metadata, "generateName") or string_at(metadata, "name")
    return f"{kind}/{name}"


def workload_of_manifest(document: Object) -> WorkloadRef:
    """The workload of a manifest."""
    kind, api_version = string_members(document, "kind", "apiVersion")
    owner = _Owner(kind, api_version, "")
    return _to_workload_ref(owner, object_at(document, "metadata"))


def _to_workload_ref(workload: _Owner, metadata: Object) -> WorkloadRef:
    name, namespace = string_members(metadata, "name", "namespace")
    return WorkloadRef(
        kind=workload.kind,
        api_version=workload.api_version,
        name=name,
        namespace=namespace,
        metadata=metadata,
    )


def _controller(metadata: Object) -> _Owner | None:
    """The first owner reference that is a controller."""
    for owner in objects_at(metadata, "ownerReferences"):
        if owner.get("controller") is True:
            return _Owner(*string_members(owner, "kind", "apiVersion", "name"))
    return None


def _workload(owner: _Owner, labels: Object, rules: OwnerRules) -> _Owner:
    """The owner of the owner, if names and labels determine it; otherwise, the owner."""
    match owner.kind:
        case "ReplicaSet":
            return _replica_set_owner(owner, labels, rules)
        case "ReplicationController" if rules.deployment_configs and labels.get(CONFIG_LABEL):
            name = string_at(labels, CONFIG_LABEL)
            return _Owner("DeploymentConfig", owner.api_version, name)
        case "Job":
            return _job_owner(owner, rules)
        case _:
            return owner


def _replica_set_owner(owner: _Owner, labels: Object, rules: OwnerRules) -> _Owner:
    hash_ = string_at(labels, "pod-template-hash")
    if rules.any_replica_set and not hash_:
        return _Owner("Deployment", owner.api_version, owner.name.removesuffix("-"))
    deployment = _strip_hash(owner.name, hash_)
    if deployment is not None:
        return _Owner("Deployment", owner.api_version, deployment)
    rollout = _strip_hash(owner.name, string_at(labels, "rollouts-pod-template-hash"))
    if rollout is not None and rules.rollouts:
        return _Owner("Rollout", "v1alpha1", rollout)
    return owner


def _strip_hash(name: str, hash_: str) -> str | None:
    """The name of the ReplicaSet's owner; ``None`` if the name does not end with the hash."""
    return name.removesuffix(f"-{hash_}") if hash_ and name.endswith(hash_) else None


def _job_owner(owner: _Owner, rules: OwnerRules) -> _Owner:
    if rules.cron_job_digits is None:
        return owner
    fewest, most = rules.cron_job_digits
    match = re.fullmatch(rf"(.+)-[0-9]{{{fewest},{most}}}", owner.name)
    if match is None:
        return owner
    return _Owner("CronJob", rules.cron_job_api_version, match[1])
