"""Probe objects: synthetic pods and workloads that a trial renders templates for.

They have the form in which kube-apiserver sends them to a webhook, and contain no YAML syntax in
their values. Callers must not change them.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from podgraft.base.jsonvalue import JSON, Object, object_at

NAMESPACE = "default"
IMAGE = "registry.example.com/shop/web:1.0"


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


def _make_pod(metadata: Object, spec: Object) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"namespace": NAMESPACE, **metadata},
        "spec": spec,
    }


def _make_owner_references(api_version: str, kind: str, name: str) -> list[JSON]:
    uid = "6f6f8a52-43f1-4a9d-9c7b-000000000001"
    reference: Object = {
        "apiVersion": api_version,
        "kind": kind,
        "name": name,
        "uid": uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return [reference]


_TOKEN_NAME = "kube-api-access-x7k2p"  # noqa: S105 - the name of a volume
_TOKEN_MOUNT: Object = {
    "name": _TOKEN_NAME,
    "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
    "readOnly": True,
}
_NAMESPACE_FILE: Object = {"path": "namespace", "fieldRef": {"fieldPath": "metadata.namespace"}}
_TOKEN: Object = {
    "name": _TOKEN_NAME,
    "projected": {
        "defaultMode": 420,
        "sources": [
            {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
            {
                "configMap": {
                    "name": "kube-root-ca.crt",
                    "items": [{"key": "ca.crt", "path": "ca.crt"}],
                }
            },
            {"downwardAPI": {"items": [_NAMESPACE_FILE]}},
        ],
    },
}

_LABELS: Object = {
    "app": "web",
    "version": "v1",
    "app.kubernetes.io/name": "web",
    "app.kubernetes.io/version": "1.0",
}
_CONTAINER: Object = {
    "name": "web",
    "image": IMAGE,
    "imagePullPolicy": "IfNotPresent",
    "command": ["/bin/web"],
    "args": ["--port=8080"],
    "env": [
        {"name": "LOG_LEVEL", "value": "info"},
        {"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
    ],
    "ports": [{"name": "http", "containerPort": 8080, "protocol": "TCP"}],
    "resources": {
        "requests": {"cpu": "100m", "memory": "128Mi"},
        "limits": {"cpu": "500m", "memory": "256Mi"},
    },
    "securityContext": {"allowPrivilegeEscalation": False, "runAsNonRoot": True},
    "volumeMounts": [_TOKEN_MOUNT, {"name": "data", "mountPath": "/data"}],
}
_SPEC: Object = {
    "containers": [_CONTAINER],
    "volumes": [{"name": "data", "emptyDir": {}}, _TOKEN],
    "serviceAccountName": "web",
    "serviceAccount": "web",
    "restartPolicy": "Always",
    "dnsPolicy": "ClusterFirst",
    "schedulerName": "default-scheduler",
    "securityContext": {"fsGroup": 2000},
    "terminationGracePeriodSeconds": 30,
    "enableServiceLinks": True,
    "tolerations": [
        {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}
    ],
}


def _make_deployment_pod() -> Object:
    """Make the pod of a Deployment, with the defaults that kube-apiserver sets."""
    metadata: Object = {
        "generateName": "web-5d9c8b7f6-",
        "labels": {**_LABELS, "pod-template-hash": "5d9c8b7f6"},
        "annotations": {"example.com/team": "shop"},
        "ownerReferences": _make_owner_references("apps/v1", "ReplicaSet", "web-5d9c8b7f6"),
    }
    return _make_pod(metadata, _SPEC)


def _make_minimal_pod() -> Object:
    return _make_pod({"name": "web"}, {"containers": [{"name": "web", "image": IMAGE}]})


def _make_job_pod() -> Object:
    metadata: Object = {
        "generateName": "report-28711230-",
        "labels": {"job-name": "report-28711230", "batch.kubernetes.io/job-name": "report"},
        "ownerReferences": _make_owner_references("batch/v1", "Job", "report-28711230"),
    }
    container: Object = {"name": "report", "image": IMAGE, "volumeMounts": [_TOKEN_MOUNT]}
    init: Object = {"name": "fetch", "image": IMAGE, "volumeMounts": [_TOKEN_MOUNT]}
    spec: Object = {
        "initContainers": [init],
        "containers": [container],
        "volumes": [_TOKEN],
        "restartPolicy": "Never",
        "serviceAccountName": "default",
    }
    return _make_pod(metadata, spec)


def _make_pod_with_probes() -> Object:
    """Make a pod with a probe of each kind, a lifecycle handler of each kind, and a sidecar."""
    http: Object = {"httpGet": {"path": "/healthz", "port": "http", "scheme": "HTTP"}}
    tcp: Object = {"tcpSocket": {"port": 5432}, "periodSeconds": 10}
    grpc: Object = {"grpc": {"port": 9090, "service": "health"}}
    execute: Object = {"exec": {"command": ["/bin/true"]}}
    web: Object = {**_CONTAINER, "ports": [{"name": "http", "containerPort": 8080}]}
    containers: list[JSON] = [
        {
            **web,
            "livenessProbe": http,
            "readinessProbe": http,
            "startupProbe": http,
            "lifecycle": {
                "postStart": {"exec": {"command": ["/bin/true"]}},
                "preStop": {"httpGet": {"path": "/stop", "port": 8080}},
            },
        },
        {"name": "db", "image": IMAGE, "livenessProbe": tcp, "readinessProbe": execute},
        {"name": "api", "image": IMAGE, "livenessProbe": grpc, "readinessProbe": grpc},
    ]
    sidecar: Object = {"name": "cache", "image": IMAGE, "restartPolicy": "Always"}
    spec: Object = {
        "initContainers": [{**sidecar, "startupProbe": execute}],
        "containers": containers,
        "volumes": [{"name": "data", "emptyDir": {}}, _TOKEN],
    }
    return _make_pod({"name": "probing", "labels": _LABELS}, spec)


def _make_gateway_pod() -> Object:
    """Make a gateway pod that Istio completes: the image of its container is ``auto``."""
    container: Object = {
        "name": "istio-proxy",
        "image": "auto",
        "ports": [{"containerPort": 15090, "name": "http-envoy-prom", "protocol": "TCP"}],
        "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}},
    }
    metadata: Object = {
        "generateName": "istio-ingressgateway-7c8d5c7b9-",
        "labels": {
            "app": "istio-ingressgateway",
            "istio": "ingressgateway",
            "service.istio.io/canonical-name": "istio-ingressgateway",
            "sidecar.istio.io/inject": "true",
        },
        "ownerReferences": _make_owner_references(
            "apps/v1", "ReplicaSet", "istio-ingressgateway-7c8d5c7b9"
        ),
    }
    return _make_pod(
        metadata, {"containers": [container], "serviceAccountName": "istio-ingressgateway"}
    )


PODS: tuple[Probe, ...] = (
    Probe(name="a Deployment's pod", object=_make_deployment_pod()),
    Probe(name="a minimal pod", object=_make_minimal_pod()),
    Probe(name="a Job's pod", object=_make_job_pod()),
    Probe(name="a pod with probes", object=_make_pod_with_probes()),
)
GATEWAY = Probe(name="a gateway pod", object=_make_gateway_pod())

_TEMPLATE: Object = {"metadata": {"labels": _LABELS}, "spec": _SPEC}
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
