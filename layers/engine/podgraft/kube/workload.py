"""The paths to the pod in each kind of workload.

``kube-inject`` changes the pod in place, and copies objects of other kinds unchanged.
"""

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct

from podgraft.base.jsonvalue import JSON, Object

from .decode_errors import json_type_name
from .errors import WorkloadError

Path: TypeAlias = tuple[str, ...]


class PodTemplatePath(Struct, frozen=True):
    """The path to the pod template, and to the metadata that kube-inject annotates.

    ``required`` templates are pointers in Go: if one is missing, it is an error. Other missing
    templates are empty.
    """

    template: Path
    metadata: Path
    required: bool = False

    @property
    def spec(self) -> Path:
        """The path to the pod's spec."""
        return (*self.template, "spec")


_TEMPLATE = ("spec", "template")
_JOB_TEMPLATE = ("spec", "jobTemplate")

_POD = PodTemplatePath((), ("metadata",))
_PLAIN = PodTemplatePath(_TEMPLATE, (*_TEMPLATE, "metadata"))
_REQUIRED = PodTemplatePath(_TEMPLATE, (*_TEMPLATE, "metadata"), required=True)
# Istio annotates the job template here, and not its pod template.
_CRON_JOB = PodTemplatePath((*_JOB_TEMPLATE, *_TEMPLATE), (*_JOB_TEMPLATE, "metadata"))
_POD_TEMPLATE = PodTemplatePath(("template",), ("template", "metadata"))

# The kinds that Istio injects into files. Its scheme registers each kind without a version as well
# (initializer.go, AddUnversionedTypes), so that the group is not compared: every release from 1.0
# injects extensions/v1beta1, apps/v1, and any other group of these kinds.
INJECTED: Mapping[str, PodTemplatePath] = {
    "CronJob": _CRON_JOB,
    "DaemonSet": _PLAIN,
    "Deployment": _PLAIN,
    "DeploymentConfig": _REQUIRED,
    "Job": _PLAIN,
    "Pod": _POD,
    "ReplicaSet": _PLAIN,
    "ReplicationController": _REQUIRED,
    "StatefulSet": _PLAIN,
}

# INJECTED, Argo's Rollout, and PodTemplate: every workload from which a cluster creates pods.
ALL_KINDS: Mapping[str, PodTemplatePath] = {
    **INJECTED,
    "PodTemplate": _POD_TEMPLATE,
    "Rollout": _PLAIN,
}

# The groups of these kinds in Kubernetes, OpenShift, and Argo. Elsewhere, a kind of the same name
# can be another thing, such as Volcano's Job: it is a workload if its pod is where it should be.
_GROUPS = frozenset({"", "apps", "apps.openshift.io", "argoproj.io", "batch", "extensions"})


def find_pod_template_path(
    document: Object, kinds: Mapping[str, PodTemplatePath] = INJECTED
) -> PodTemplatePath | None:
    """Find the path to the pod; ``None`` if the kind is not one of *kinds*."""
    kind = document.get("kind")
    path = kinds.get(kind) if isinstance(kind, str) else None
    if path is None:
        return None
    group, slash, _ = str(document.get("apiVersion") or "").partition("/")
    is_native = not slash or group in _GROUPS
    return path if is_native or _has_containers(document, path) else None


def has_pod(document: Object) -> bool:
    """Whether an object of any kind has a pod template in one of the usual paths."""
    return any(_has_containers(document, path) for path in (_PLAIN, _CRON_JOB, _POD_TEMPLATE, _POD))


def _has_containers(document: Object, path: PodTemplatePath) -> bool:
    try:
        spec = _lookup_path(document, path.spec)
    except WorkloadError:
        return False
    return spec is not None and isinstance(spec.get("containers"), list)


def template_of(document: Object, path: PodTemplatePath) -> Object:
    """The pod template as the controller reads it; raises ``WorkloadError``."""
    return {
        "metadata": _lookup_path(document, (*path.template, "metadata")) or {},
        "spec": _lookup_path(document, path.spec) or {},
    }


def pod_of(document: Object, path: PodTemplatePath) -> Object:
    """The pod for kube-inject: only metadata and spec."""
    if path.required and _lookup_path(document, path.template) is None:
        raise WorkloadError(f"{'.'.join(path.template)} is required value")
    return {
        "metadata": _lookup_path(document, path.metadata) or {},
        "spec": _lookup_path(document, path.spec) or {},
    }


def with_pod(document: Object, path: PodTemplatePath, pod: Object) -> Object:
    """Return the document with other metadata and spec of the pod; shares the rest."""
    changed_document = _set_path(document, path.metadata, pod["metadata"])
    return _set_path(changed_document, path.spec, pod["spec"])


def _lookup_path(document: Object, path: Path) -> Object | None:
    """Look up the object at the path; ``None`` if a step is missing or null."""
    current = document
    for depth, step in enumerate(path, start=1):
        value = current.get(step)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise WorkloadError(
                f"{'.'.join(path[:depth])}: got {json_type_name(value)}; use a mapping"
            )
        current = value
    return current


def _set_path(document: Object, path: Path, value: JSON) -> Object:
    """Copy the document along the path, with the value at its end."""
    step, *rest = path
    inner = (
        value if not rest else _set_path(_lookup_path(document, (step,)) or {}, tuple(rest), value)
    )
    return {**document, step: inner}
