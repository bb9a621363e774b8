"""Guarantee: podgraft loses no field of a pod, known or unknown to it.

Incidents: aws-app-mesh-controller #774 and DataDog/helm-charts #1913 (a round trip through types
drops ``restartPolicy`` of native sidecars). SIG Security threat 14.
"""

import base64
import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from werkzeug.test import Client

from podgraft import cli
from podgraft.kube import patch, yaml
from podgraft.service.http import Auth, create_app
from podgraft.service.store.folder import FolderCallers, FolderStore
from samples.test_samples import SAMPLES, make_review

# Fields of Kubernetes 1.33 to 1.38, and fields that no release has.
POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: new
  namespace: shop
  labels: {app: checkout, virtual-node: node, tags.datadoghq.com/env: e}
  annotations:
    logging.example.com/path: /var/log/app
    metrics.example.com/port: "9102"
    secrets.example.com/role: r
    sidecar.opentelemetry.io/inject: "true"
  futureMetadata: {a: [1, {b: null}]}
spec:
  hostUsers: false
  hostnameOverride: new.example.com
  resources: {requests: {cpu: "2"}, limits: {cpu: "2", memory: 2Gi}}
  schedulingGroup: {podGroupName: g}
  futureField: {deep: [{x: 1.0e+3}, "text", null, true]}
  securityContext: {seccompProfile: {type: OCI, oci: {ref: registry.example.com/p@sha256:1}}}
  initContainers:
  - {name: native, image: example.com/proxy:1, restartPolicy: Always, futureOfInit: 1}
  containers:
  - name: app
    image: registry.example.com/app:1
    futureOfContainer: {a: b}
    securityContext:
      seccompProfile: {type: OCI, oci: {ref: a.example.com/p, baseProfile: {type: RuntimeDefault}}}
    resources: {requests: {cpu: "1"}, limits: {cpu: "1", memory: 1Mi}, futureOfResources: x}
    resizePolicy: [{resourceName: cpu, restartPolicy: NotRequired}]
    restartPolicy: Never
    restartPolicyRules: [{action: Restart, exitCodes: {operator: In, values: [42]}}]
    env:
    - {name: LEVEL, valueFrom: {fileKeyRef: {volumeName: s, path: app.env, key: L, optional: true}}}
    - {name: FUTURE, valueFrom: {futureRef: {a: 1}}}
    ports: [{containerPort: 80, futureOfPort: true}]
    lifecycle: {stopSignal: SIGUSR1}
    volumeMounts: [{name: model, mountPath: /model, futureOfMount: 1}]
  volumes:
  - {name: s, emptyDir: {}}
  - {name: model, image: {reference: example.com/model:3, pullPolicy: IfNotPresent}}
  - {name: future, futureVolume: {a: b}}
  - name: identity
    projected:
      sources: [{podCertificate: {signerName: example.com/mesh, keyType: ED25519}}]
status: {futureStatus: 1}
"""
ROUTES = ("inject", "mutate")
INJECTORS = sorted(path.name for path in SAMPLES.iterdir() if (path / "bundle").is_dir())


def load_pod() -> dict[str, Any]:
    pod = yaml.load(POD)
    assert isinstance(pod, dict)
    return cast("dict[str, Any]", pod)


@pytest.fixture(scope="module")
def client() -> Client:
    store, callers = FolderStore(SAMPLES), FolderCallers(SAMPLES)
    return Client(create_app(store, callers, auth=Auth.NONE, request_log=lambda _: None))


def review(client: Client, injector: str, route: str, pod: Any) -> Any:
    """The patched pod."""
    answer = client.post(
        f"/{injector}/{route}", data=make_review(pod), content_type="application/json"
    )
    response = json.loads(answer.data)["response"]
    assert response["allowed"], (injector, response)
    text = response.get("patch")
    return patch.apply(pod, json.loads(base64.b64decode(text)) if text else [])


def lost(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """The path of every field that *after* does not have; elements with names match by name."""
    scalars: tuple[Any, Any] = before, after
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in cast("dict[str, Any]", before).items():
            if key in after:
                yield from lost(value, after[key], f"{path}/{key}")
            else:
                yield f"{path}/{key}"
    elif isinstance(before, list) and isinstance(after, list):
        for index, value in enumerate(cast("list[Any]", before)):
            match = _element(value, index, cast("list[Any]", after))
            yield from lost(value, match, f"{path}/{index}")
    elif not _are_scalars_of_one_type(*scalars):
        yield path


def _are_scalars_of_one_type(before: object, after: object) -> bool:
    return type(before) is type(after)


def _element(value: Any, index: int, after: list[Any]) -> Any:
    if isinstance(value, dict) and "name" in value:
        return next((each for each in after if each["name"] == value["name"]), None)
    return after[index] if index < len(after) else None


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("injector", INJECTORS)
def test_a_review_retains_every_field(injector: str, route: str, client: Client) -> None:
    pod = load_pod()
    first = review(client, injector, route, copy.deepcopy(pod))
    assert [*lost(pod, first)] == []
    second = review(client, injector, route, copy.deepcopy(first))
    assert [*lost(first, second)] == []


def test_inject_and_uninject_retain_every_field(tmp_path: Path) -> None:
    source, injected, restored = (tmp_path / name for name in ("in.yaml", "out.yaml", "back.yaml"))
    source.write_text(POD)
    bundle = str(SAMPLES / "istio" / "bundle")
    status = cli.main(["inject", "-f", str(source), "-o", str(injected), "--config", bundle])
    assert status == 0
    assert "istio-proxy" in injected.read_text()
    assert [*lost(load_pod(), yaml.load(injected.read_text()))] == []
    assert cli.main(["uninject", "-f", str(injected), "-o", str(restored)]) == 0
    assert [*lost(load_pod(), yaml.load(restored.read_text()))] == []


def test_the_law_finds_a_lost_field() -> None:
    after = load_pod()
    del after["spec"]["initContainers"][0]["restartPolicy"]
    after["spec"]["containers"].insert(0, {"name": "sidecar"})
    del after["spec"]["volumes"][2]
    assert [*lost(load_pod(), after)] == [
        "/spec/initContainers/0/restartPolicy",
        "/spec/volumes/2",
    ]
