"""Probe objects: synthetic pods and workloads that a trial renders templates for.

They have the form in which kube-apiserver sends them to a webhook, and contain no YAML syntax in
their values. Callers must not change them.
"""

from collections.abc import Mapping

from msgspec import Struct

from podgraft.base.jsonvalue import Object, object_at
from podgraft.base.tables import read_table

NAMESPACE = "default"


class Probe(Struct, frozen=True, kw_only=True):
    """An object to render templates for; ``name`` identifies it in messages."""

    name: str
    object: Object

    @property
    def kind(self) -> str:
        """The kind of the object."""
        return str(self.object.get("kind"))

    @property
    def namespace(self) -> str:
        """The namespace of the object."""
        return str(object_at(self.object, "metadata").get("namespace") or NAMESPACE)


_BY_NAME = {
    name: Probe(name=name, object=pod) for name, pod in read_table(__file__, "probes.json").items()
}
GATEWAY = _BY_NAME.pop("a gateway pod")
PODS = tuple(_BY_NAME.values())  # the first one with the defaults that kube-apiserver sets

_LABELS: Object = {
    "app": "web",
    "version": "v1",
    "app.kubernetes.io/name": "web",
    "app.kubernetes.io/version": "1.0",
}
_TEMPLATE: Object = {"metadata": {"labels": _LABELS}, "spec": PODS[0].object["spec"]}
_TEMPLATED: Object = {"selector": {"matchLabels": {"app": "web"}}, "template": _TEMPLATE}

# Resource → API version, kind and spec of the objects that overlays are often for.
WORKLOADS: Mapping[str, tuple[str, str, Object]] = {
    "cronjobs": (
        "batch/v1",
        "CronJob",
        {"schedule": "@daily", "jobTemplate": {"spec": {"template": _TEMPLATE}}},
    ),
    "daemonsets": ("apps/v1", "DaemonSet", _TEMPLATED),
    "deployments": ("apps/v1", "Deployment", {"replicas": 1, **_TEMPLATED}),
    "jobs": ("batch/v1", "Job", {"template": _TEMPLATE}),
    "replicasets": ("apps/v1", "ReplicaSet", {"replicas": 1, **_TEMPLATED}),
    "replicationcontrollers": (
        "v1",
        "ReplicationController",
        {"replicas": 1, "selector": {"app": "web"}, "template": _TEMPLATE},
    ),
    "statefulsets": (
        "apps/v1",
        "StatefulSet",
        {"replicas": 1, "serviceName": "web", **_TEMPLATED},
    ),
}


def make_workload(resource: str) -> Probe:
    """Return a probe of a resource that contains a pod template."""
    api_version, kind, spec = WORKLOADS[resource]
    return Probe(name=f"a {kind}", object=make_plain_object(api_version, kind, spec))


def make_plain_object(api_version: str, kind: str, spec: Object | None = None) -> Object:
    """Return an object of any kind, with the metadata that most have."""
    metadata: Object = {"name": "web", "labels": _LABELS}
    if kind != "Namespace":
        metadata["namespace"] = NAMESPACE
    value: Object = {"apiVersion": api_version, "kind": kind, "metadata": metadata}
    return value if spec is None else {**value, "spec": spec}


def with_metadata(probe: Probe, **additions: Mapping[str, str]) -> Probe:
    """Return the probe with more labels or annotations."""
    metadata = object_at(probe.object, "metadata")
    changes: Object = {
        key: {**object_at(metadata, key), **entries}
        for key, entries in additions.items()
        if entries
    }
    if not changes:
        return probe
    return Probe(name=probe.name, object={**probe.object, "metadata": {**metadata, **changes}})


def with_namespace(probe: Probe, namespace: str) -> Probe:
    """Return the probe in another namespace, if its kind is namespaced."""
    metadata = object_at(probe.object, "metadata")
    if metadata.get("namespace", namespace) == namespace:
        return probe
    moved_metadata: Object = {**metadata, "namespace": namespace}
    return Probe(name=probe.name, object={**probe.object, "metadata": moved_metadata})
