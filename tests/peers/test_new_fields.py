"""Guarantee: podgraft changes only what it injects, whatever fields a pod of 1.36 or 1.37 has.

The pods are one with the fields that Kubernetes 1.33 to 1.37 added, one with fields that no release
has, and one with every field of the type table. Each field that an injection does not set has the
same value after injection, after a second pass, and after the injection is removed.

Incidents: istio #52245 and DataDog/datadog-operator #1116 (webhooks with older types of pods).
"""

import copy
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from podgraft import cli
from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.injectors.istio import uninject
from podgraft.kube import patch, yaml
from samples.test_samples import SAMPLES, check_object, make_review, review_with_engine
from samples.test_samples import patch_operations as read_operations
from support.generated_pod import make_pod

from .test_lost_fields import load_pod

NEW = """
apiVersion: v1
kind: Pod
metadata: {name: new, namespace: shop, labels: {app: new}}
spec:
  hostUsers: false
  hostnameOverride: new.example.com
  resources: {requests: {cpu: "2", memory: 2Gi}, limits: {cpu: "2", memory: 2Gi}}
  initContainers:
  - {name: proxy, image: example.com/proxy:1, restartPolicy: Always}
  containers:
  - name: app
    image: example.com/app:1
    ports: [{containerPort: 80}]
    resources: {requests: {cpu: "1"}, limits: {cpu: "1", memory: 1Gi}}
    resizePolicy: [{resourceName: cpu, restartPolicy: NotRequired}]
    restartPolicy: Never
    restartPolicyRules: [{action: Restart, exitCodes: {operator: In, values: [42]}}]
    env:
    - name: LEVEL
      valueFrom: {fileKeyRef: {volumeName: settings, path: app.env, key: LEVEL, optional: true}}
    lifecycle: {stopSignal: SIGUSR1}
    volumeMounts: [{name: model, mountPath: /model}, {name: identity, mountPath: /identity}]
  volumes:
  - {name: settings, emptyDir: {}}
  - {name: model, image: {reference: example.com/model:3, pullPolicy: IfNotPresent}}
  - name: identity
    projected:
      sources:
      - podCertificate:
          signerName: example.com/mesh
          keyType: ED25519
          maxExpirationSeconds: 86400
          credentialBundlePath: bundle.pem
"""


def load_new() -> Object:
    return check_object(yaml.load(NEW))


def load_unknown() -> Object:
    return load_pod()


PODS = {"new": load_new, "unknown": load_unknown, "every": make_pod}
INJECTORS = sorted(path.name for path in SAMPLES.iterdir() if (path / "bundle").is_dir())
# What injection sets in existing fields: Istio's agent serves the probes and the hooks of a
# container, and the mirror replaces images.
CHANGES = {
    "istio": r".*/(\w+Probe|lifecycle/\w+)/httpGet/(path|port)",
    "image-mirror": r"/spec/(initC|c)ontainers/\d+/image",
}


def select(pod: Object) -> Object:
    """The pod with the labels and annotations that the samples select."""
    metadata = check_object(pod["metadata"])
    labels: Object = {"app": "checkout", "virtual-node": "node", "tags.datadoghq.com/env": "e"}
    annotations: Object = {
        "secrets.example.com/role": "r",
        "logging.example.com/path": "/var/log/app",
        "metrics.example.com/port": "9102",
        "sidecar.opentelemetry.io/inject": "true",
    }
    labels |= check_object(metadata.get("labels") or {}) | {"app": "checkout"}
    annotations |= check_object(metadata.get("annotations") or {})
    return {**pod, "metadata": {**metadata, "labels": labels, "annotations": annotations}}


def find_changes(before: JSON, after: JSON, path: str = "") -> Iterator[str]:
    """The path of each value that is absent or different; elements with names match by name."""
    match before, after:
        case dict(), dict():
            for key, value in before.items():
                if key in after:
                    yield from find_changes(value, after[key], f"{path}/{key}")
                else:
                    yield f"{path}/{key}"
        case list(), list():
            for index, value in enumerate(before):
                yield from find_changes(value, _find_element(value, after), f"{path}/{index}")
        case _ if not jsonvalue.equal(before, after):
            yield path
        case _:
            return


def _find_element(value: JSON, after: list[JSON]) -> JSON:
    """The equal element, or that with the name; its values are compared then."""
    if any(jsonvalue.equal(value, each) for each in after):
        return value
    name = value.get("name") if isinstance(value, dict) else None
    named = (each for each in after if isinstance(each, dict) and each.get("name") == name)
    return next(named, None) if name is not None else None


def review(injector: str, route: str, pod: Object) -> Object:
    body = make_review(copy.deepcopy(pod))
    response = check_object(review_with_engine(injector, route, body)["response"])
    assert response["allowed"], response
    return check_object(patch.apply(copy.deepcopy(pod), read_operations(response)))


@pytest.mark.parametrize("route", ["inject", "mutate"])
@pytest.mark.parametrize("injector", INJECTORS)
@pytest.mark.parametrize("name", PODS)
def test_a_review_changes_only_what_it_injects(name: str, injector: str, route: str) -> None:
    pod = select(PODS[name]())
    after = review(injector, route, pod)
    allowed = re.compile(CHANGES.get(injector, "-"))

    assert [path for path in find_changes(pod, after) if not allowed.fullmatch(path)] == []
    assert jsonvalue.equal(review(injector, route, after), after)


@pytest.mark.parametrize("name", PODS)
def test_the_removal_of_an_injection_restores_the_pod(name: str) -> None:
    pod = select(PODS[name]())
    after = review("istio", "inject", pod)
    restored = yaml.load(uninject.uninject(yaml.dump(after)).text)

    assert not jsonvalue.equal(after, pod)
    assert jsonvalue.equal(restored, pod)


@pytest.mark.parametrize("kind", ["Pod", "Deployment"])
@pytest.mark.parametrize("name", PODS)
def test_injection_into_files_is_removed_without_a_trace(
    name: str, kind: str, tmp_path: Path
) -> None:
    pod = select(PODS[name]())
    template: Object = {"metadata": pod["metadata"], "spec": pod["spec"]}
    workload: Object = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {"template": template},
    }
    value = pod if kind == "Pod" else workload
    source, injected, restored = (tmp_path / f"{number}.yaml" for number in range(3))
    source.write_text(yaml.dump(value))
    bundle = str(SAMPLES / "istio" / "bundle")

    assert cli.main(["inject", "-f", str(source), "-o", str(injected), "--config", bundle]) == 0
    assert cli.main(["uninject", "-f", str(injected), "-o", str(restored)]) == 0
    assert "istio-proxy" in injected.read_text()
    assert jsonvalue.equal(yaml.load_all(restored.read_text())[0], value)


def test_the_generated_pod_has_the_newest_fields() -> None:
    text = yaml.dump(make_pod())

    for field in ("hostnameOverride", "podCertificate", "fileKeyRef", "stopSignal", "resizePolicy"):
        assert f"{field}:" in text


def test_the_law_finds_a_changed_field() -> None:
    pod = load_new()
    after = copy.deepcopy(pod)
    spec = check_object(after["spec"])
    spec["hostUsers"] = True
    spec["initContainers"] = [{"name": "proxy", "image": "example.com/proxy:1"}]

    assert [*find_changes(pod, after)] == [
        "/spec/hostUsers",
        "/spec/initContainers/0/restartPolicy",
    ]
