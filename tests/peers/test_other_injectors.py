"""Guarantee: a pod that other injectors changed keeps their changes, and gets nothing twice.

Incidents: DataDog/helm-charts #2276 (duplicate volumes after a double invocation) and istio #56102.
The pods are written after the output of these injectors, with their names, annotations, and mounts.
"""

from collections.abc import Iterator

import pytest

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at
from podgraft.kube import yaml
from samples.test_samples import SAMPLES, check_object

from .test_new_fields import CHANGES, find_changes, review, select

LINKERD = """
apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: shop
  annotations: {linkerd.io/inject: enabled, linkerd.io/proxy-version: edge-26.5.2}
  labels: {linkerd.io/control-plane-ns: linkerd}
spec:
  initContainers:
  - name: linkerd-init
    image: cr.l5d.io/linkerd/proxy-init:v2.4
    securityContext: {capabilities: {add: [NET_ADMIN, NET_RAW]}}
    volumeMounts: [{name: linkerd-proxy-init-xtables-lock, mountPath: /run}]
  - name: linkerd-proxy
    image: cr.l5d.io/linkerd/proxy:edge-26.5.2
    restartPolicy: Always
    ports: [{containerPort: 4143, name: linkerd-proxy}, {containerPort: 4191, name: linkerd-admin}]
    startupProbe: {httpGet: {path: /ready, port: 4191}}
    volumeMounts: [{name: linkerd-identity-token, mountPath: /var/run/secrets/tokens}]
  containers:
  - name: web
    image: example.com/web:1
    ports: [{containerPort: 8080}]
  volumes:
  - {name: linkerd-proxy-init-xtables-lock, emptyDir: {}}
  - name: linkerd-identity-token
    projected: {sources: [{serviceAccountToken: {path: linkerd-identity-token}}]}
"""
VAULT = """
apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: shop
  annotations: {vault.hashicorp.com/agent-inject: "true"}
spec:
  initContainers:
  - name: vault-agent-init
    image: hashicorp/vault:1.19
    volumeMounts: [{name: home-init, mountPath: /home/vault}, {name: vault-secrets, mountPath: /s}]
  containers:
  - name: web
    image: example.com/web:1
    ports: [{containerPort: 8080}]
    volumeMounts: [{name: vault-secrets, mountPath: /vault/secrets}]
  - name: vault-agent
    image: hashicorp/vault:1.19
    volumeMounts:
    - {name: home-sidecar, mountPath: /home/vault}
    - {name: vault-secrets, mountPath: /s}
  volumes:
  - {name: home-init, emptyDir: {medium: Memory}}
  - {name: home-sidecar, emptyDir: {medium: Memory}}
  - {name: vault-secrets, emptyDir: {medium: Memory}}
"""
DATADOG = """
apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: shop
  labels: {admission.datadoghq.com/enabled: "true"}
spec:
  initContainers:
  - name: datadog-lib-python-init
    image: gcr.io/datadoghq/dd-lib-python-init:v3
    volumeMounts: [{name: datadog-auto-instrumentation, mountPath: /datadog-lib}]
  containers:
  - name: web
    image: example.com/web:1
    ports: [{containerPort: 8080}]
    env:
    - {name: DD_ENTITY_ID, valueFrom: {fieldRef: {fieldPath: metadata.uid}}}
    - {name: DD_TRACE_AGENT_URL, value: "unix:///var/run/datadog/apm.socket"}
    - {name: PYTHONPATH, value: /datadog-lib/}
    volumeMounts:
    - {name: datadog, mountPath: /var/run/datadog}
    - {name: datadog-auto-instrumentation, mountPath: /datadog-lib}
  volumes:
  - {name: datadog, hostPath: {path: /var/run/datadog, type: DirectoryOrCreate}}
  - {name: datadog-auto-instrumentation, emptyDir: {}}
"""
OPENTELEMETRY = """
apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: shop
  labels: {sidecar.opentelemetry.io/injected: shop.sidecar}
spec:
  initContainers:
  - name: opentelemetry-auto-instrumentation-python
    image: ghcr.io/open-telemetry/autoinstrumentation-python:0.58b0
    command: [cp, -r, /autoinstrumentation/., /otel-auto-instrumentation-python]
    volumeMounts:
    - {name: opentelemetry-auto-instrumentation, mountPath: /otel-auto-instrumentation-python}
  containers:
  - name: web
    image: example.com/web:1
    ports: [{containerPort: 8080}]
    env: [{name: OTEL_EXPORTER_OTLP_ENDPOINT, value: "http://collector:4318"}]
    volumeMounts:
    - {name: opentelemetry-auto-instrumentation, mountPath: /otel-auto-instrumentation-python}
  - name: otc-container
    image: ghcr.io/open-telemetry/opentelemetry-collector:0.137.0
    args: ["--config=env:OTEL_CONFIG"]
  volumes:
  - {name: opentelemetry-auto-instrumentation, emptyDir: {sizeLimit: 200Mi}}
"""
PODS = {"linkerd": LINKERD, "vault": VAULT, "datadog": DATADOG, "opentelemetry": OPENTELEMETRY}
INJECTORS = sorted(path.name for path in SAMPLES.iterdir() if (path / "bundle").is_dir())
# The values of other injectors that overlays of the samples set on purpose.
OVERRIDES = {
    ("opentelemetry", "opentelemetry"): "/spec/containers/0/env/0/value",
    ("several-sidecars", "opentelemetry"): "/spec/containers/0/env/0/value",
}


def find_duplicates(pod: Object) -> Iterator[str]:
    """The names, mount paths, and ports that a pod has twice."""
    spec = object_at(pod, "spec")
    containers = [*objects_at(spec, "initContainers"), *objects_at(spec, "containers")]
    yield from _find_repeated("container", [each["name"] for each in containers])
    yield from _find_repeated("volume", [each["name"] for each in objects_at(spec, "volumes")])
    for container in containers:
        for key, identifier in (("env", "name"), ("volumeMounts", "mountPath")):
            names = [each[identifier] for each in objects_at(container, key)]
            yield from _find_repeated(f"{container['name']} {key}", names)


def _find_repeated(kind: str, names: list[JSON]) -> Iterator[str]:
    yield from (
        f"{kind} {name}" for name in dict.fromkeys(map(str, names)) if names.count(name) > 1
    )


@pytest.mark.parametrize("injector", INJECTORS)
@pytest.mark.parametrize("name", PODS)
def test_the_changes_of_other_injectors_are_preserved(name: str, injector: str) -> None:
    pod = select(check_object(yaml.load(PODS[name])))
    after = review(injector, "inject", pod)
    changed = [
        path
        for path in find_changes(pod, after)
        if path != OVERRIDES.get((injector, name)) and injector not in CHANGES
    ]

    assert changed == []
    assert [*find_duplicates(after)] == []
    assert jsonvalue.equal(review(injector, "inject", after), after)
