"""Reviews in which podgraft once differed from Istio, or could: the input of recorded answers.

``python -m oracle.istio.known_differences PROGRAM RELEASE`` in tests records the answers of a
compiled injector (build.py) to tests/core/injectors/istio/data/reviews-RELEASE.jsonl.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from podgraft.base.jsonvalue import JSON, Object

from . import pods
from .program import Istio, Outcome

DATA = Path(__file__).parents[2] / "core/injectors/istio/data"
TEMPLATE = """\
{{ $volumes := index .ObjectMeta.Annotations `sidecar.istio.io/userVolume` }}
{{ $mounts := index .ObjectMeta.Annotations `sidecar.istio.io/userVolumeMount` }}
metadata:
  labels: {rev: {{ .Revision | default "norev" | quote }}}
spec:
  initContainers:
  - name: istio-init
    image: init:1
  {{- if not (isset .ObjectMeta.Annotations `example.com/native`) }}
  containers:
  {{- end }}
  - name: istio-proxy
    image: proxy:1
    securityContext: {runAsUser: 1337, runAsGroup: 1337}
    env:
    - {name: ISTIO_META_NETWORK, value: {{ .Values.global.network | default "" | quote }}}
    - {name: CONFIG, value: {{ protoToJSON .ProxyConfig | quote }}}
    - {name: LAST, value: "1"}
    volumeMounts:
    - {name: socket, mountPath: /socket}
    {{- if isset .ObjectMeta.Annotations `sidecar.istio.io/userVolumeMount` }}
    {{ range $index, $value := fromJSON $mounts }}
    - name: "{{ $index }}"
      {{ toYaml $value | indent 6 }}
    {{ end }}
    {{- end }}
  volumes:
  - name: socket
    emptyDir:
  {{- if isset .ObjectMeta.Annotations `sidecar.istio.io/userVolume` }}
  {{ range $index, $value := fromJSON $volumes }}
  - name: "{{ $index }}"
    {{ toYaml $value | indent 4 }}
  {{ end }}
  {{- end }}
"""
APP: Object = {"name": "app", "image": "app:1", "resources": {}}
PROXY_CONFIGS = (
    "statusPort: 70000",
    "statusPort: 0",
    "proxyAdminPort: 0",
    "privateKeyProvider: {cryptomb: {}}",
    "privateKeyProvider: {qat: {}}",
    "tracing: {customTags: {a: {}}}",
    "tracing: {zipkin: {address: 'a:1'}, datadog: {address: 'b:2'}}",
    "envoyAccessLogService: {address: 'a:1', tlsSettings: {mode: MUTUAL}}",
    "tracing: {sampling: x}",
    "discoveryAddress: nope",
    "interceptionMode: BAD",
    "drainDuration: 5.5s",
)
OVERRIDES = ("null", "[]", "5", "{", '{"containers":[{"name":"istio-proxy","resources":{}}]}')
VOLUMES = (
    ('[{"name":"v","emptyDir":{}}]', '[{"mountPath":"/v","name":"v"}]'),
    ('[{"emptyDir":{},"name":"a"},{"name":"b","emptyDir":{}}]', "[]"),
    ('{"v":{"emptyDir":{}}}', '{"v":{"mountPath":"/v"}}'),
    ('[{"emptyDir":{}}]', '[{"mountPath":"/v"}]'),
)
PATHS = ("/inject/cluster/Kubernetes", "/inject/net/net1", "/inject/cluster/c2/net/n2")


@dataclass(frozen=True, slots=True)
class Row:
    """One review with its settings."""

    name: str
    pod: Object
    path: str = "/inject"
    values: Object = field(default_factory=lambda: {"global": {"network": "net1"}})
    mesh: str = ""
    revision: str = "default"
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    templates: Mapping[str, str] = field(default_factory=lambda: {"sidecar": TEMPLATE})
    proxy_configs: tuple[tuple[str, str], ...] = ()  # the namespace and the spec of each

    @property
    def settings(self) -> Object:
        """The documents of istiod."""
        config: Object = {
            "policy": "enabled",
            "defaultTemplates": ["sidecar"],
            "templates": {**self.templates},
        }
        return {
            "config": json.dumps(config),
            "values": json.dumps(self.values),
            "mesh": self.mesh,
            "revision": self.revision,
            "proxyConfigs": [
                {"name": f"p{index}", "namespace": namespace, "spec": spec}
                for index, (namespace, spec) in enumerate(self.proxy_configs)
            ],
        }


def make_rows() -> Iterator[Row]:
    """All reviews."""
    for text in PROXY_CONFIGS:
        yield Row(f"proxy config {text}", _make_pod({"proxy.istio.io/config": text}))
    for text in OVERRIDES:
        yield Row(f"overrides {text}", _make_pod({"proxy.istio.io/overrides": text}))
    for volume, mount in VOLUMES:
        names = {"sidecar.istio.io/userVolume": volume, "sidecar.istio.io/userVolumeMount": mount}
        yield Row(f"user volume {volume}", _make_pod(names))
    for path in PATHS:
        yield Row(f"path {path}", _make_pod({}), path=path)
    yield Row("cluster", _make_pod({}), values={"global": {"multiCluster": {"clusterName": "c1"}}})
    yield Row("no containers", {"metadata": {"name": "x"}, "spec": {"containers": []}})
    yield Row("revision empty", _make_pod({}), revision="")
    yield Row("trust domain", _make_pod({}), mesh='trustDomain: ""')
    for value in (2, "2"):
        limits: Object = {"limits": {"cpu": value}}
        values: Object = {"global": {"proxy": {"resources": limits}}}
        yield Row(f"cpu {value!r}", _make_pod({}), values=values)
    values = {"global": {"proxy": {"privileged": "true"}}}
    yield Row("privileged", _make_pod({}), values=values)
    suspicious = {
        "sidecar.istio.io/userVolumeMount": "bad",
        "traffic.sidecar.istio.io/includeInboundPorts": "80",
    }
    yield Row("a suspicious annotation", _make_pod(suspicious))
    for user in (5, 6):
        own: Object = {
            "name": "istio-proxy",
            "image": "auto",
            "securityContext": {"runAsUser": user, "runAsGroup": 5},
        }
        app: Object = {**APP, "securityContext": {"runAsUser": 5, "runAsGroup": 5}}
        pod: Object = {"metadata": {"name": "x"}, "spec": {"containers": [app, own]}}
        yield Row(f"openshift {user}", pod, environment={"PLATFORM": "openshift"})
        metadata: Object = {"name": "x", "annotations": {"example.com/native": ""}}
        for name, other in (("app 5", app), ("app without ids", dict(APP))):
            pod = {"metadata": metadata, "spec": {"containers": [other], "initContainers": [own]}}
            environment = {"PLATFORM": "openshift"}
            yield Row(f"openshift init {user}, {name}", pod, environment=environment)


def _make_pod(annotations: Mapping[str, str]) -> Object:
    return {
        "metadata": {"name": "x", "annotations": {**annotations}},
        "spec": {"containers": [dict(APP)]},
    }


def record(program: Path, rows: Iterable[Row], path: Path) -> None:
    """Write the answers of Istio: to each review, and to a second one after defaulting."""
    lines: list[str] = []
    for row in rows:
        with Istio(program, row.environment) as istio:
            refusal = istio.load(row.settings)
            answer: dict[str, Any] = {"settings": refusal} if refusal else _ask(istio, row)
            lines.append(json.dumps({"name": row.name, **answer}, sort_keys=True))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _ask(istio: Istio, row: Row) -> dict[str, JSON]:
    pod = istio.normalize([row.pod])[0]
    first = istio.review(pod, "ns", row.path)
    answer: dict[str, JSON] = {"pod": pod, **_encode(istio, first)}
    if first.pod is not None:
        again = istio.normalize([pods.apply_defaults(first.pod)])[0]
        second = istio.review(again, "ns", row.path)
        answer["again"] = {"pod": again, **_encode(istio, second)}
    return answer


def _encode(istio: Istio, outcome: Outcome) -> dict[str, JSON]:
    if outcome.pod is None:
        return {"refusal": outcome.refusal}
    return {"injected": istio.normalize([outcome.pod])[0]}


if __name__ == "__main__":
    record(Path(sys.argv[1]), make_rows(), DATA / f"reviews-{sys.argv[2]}.jsonl")
