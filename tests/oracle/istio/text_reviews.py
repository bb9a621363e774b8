"""Reviews about texts of pods and about merges of templates: the input of recorded answers.

``python -m oracle.istio.text_reviews PROGRAM RELEASE`` in tests records the answers of a compiled
injector (build.py) to tests/core/injectors/istio/data/texts-RELEASE.jsonl.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from podgraft.base.jsonvalue import JSON, Object

from .known_differences import APP, DATA, Row, record

RELEASES = ("1.30.3", "1.31.0-rc.0")
TEMPLATE = """\
metadata:
  annotations:
    networks: '{{ appendMultusNetwork (annotation .ObjectMeta `networks` `a`) `istio-cni` }}'
spec:
  containers:
  - name: istio-proxy
    image: "{{ annotation .ObjectMeta `double` `proxy:1` }}"
    args:
    - {{ annotation .ObjectMeta `plain` `x` }}
    - --level={{ annotation .ObjectMeta `level` `info` }}
    - last
    command: [{{ annotation .ObjectMeta `flow` `x` }}, '{{ annotation .ObjectMeta `single` `x` }}']
    env:
    - {name: CONCURRENCY, value: {{ protoToJSON .ProxyConfig | quote }}}
    {{- range $key, $value := .ProxyConfig.ProxyMetadata }}
    - name: {{ $key }}
      value: "{{ $value }}"
    {{- end }}
  imagePullSecrets:
  {{- range .Values.global.imagePullSecrets }}
  - name: {{ . }}
  {{- end }}
"""
NETWORKS = (
    '[\n  {"name": "macvlan"}\n]\n', "a\n", "a,\nb", '[\r\n{"name":"m"}]', "\n", "it''s", "a'b",
    "a\n\nb", "a\x85b", "a\u2028b", "a # b",
)  # fmt: skip
PLAIN = (
    "debug ", "debug\n", "debug\t", "debug\r\n", "debug\n\n", " debug", "de\nbug", "de\n      bug",
    "debug\x85", "debug\u2028", "debug: x", "debug:x", "a#b", "é ", "1 ",
)  # fmt: skip
DOUBLE = (
    "proxy:1\n",
    "proxy:1 ",
    "C:\\n",
    "C:\\x41",
    "C:\\q",
    "a\\\n\n  b",
    'a"b',
    "a\\u0022b",
    "\\",
)
METADATA = (
    "{A: |\n    l1\n    l2\n}", "\n  A: |\n    l1\n    l2\n", "{A: 'C:\\x'}", "{A: 'C:\\x41'}",
    "{'A ': x}", "{'': x}", "{'A: b': x}", '{A: "  a  "}', '{"A\\nB": x}',
)  # fmt: skip
DIRECTIVES = (
    "%YAML 1.2\n---\nconcurrency: 4", "%YAML 1.1\n---\nconcurrency: 4", "%YAML 1.0\n---\na: 1",
    "concurrency: 4\n...\n%YAML 1.2\n---\nx: 1", "%TAG ! tag:x,2000:\n---\nconcurrency: 4",
)  # fmt: skip
TARGETS = (
    "8080 : /x", "8080:/x ", "+80", "-0", "080", "65536", " +15020 ", "8080: ", "8080:\t/x",
    "80 80", "٣", "8080:/a:b", "\x1c80", ":/x",
)  # fmt: skip
PORTS = ("+80", "-80", " 80", "080", "0", "x", "15020")
ORDER = "spec: {containers: [{name: zz, image: z}], $setElementOrder/containers: [{name: zz}]}\n"
NATIVE = "spec: {initContainers: [{name: istio-proxy, image: p}]}\n"
MOUNT = """\
spec:
  containers:
  - name: istio-proxy
    volumeMounts:
    {{- range fromJSON (annotation .ObjectMeta `mount` ``) }}
    - {{ toYaml . | indent 6 | trim }}
    {{- end }}
"""
MOUNTS = (
    '[{"mountPath":"/a","name":"v"}]', '[{"name":"v"}]', '[{"name":"v"},{"name":"w"}]', "[]",
    '[{"mountPath":null,"name":"v"},{"mountPath":"/b","name":"w"}]', '[{"mountPath":""}]', "[5]",
)  # fmt: skip
PATHS = ("/inject/%C3%9F/x", "/inject/%EF%AC%81/x", "/inject/a%C4%B1/x/%C7%86/y")
SELECTORS = ("{selector: {}, concurrency: 9}", "{selector: {matchLabels: {}}, concurrency: 9}")
# A comment or a null removes what the template writes; podgraft refuses the pod.
REFUSED: dict[str, dict[str, str]] = {
    f"{name} {text}": {name: text}
    for name, text in (
        ("plain", "debug # x"), ("plain", "d #"), ("level", "debug # x"), ("level", "d #"),
        ("plain", "~ "), ("plain", "null"),
    )
}  # fmt: skip


def make_rows() -> Iterator[Row]:
    """All reviews; each name is unique."""
    for name, texts in (
        ("networks", NETWORKS), ("plain", PLAIN), ("level", PLAIN), ("flow", PLAIN),
        ("single", NETWORKS), ("double", DOUBLE),
    ):  # fmt: skip
        for text in texts:
            yield _make_row(f"{name} {text}", {name: text})
    for name, refused in REFUSED.items():
        yield _make_row(name, refused)
    for text in METADATA:
        yield _make_row(f"metadata {text}", {"proxy.istio.io/config": f"proxyMetadata: {text}"})
    for text in DIRECTIVES:
        yield _make_row(f"directive {text}", {"proxy.istio.io/config": text})
    for text in TARGETS:
        yield _make_row(f"targets {text}", {"prometheus.istio.io/scrape-targets": text})
    for text in PORTS:
        yield _make_row(f"port {text}", {"prometheus.io/port": text})
    for path in PATHS:
        yield _make_row(f"path {path}", {}, path=path)
    for spec in SELECTORS:
        yield _make_row(f"selector {spec}", {}, proxy_configs=(("ns", spec),))
        first = ("istio-system", spec)
        layers = (first, ("ns", "concurrency: 4"), ("istio-system", "concurrency: 3"))
        yield _make_row(f"selectors {spec}", {}, proxy_configs=layers)
    yield from _make_merges()


def _make_merges() -> Iterator[Row]:
    """Several templates, which merge with each other and with the pod."""
    for selected in ("sidecar,order", "order,sidecar", "native,order", "order", "native,sidecar"):
        annotations = {"inject.istio.io/templates": selected}
        yield _make_row(f"templates {selected}", annotations)
        annotations["sidecar.istio.io/nativeSidecar"] = "true"
        yield _make_row(f"native templates {selected}", annotations)
    twice = {"inject.istio.io/templates": "sidecar,sidecar"}
    yield _make_row("twice", twice)
    yield _make_row("no name", twice | {"proxy.istio.io/config": "proxyMetadata: {'': x}"})
    secrets: list[JSON] = ["a", ""]
    values: Object = {"global": {"imagePullSecrets": secrets}}
    yield _make_row("secrets once", {}, values=values)
    yield _make_row("secrets twice", twice, values=values)
    unnamed = {"proxy.istio.io/config": "proxyMetadata: {'': x}"}
    own: Object = {"name": "istio-proxy", "image": "auto", "env": [{"name": "A", "value": "b"}]}
    for name, more in (("", {}), (" twice", twice)):
        annotations = {**unnamed, **more}
        row = _make_row(f"own proxy, no name{name}", annotations)
        yield replace(row, pod={**row.pod, "spec": {"containers": [dict(APP), dict(own)]}})
    for text in ({"containers": [own]}, {"containers": [None, {"env": [{"value": "x"}]}]}):
        overrides = {"proxy.istio.io/overrides": json.dumps(text)}
        yield _make_row(f"overrides {overrides}", unnamed | overrides)
    for text in MOUNTS:
        mounts = {"inject.istio.io/templates": "mount,mount", "mount": text}
        yield _make_row(f"mounts {text}", mounts)
    spec: Object = {"containers": [dict(APP)], "volumes": [{"emptyDir": {}}]}
    yield Row(
        "volume without a name", {"metadata": {"name": "x"}, "spec": spec}, templates=TEMPLATES
    )


TEMPLATES = {
    "sidecar": TEMPLATE + "  volumes: [{name: v, emptyDir: {}}]\n",
    "order": ORDER,
    "native": NATIVE,
    "mount": MOUNT,
}


def _make_row(
    name: str,
    annotations: dict[str, str],
    path: str = "/inject",
    values: Object | None = None,
    proxy_configs: tuple[tuple[str, str], ...] = (),
) -> Row:
    metadata: Object = {"name": "x", "namespace": "ns", "annotations": {**annotations}}
    return Row(
        name,
        {"metadata": metadata, "spec": {"containers": [dict(APP)]}},
        path,
        values or {"global": {}},
        templates=TEMPLATES,
        proxy_configs=proxy_configs,
    )


if __name__ == "__main__":
    record(Path(sys.argv[1]), make_rows(), DATA / f"texts-{sys.argv[2]}.jsonl")
