"""Pods from a seed, in the form in which kube-apiserver sends them to a webhook."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from podgraft.base.jsonvalue import Object, object_at

NAMESPACES = ("default", "team", "istio-system", "other") * 6 + ("kube-system",)
# Annotations of Istio with valid and invalid values.
ANNOTATIONS: Mapping[str, Sequence[str]] = {
    "sidecar.istio.io/inject": ("true", "true", "true", "true", "false", "yess"),
    "sidecar.istio.io/interceptionMode": ("TPROXY", "REDIRECT", "NONE", "tproxy"),
    "sidecar.istio.io/proxyImage": ("example.com/proxy:1", "example.com/proxy:1\n"),
    "sidecar.istio.io/proxyImageType": ("debug", "distroless", "default"),
    "sidecar.istio.io/proxyCPU": ("100m", "1", "bad value"),
    "sidecar.istio.io/proxyCPULimit": ("2",),
    "sidecar.istio.io/proxyMemory": ("1Gi", "12x"),
    "sidecar.istio.io/proxyMemoryLimit": ("2Gi",),
    "sidecar.istio.io/logLevel": ("debug", "debug ", "de\nbug"),
    "sidecar.istio.io/componentLogLevel": ("misc:trace", "misc:error\n", "a\x85b", "a\u2028b"),
    "sidecar.istio.io/agentLogLevel": ("default:debug", "misc:error\n"),
    "sidecar.istio.io/statsInclusionPrefixes": ("a,b",),
    "sidecar.istio.io/bootstrapOverride": ("boot",),
    "sidecar.istio.io/userVolume": (
        '[{"name":"uv","emptyDir":{}},{"secret":{"secretName":"s"},"name":"u"}]',
        '{"uv2":{"emptyDir":{}}}',
    ),
    "sidecar.istio.io/userVolumeMount": (
        '[{"name":"uv","mountPath":"/uv"}]',
        '{"uv2":{"mountPath":"/x"}}',
    ),
    "sidecar.istio.io/rewriteAppHTTPProbers": ("true", "false", "maybe"),
    "sidecar.istio.io/nativeSidecar": ("true", "false", "x"),
    "sidecar.istio.io/discoveryAddress": ("istiod.example.com:15012",),
    "sidecar.istio.io/controlPlaneAuthPolicy": ("NONE",),
    "sidecar.istio.io/enableCoreDump": ("true", "false", "maybe"),
    "sidecar.istio.io/capNetBindService": ("true",),
    "status.sidecar.istio.io/port": ("0", "15099", "70000", "abc"),
    "readiness.status.sidecar.istio.io/initialDelaySeconds": ("5", "-1"),
    "readiness.status.sidecar.istio.io/periodSeconds": ("7", "99999999999"),
    "readiness.status.sidecar.istio.io/failureThreshold": ("9",),
    "readiness.status.sidecar.istio.io/applicationPorts": ("80,81", "*", "x"),
    "traffic.sidecar.istio.io/includeOutboundIPRanges": ("*", "10.0.0.0/8, 11.0.0.0/8", "10.0.0.0"),
    "traffic.sidecar.istio.io/excludeOutboundIPRanges": ("10.2.0.0/16", "*", "::1/128"),
    "traffic.sidecar.istio.io/includeInboundPorts": ("80,443", "*", "", "99999"),
    "traffic.sidecar.istio.io/excludeInboundPorts": ("22", "", "*", "a"),
    "traffic.sidecar.istio.io/includeOutboundPorts": ("443",),
    "traffic.sidecar.istio.io/excludeOutboundPorts": ("3306, 6379", "1e3", "80,\n443\n"),
    "traffic.sidecar.istio.io/kubevirtInterfaces": ("net1,net2", "eth0;rm"),
    "istio.io/reroute-virtual-interfaces": ("net3",),
    "traffic.sidecar.istio.io/excludeInterfaces": ("eth1", "a,,b"),
    "prometheus.istio.io/merge-metrics": ("true", "false", "x"),
    "prometheus.io/scrape": ("true", "false", "x"),
    "prometheus.io/port": ("9090", "15020", "", "+80", " 80"),
    "prometheus.istio.io/scrape-targets": ("8080:/x", "8080 : /x, 9090", "+80", "x", "0", "8080:x"),
    "prometheus.io/path": ("/m", ""),
    "prometheus_io_path": ("/other",),
    "prometheus.istio.io/secure-port": ("15092", ""),
    "apm.datadoghq.com/env": ('{"DD_ENV":"prod","DD_SERVICE":"a"}', "x"),
    "kubectl.kubernetes.io/default-container": ("app",),
    "kubectl.kubernetes.io/default-logs-container": ("app", ""),
    "ambient.istio.io/redirection": ("enabled",),
    "inject.istio.io/templates": (
        *("sidecar", "sidecar,extra", " own , sidecar", "both", "nope", "", "sidecar,sidecar"),
        *("sidecar,order", "order", "labels", "sidecar,labels,own", "gateway", "sidecar,gateway"),
        *("extra,own,sidecar,labels", "grpc-simple", "sidecar,none", "none", "grpc-agent"),
    ),
    "k8s.v1.cni.cncf.io/networks": (
        *("net-a", "ns/net-b", '[{"name":"net-c"}]', "ns/istio-cni", "a,\nb", "a\n"),
        '[\n  {"name": "macvlan"}\n]\n',
    ),
    "proxy.istio.io/config": (
        "concurrency: 2",
        "holdApplicationUntilProxyStarts: true",
        "proxyMetadata: {C: '3'}",
        "proxyMetadata: {ENVOY_SECURE_MERGED_METRICS_PORT: '15091'}",
        "readinessProbe: {grpc: {port: 9}}",
        "proxyHeaders: {server: {disabled: true}, requestId: {}}",
        "tracing: {tlsSettings: {mode: SIMPLE, caCrl: x}}",
        "proxyMetadata:\n  A: |\n    l1\n    l2\n",
        "proxyMetadata: {A: 'C:\\x', B: \"q'\"}",
        "proxyMetadata: {'': x}",
        "%YAML 1.2\n---\nconcurrency: 4",
        "%YAML 1.1\n---\nconcurrency: 4",
        "concurrency: 0x4",
        "holdApplicationUntilProxyStarts: yes",
        "tracing: {sampling: 5}",
        "tracing: {customTags: {a: {}}}",
        "tracing: {zipkin: {address: 'a:1'}, datadog: {address: 'b:2'}}",
        "statusPort: 70000",
        "statusPort: 0",
        "statusPort: 15098",
        "proxyAdminPort: 0",
        "privateKeyProvider: {cryptomb: {}}",
        "envoyAccessLogService: {address: 'a:1', tlsSettings: {mode: MUTUAL}}",
        "interceptionMode: TPROXY",
        "interceptionMode: BAD",
        "image: {imageType: debug}",
        "terminationDrainDuration: 5s",
        "drainDuration: 5.5s",
        "discoveryAddress: nope",
        "concurrency: -1",
        "unknownField: 1",
        "concurrency: x",
        "[",
        "",
    ),
    "proxy.istio.io/overrides": (
        "null",
        '{"containers":[{"name":"istio-proxy","image":"own","resources":{}}]}',
        '{"initContainers":[{"name":"istio-init","resources":{}}]}',
        "[]",
        "{",
    ),
    "sidecar.istio.io/status": (
        '{"containers":["istio-proxy"],"initContainers":["istio-init"],"volumes":null}',
        "{}",
        "bad",
    ),
    "example.com/text": ("a: b # c", "{{ .Values }}", "line\nline", "é\U0001f600"),
}
LABELS: Mapping[str, Sequence[str]] = {
    "app": ("web", "db", "x"),
    "app.kubernetes.io/name": ("named",),
    "app.kubernetes.io/version": ("v7",),
    "version": ("v1",),
    "tier": ("front",),
    "sidecar.istio.io/inject": ("true", "true", "true", "true", "false", "enabled"),
    "security.istio.io/tlsMode": ("disabled",),
    "service.istio.io/canonical-name": ("canon",),
    "service.istio.io/canonical-revision": ("r1", ""),
    "service.istio.io/workload-name": ("own-name",),
    "istio.io/dataplane-mode": ("none", "ambient"),
    "gateway.networking.k8s.io/gateway-name": ("gw",),
    "topology.istio.io/network": ("label-net",),
    "istio.io/rev": ("tag-rev",),
    "pod-template-hash": ("5c7f8b9d6",),
    "deploymentconfig": ("dc",),
    "networking.istio.io/tunnel": ("none",),
}


def make_pod(random_: random.Random) -> tuple[Object, str]:
    """A pod, and the namespace of its admission request."""
    namespace = random_.choice(NAMESPACES)
    metadata: Object = {"creationTimestamp": None, **_make_owner(random_)}
    if random_.random() < 0.7:
        metadata["namespace"] = namespace
    density = random_.choice((0.0, 0.02, 0.05, 0.12))
    annotations = _choose(random_, ANNOTATIONS, density)
    labels = _choose(random_, LABELS, random_.choice((0.05, 0.25)))
    if annotations:
        metadata["annotations"] = annotations
    metadata["labels"] = labels | object_at(metadata, "labels")
    if random_.random() < 0.3:
        metadata["managedFields"] = [{"manager": "kubectl", "operation": "Update"}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": _make_spec(random_),
    }, namespace


def make_expression_pod(random_: random.Random, number: int) -> tuple[Object, str]:
    """A pod that the template of one expression alone injects, and its namespace."""
    pod, namespace = make_pod(random_)
    metadata = object_at(pod, "metadata")
    annotations = object_at(metadata, "annotations")
    chosen = {"inject.istio.io/templates": f"e{number}", "sidecar.istio.io/inject": "true"}
    labels = object_at(metadata, "labels") | {"sidecar.istio.io/inject": "true"}
    changed: Object = {**metadata, "annotations": {**annotations, **chosen}, "labels": labels}
    pod["metadata"] = changed
    return pod, namespace


def make_workload(random_: random.Random, normalize: Callable[[Object], Object]) -> str:
    """A file for kube-inject: a stream of workloads and other objects, as JSON in YAML.

    Istio drops the fields that its Kubernetes types do not have, so *normalize* removes them first.
    Istio also prints U+0085 and U+2028 without escapes, so they are absent.
    """
    documents: list[Object] = []
    for _ in range(random_.choice((1, 1, 2))):
        pod, namespace = make_pod(random_)
        documents.append(_wrap(random_, normalize(pod), namespace))
    if random_.random() < 0.15:
        documents = [{"apiVersion": "v1", "kind": "List", "items": [*documents]}]
    text = "\n---\n".join(json.dumps(document) for document in documents) + "\n"
    return text.replace("\\u0085", " ").replace("\\u2028", " ")


def change_as_webhook(random_: random.Random, pod: Object) -> Object:
    """The pod after another mutating webhook."""
    changed: Any = json.loads(json.dumps(pod))
    containers = changed["spec"]["containers"]
    action = random_.randrange(5)
    if action == 0:
        containers.append({"name": "second", "image": "second:1", "ports": [{"containerPort": 7}]})
    elif action == 1:
        containers.insert(0, {"name": "second", "image": "second:1"})
    elif action == 2:
        for container in containers:
            container.setdefault("env", []).append({"name": "SECOND", "value": "1"})
    elif action == 3:
        changed["metadata"].setdefault("annotations", {})["example.com/second"] = "1"
        changed["spec"].setdefault("volumes", []).append({"name": "second", "emptyDir": {}})
    else:
        probe = {"httpGet": {"path": "/second", "port": 8080}}
        containers[0].setdefault("livenessProbe", probe)
        changed["spec"].setdefault("initContainers", []).append({"name": "i2", "image": "i:2"})
    return changed


def apply_defaults(pod: Object) -> Object:
    """The pod with defaults that kube-apiserver fills in before it calls a webhook again."""
    changed: Any = json.loads(json.dumps(pod))
    spec = changed["spec"]
    spec.setdefault("restartPolicy", "Always")
    spec.setdefault("dnsPolicy", "ClusterFirst")
    spec.setdefault("terminationGracePeriodSeconds", 30)
    for volume in spec.get("volumes", ()):
        if len(volume) == 1:
            volume["emptyDir"] = {}
    for container in (*spec.get("containers", ()), *spec.get("initContainers", ())):
        container.setdefault("terminationMessagePath", "/dev/termination-log")
        container.setdefault("terminationMessagePolicy", "File")
        container.setdefault("imagePullPolicy", "IfNotPresent")
        for port in container.get("ports", ()):
            port.setdefault("protocol", "TCP")
        for kind in ("livenessProbe", "readinessProbe", "startupProbe"):
            if kind in container:
                probe = container[kind]
                for key, value in (("timeoutSeconds", 1), ("periodSeconds", 10)):
                    probe.setdefault(key, value)
                probe.setdefault("successThreshold", 1)
                probe.setdefault("failureThreshold", 3)
                if "httpGet" in probe:
                    probe["httpGet"].setdefault("scheme", "HTTP")
    return changed


def _choose(
    random_: random.Random, table: Mapping[str, Sequence[str]], density: float
) -> dict[str, Any]:
    return {
        name: random_.choice(values) for name, values in table.items() if random_.random() < density
    }


def _make_owner(random_: random.Random) -> Object:
    """The names, labels, and owner references of a pod that a controller creates."""

    def owner(kind: str, name: str, version: str = "apps/v1") -> list[Any]:
        return [
            {
                "apiVersion": version,
                "kind": kind,
                "name": name,
                "uid": "u",
                "controller": True,
                "blockOwnerDeletion": True,
            }
        ]

    match random_.randrange(9):
        case 0:
            return {"name": "bare"}
        case 1:
            return {"generateName": "bare-"}
        case 2:
            return {
                "generateName": "web-5c7f8b9d6-",
                "labels": {"pod-template-hash": "5c7f8b9d6"},
                "ownerReferences": owner("ReplicaSet", "web-5c7f8b9d6"),
            }
        case 3:
            return {"generateName": "rs-", "ownerReferences": owner("ReplicaSet", "rs")}
        case 4:
            number = random_.choice(("1234567890", "28000000", "1234567", "12345678901"))
            return {
                "generateName": f"cron-{number}-",
                "ownerReferences": owner("Job", f"cron-{number}", "batch/v1"),
            }
        case 5:
            return {
                "generateName": "dc-1-",
                "labels": {"deploymentconfig": "dc"},
                "ownerReferences": owner("ReplicationController", "dc-1", "v1"),
            }
        case 6:
            return {"generateName": "ds-", "ownerReferences": owner("DaemonSet", "ds")}
        case 7:
            references = owner("StatefulSet", "db")
            del references[0]["controller"]
            return {"name": "db-0", "ownerReferences": references}
        case _:
            return {
                "generateName": "ro-5c7f8b9d6-",
                "labels": {"rollouts-pod-template-hash": "5c7f8b9d6"},
                "ownerReferences": owner("ReplicaSet", "ro-5c7f8b9d6"),
            }


def _make_spec(random_: random.Random) -> Object:
    names = random_.sample(["app", "web", "worker", "b"], random_.choice((1, 1, 2, 3)))
    containers = [_make_container(random_, name) for name in names]
    spec: Object = {"serviceAccountName": "default", "containers": [*containers]}
    if random_.random() < 0.08:
        containers.insert(random_.randrange(2), _make_own_proxy(random_))
        spec["containers"] = [*containers]
    if random_.random() < 0.25:
        first: list[Any] = [_make_container(random_, "init", is_init=True)]
        if random_.random() < 0.2:
            name = random_.choice(("istio-init", "istio-proxy", "istio-validation"))
            first.append(_make_own_proxy(random_) | {"name": name})
        spec["initContainers"] = first
    if random_.random() < 0.5:
        token: list[Any] = [{"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}}]
        spec["volumes"] = [{"name": "kube-api-access-x", "projected": {"sources": token}}]
    _add_pod_settings(random_, spec)
    return spec


def _add_pod_settings(random_: random.Random, spec: Object) -> None:
    if random_.random() < 0.04:
        spec["hostNetwork"] = True
    if random_.random() < 0.2:
        spec["securityContext"] = random_.choice(
            ({}, {"fsGroup": 5}, {"runAsUser": 1000, "runAsNonRoot": True})
        )
    if random_.random() < 0.1:
        spec["dnsPolicy"] = random_.choice(("ClusterFirst", "Default", "None"))
    if random_.random() < 0.1:
        spec["imagePullSecrets"] = [{"name": "own"}, {"name": "regcred"}]
    if random_.random() < 0.1:
        spec["shareProcessNamespace"] = True
        spec["terminationGracePeriodSeconds"] = random_.choice((0, 30))
    if random_.random() < 0.1:
        spec["dnsConfig"] = {
            "searches": ["a.example"],
            "options": [{"name": "ndots", "value": "1"}],
        }


def _make_container(random_: random.Random, name: str, *, is_init: bool = False) -> Object:
    container: Object = {"name": name, "image": f"example.com/{name}:1"}
    ports: list[Any] = [
        {
            "containerPort": number,
            **(
                {"name": random_.choice(("http", "grpc", f"p{number}"))}
                if random_.random() < 0.6
                else {}
            ),
            **random_.choice(({}, {"protocol": "TCP"}, {"protocol": "UDP"})),
        }
        for number in random_.sample([80, 8080, 9090, 53, 443], random_.choice((0, 1, 2)))
    ]
    if ports:
        container["ports"] = ports
    if random_.random() < 0.3:
        container["resources"] = random_.choice(
            ({}, {"requests": {"cpu": "0.5", "memory": "1024Ki"}}, {"limits": {"cpu": 1}})
        )
    if random_.random() < 0.3:
        container["env"] = [{"name": "A", "value": random_.choice(("1", "", "$(B)"))}]
    if random_.random() < 0.15:
        container["securityContext"] = random_.choice(
            ({"runAsUser": 1337}, {"runAsUser": 5, "runAsGroup": 5}, {"privileged": False}, {})
        )
    for kind in ("livenessProbe", "readinessProbe", "startupProbe"):
        if random_.random() < (0.02 if is_init else 0.25):
            container[kind] = _make_probe(random_)
    if random_.random() < 0.1:
        action = random_.choice(("preStop", "postStart"))
        container["lifecycle"] = {action: _make_handler(random_, ("httpGet", "exec", "tcpSocket"))}
    if is_init and random_.random() < 0.2:
        container["restartPolicy"] = "Always"
    if random_.random() < 0.2:
        container["volumeMounts"] = [{"name": "kube-api-access-x", "mountPath": "/token"}]
    return container


def _make_probe(random_: random.Random) -> Object:
    probe = _make_handler(random_, ("httpGet", "httpGet", "tcpSocket", "grpc", "exec"))
    if random_.random() < 0.5:
        probe |= {"timeoutSeconds": random_.choice((1, 5)), "periodSeconds": 10}
    return probe


def _make_handler(random_: random.Random, kinds: Sequence[str]) -> Object:
    port = random_.choice((80, 8080, "http", "missing", "8080", 15020))
    match random_.choice(kinds):
        case "httpGet":
            get: Object = {"path": random_.choice(("/", "/healthz", "h")), "port": port}
            get |= random_.choice(({}, {"scheme": "HTTPS"}, {"scheme": "HTTP"}))
            if random_.random() < 0.2:
                get["host"] = random_.choice(("example.com", "localhost", ""))
            if random_.random() < 0.2:
                get["httpHeaders"] = [{"name": "Host", "value": "h"}, {"name": "X", "value": "<&>"}]
            return {"httpGet": get}
        case "tcpSocket":
            return {"tcpSocket": {"port": port}}
        case "grpc":
            return {"grpc": random_.choice(({"port": 9090}, {"port": 9090, "service": "s"}))}
        case _:
            return {"exec": {"command": ["true"]}}


def _make_own_proxy(random_: random.Random) -> Object:
    """A container that overrides fields of the sidecar."""
    container: Object = {"name": "istio-proxy", "image": random_.choice(("auto", "own/proxy:1"))}
    container |= random_.choice(
        (
            {},
            {"resources": {"requests": {"cpu": "123m"}}},
            {"securityContext": {"runAsUser": 1234, "runAsGroup": 1234}},
            {"securityContext": {"runAsUser": 0}},
            {"env": [{"name": "A", "value": "own"}]},
            {"args": ["proxy", "sidecar"]},
            {"lifecycle": {"preStop": {"exec": {"command": ["x"]}}}},
            {"volumeMounts": [{"name": "v", "mountPath": "/v"}]},
            {"env": [{"name": "ENVOY_SECURE_MERGED_METRICS_PORT", "value": "15091"}]},
            {"ports": [{"containerPort": 15021}, {"containerPort": 53, "protocol": "UDP"}]},
            {"readinessProbe": {"httpGet": {"path": "/r", "port": 15021}}},
            {"restartPolicy": "Always"},
        )
    )
    return container


def _wrap(random_: random.Random, pod: Object, namespace: str) -> Object:
    """The pod as the template of a workload."""
    inner = pod["metadata"]
    assert isinstance(inner, dict)
    kept = {key: inner[key] for key in ("annotations", "labels") if key in inner}
    template: Object = {"metadata": kept, "spec": pod["spec"]}
    metadata: Object = {"name": "work", "namespace": namespace}
    match random_.randrange(8):
        case 6:
            kept["name"] = "own-name"
            spec: Object = {"replicas": 1, "selector": {"app": "web"}, "template": template}
            kind = "ReplicationController"
            return {"apiVersion": "v1", "kind": kind, "metadata": metadata, "spec": spec}
        case 7:
            version = random_.choice(("argoproj.io/v1alpha1", "extensions/v1beta1"))
            spec = {"selector": {"matchLabels": {"app": "web"}}, "template": template}
            return {"apiVersion": version, "kind": "Rollout", "metadata": metadata, "spec": spec}
        case 0:
            return {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": metadata | kept,
                "spec": pod["spec"],
            }
        case 1:
            job: Object = {"template": template}
            spec = {"schedule": "* * * * *", "jobTemplate": {"spec": job}}
            return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": metadata, "spec": spec}
        case 2:
            return {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": metadata,
                "data": {"a": "b"},
            }
        case 3:
            return {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "metadata": metadata,
                "spec": {"template": template},
            }
        case _:
            kind = random_.choice(("Deployment", "DaemonSet", "StatefulSet", "ReplicaSet"))
            selector: Object = {"matchLabels": {"app": "web"}}
            spec = {"selector": selector, "template": template}
            return {"apiVersion": "apps/v1", "kind": kind, "metadata": metadata, "spec": spec}
