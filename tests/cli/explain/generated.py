"""Pods and Deployments from a seed: all that the samples look at, present, absent and hostile."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

from podgraft.base.jsonvalue import JSON, Object

T = TypeVar("T")

NAMESPACES = ("shop", "default", "kube-system", "kube-public", "payments")
LABELS: Object = {
    "app": "checkout",
    "virtual-node": "checkout-vn",
    "admission.datadoghq.com/enabled": "false",
    "tags.datadoghq.com/service": "web",
    "tags.datadoghq.com/env": "prod",
    "sidecar.istio.io/inject": "true",
    "batch.kubernetes.io/job-name": "nightly",
    "istio.io/rev": "canary",
    "version": "v2",
}
ANNOTATIONS: Object = {
    "logging.example.com/path": "/var/log/web",
    "secrets.example.com/role": "web",
    "secrets.example.com/file.key": "secret/web/key",
    "sidecar.istio.io/inject": "false",
    "sidecar.istio.io/proxyCPU": "100m",
    "traffic.sidecar.istio.io/includeInboundPorts": "8080",
    "prometheus.io/scrape": "true",
    "inject.istio.io/templates": "sidecar",
}
# Values for any of them: what is refused, undecided, or of no effect.
ODD = (
    "",
    "yes",
    "no",
    'a: "b"',
    "x\n- y: {",
    "{{ .Values }}",
    "-1",
    "sidecar,grpc-agent",
    "é",
    "0",
)
IMAGES = (
    "web:1.4", "nginx", "example.com/web:latest", "quay.io/a/b@sha256:00", "localhost/x:1",
    "registry.k8s.io/pause:3",
)  # fmt: skip
RESOURCES: Sequence[Object] = (
    {},
    {"requests": {"cpu": "100m"}, "limits": {"memory": "128Mi"}},
    {"requests": {"cpu": "1"}, "limits": {"memory": "8Gi"}},
    {"requests": {"cpu": "lots"}},
)


def pod(random: Random, number: int) -> Object:
    """A pod as a file has it."""
    metadata: Object = {"name": f"pod-{number}", **_metadata(random)}
    spec = _spec(random)
    if number % 5 == 0:  # a native sidecar, and one that another webhook broke
        sidecar: Object = {"name": "istio-proxy", "image": "proxyv2:1.30.3"}
        if number % 2 == 0:
            sidecar["restartPolicy"] = "Always"
        spec["initContainers"] = [sidecar]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def deployment(random: Random, number: int) -> Object:
    """A Deployment, some with the annotation that the sample allow looks for."""
    name = f"web-{number}"
    template: Object = {"metadata": _metadata(random), "spec": _spec(random)}
    metadata: Object = {"name": name, "namespace": "shop"}
    said = random.choice([None, "true", "later"])
    if said is not None:
        metadata["annotations"] = {f"{name}/Allow": said}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata,
        "spec": {"selector": {"matchLabels": {}}, "template": template},
    }


def _metadata(random: Random) -> Object:
    metadata: Object = {
        "labels": _some(random, LABELS),
        "annotations": _some(random, ANNOTATIONS),
        "namespace": random.choice(NAMESPACES),
    }
    for key in ("labels", "annotations", "namespace"):
        if random.random() < 0.1:
            del metadata[key]
    return metadata


def _some(random: Random, known: Object) -> Object:
    chosen: Object = {}
    for key, value in known.items():
        if random.random() < 0.3:
            chosen[key] = random.choice(ODD) if random.random() < 0.15 else value
    return chosen


def _spec(random: Random) -> Object:
    count = random.choice([1, 1, 1, 2, 3])
    containers: list[JSON] = [_container(random, f"app-{index}") for index in range(count)]
    spec: Object = {"containers": containers}
    if random.random() < 0.2:
        spec["initContainers"] = [_container(random, "migrate")]
    if random.random() < 0.08:
        spec["hostNetwork"] = True
    if random.random() < 0.05:
        spec["containers"] = [*containers, {"name": "envoy", "image": "envoy:1"}]
    if random.random() < 0.03:
        spec["containers"] = "none"
    return spec


def _container(random: Random, name: str) -> Object:
    container: Object = {"name": name, "image": random.choice(IMAGES)}
    resources = random.choice(RESOURCES)
    if resources:
        container["resources"] = resources
    if random.random() < 0.4:
        container["ports"] = [{"containerPort": random.choice([80, 8080, 9090])}]
    if random.random() < 0.3:
        container["env"] = [{"name": "DD_ENV", "value": random.choice(ODD)}]
    if random.random() < 0.3:
        container["readinessProbe"] = {"httpGet": {"path": "/", "port": 8080}}
    return container
