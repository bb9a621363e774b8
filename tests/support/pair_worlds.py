"""Stores with generated injectors, for pairs of reviews that differ in one input.

The operator's texts and those of pods are from the same small sets, so that a text has more than
one possible author, and an injected name, volume, or image is also one of the pod's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from support.store_fixture import OTHER_TOKEN, TOKEN, admit, write_injector

RELEASES: Final = ("1.30.3", "1.24.0", "1.20.0", "1.13.0")
RARE: Final = "example.com/rare"
RARE_VALUE: Final = "kf8s02"  # the trial of a version does not find what a template does for it
TEXTS: Final = (
    "agent:1",
    "docker.io/agent:1",
    "agent:1\n    securityContext: {privileged: true}",
    "agent:1 # comment",
)
NAMES: Final = ("agent", "second", "other")
VOLUMES: Final = ("v", "kube-api-access-bbbbb", "kube-api-access-ccccc", "data")
IMAGES: Final = ("docker.io/a", "evil.example/x:1")
HOST_PATHS: Final = ("/a", "/b")

# Containers by what their template reads of a pod and of the mesh, and with privileges.
_PLAIN: Final = ("- name: agent\n  image: a",)
_READING: Final = (
    (
        "- name: agent\n"
        '  image: {{ or (index .ObjectMeta.Annotations "example.com/image") "agent:0" }}'
    ),
    (
        "- name: agent\n  image: a\n  env:\n  - name: APP\n"
        '    value: "{{ index .ObjectMeta.Labels "app" }}"'
    ),
    (
        "- name: agent\n  image: a\n  args:\n  {{- range .Spec.Containers }}\n"
        '  - "{{ .Name }}"\n  {{- end }}'
    ),
    (
        "- name: agent\n  image: a\n  env:\n  {{- range .Spec.Volumes }}\n"
        "  - name: V\n    value: {{ .Name | quote }}\n  {{- end }}"
    ),
    '- name: agent\n  image: a\n  env:\n  - name: OWNER\n    value: "{{ .DeploymentMeta.Name }}"',
    (
        "- name: agent\n  image: a\n  env:\n  - name: M\n    value: {{ .MeshConfig.TrustDomain }}\n"
        "  - name: C\n    value: {{ .ProxyConfig.Concurrency | quote }}"
    ),
    (
        "- name: agent\n  image: a\n  {{- with .ObjectMeta.Labels }}\n  args:\n  - |\n"
        "    {{- toYaml . | nindent 4 }}\n  {{- end }}"
    ),
)
_CONFIGURED: Final = (
    '- name: agent\n  image: {{ or (index .ProxyConfig.ProxyMetadata "IMG") "agent:0" }}',
    (
        "- name: agent\n  image: a\n  args:\n"
        "  {{- range $_, $text := .ProxyConfig.ProxyMetadata }}\n"
        "  - {{ $text }}\n  {{- end }}"
    ),
    (
        "- name: agent\n  image: {{ or (index .MeshConfig.DefaultConfig.ProxyMetadata "
        '"IMG") (index .ProxyConfig.ProxyMetadata "IMG") "agent:0" }}'
    ),
)
_PRIVILEGED: Final = (
    "- name: agent\n  image: a\n  securityContext: {privileged: true}",
    "- name: agent\n  image: a\n  securityContext: {capabilities: {add: [SYS_ADMIN]}}",
    "- name: agent\n  image: a\n  ports: [{containerPort: 1, hostPort: 1}]",
    "- name: agent\n  image: evil.example/x:1",
)
_PLAIN_VOLUMES: Final = tuple(f"- name: {name}\n  emptyDir: {{}}" for name in VOLUMES)
_PRIVILEGED_VOLUMES: Final = (
    '- name: v\n  image: {reference: "evil.example/x:1"}',
    '- name: v\n  image: {reference: "evil.example/x:1"}\n- name: x\n  emptyDir: {}',
    "- name: v\n  hostPath: {path: /a}",
)
_ALLOWS: Final = (
    "allows: {}",
    "allows: {registries: [docker.io]}",
    "allows: {registries: [docker.io]}\nclusters: {staging: {allows: {privileged: [agent]}}}",
)
# A candidate that fails is disabled for all later reviews, so there is no rollout with ``allows``.
_ROLLOUTS: Final = (
    "rollout: {id: r, mode: share, share: 50, candidate: {injectedAnnotations: {t: candidate}}}",
    "rollout: {id: r, mode: shadow, share: 100, candidate: {policy: disabled}}",
)


@dataclass(frozen=True, slots=True)
class _Theme:
    """What the injectors of a world are generated from."""

    containers: Sequence[str]
    volumes: Sequence[str]
    policies: Sequence[str]


_THEMES: Final = (
    _Theme(_PRIVILEGED, ("", *_PLAIN_VOLUMES), _ALLOWS),
    _Theme(_PLAIN, _PRIVILEGED_VOLUMES, _ALLOWS),
    _Theme(_CONFIGURED, ("", *_PLAIN_VOLUMES), ("{}",)),
    _Theme((*_READING, *_CONFIGURED), ("", *_PLAIN_VOLUMES), _ROLLOUTS),
)
_OVERLAY: Final = """\
apiVersion: podgraft.dev/v1
kind: Overlay
metadata: {name: side}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}
  template: |
    metadata:
      annotations: {side: {{ .ObjectMeta.Name | quote }}}
    spec:
      volumes: [{name: v, emptyDir: {}}]
"""


@dataclass(frozen=True, slots=True)
class World:
    """One injector; *text* is what the operator's ProxyConfigs contain."""

    injector: str
    text: str


def write_worlds(folder: Path, random: Random, count: int) -> list[World]:
    """Write a store with *count* injectors."""
    admit(folder, "prod-eu", TOKEN)
    admit(folder, "staging", OTHER_TOKEN)
    worlds: list[World] = []
    for number in range(count):
        theme, text = _THEMES[number % len(_THEMES)], random.choice(TEXTS)
        worlds.append(World(f"world-{number}", text))
        files = _make_bundle(random, theme, text)
        policy = random.choice(theme.policies)
        write_injector(folder, f"world-{number}", policy=policy, files=files)
    return worlds


def _make_bundle(random: Random, theme: _Theme, text: str) -> dict[str, bytes]:
    files = {"injector.yaml": _make_config(random, theme).encode()}
    for namespace in ("shop", "prod"):
        if random.random() < 0.8:
            document = _make_proxy_config(namespace, text, selects=random.random() < 0.3)
            files[f"{namespace}.yaml"] = document.encode()
    if random.random() < 0.3:
        files["overlay.yaml"] = _OVERLAY.encode()
    return files


def _make_config(random: Random, theme: _Theme) -> str:
    templates = ["first", "second"][: random.choice((1, 1, 2))]
    lines = ["policy: enabled", f"defaultTemplates: [{', '.join(templates)}]", "templates:"]
    for name in templates:
        lines += [f"  {name}: |", _indent(_make_template(random, theme), 4)]
    release = random.choice(RELEASES)
    return (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: istio-sidecar-injector}\ndata:\n"
        f'  values: \'{{"global": {{"tag": "{release}"}}}}\'\n'
        f"  config: |\n{_indent(chr(10).join(lines), 4)}\n"
    )


def _make_template(random: Random, theme: _Theme) -> str:
    key = random.choice(("containers", "initContainers"))
    lines = ["spec:", f"  {key}:", _indent(random.choice(theme.containers), 2)]
    volume = random.choice(theme.volumes)
    if volume:
        lines += ["  volumes:", _indent(volume, 2)]
    condition = f'eq (index .ObjectMeta.Annotations "{RARE}") "{RARE_VALUE}"'
    return "\n".join((f"{{{{ if {condition} }}}}", *lines, "{{ end }}"))


def _make_proxy_config(namespace: str, text: str, *, selects: bool) -> str:
    selector = "  selector: {matchLabels: {app: web}}\n" if selects else ""
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return (
        "apiVersion: networking.istio.io/v1beta1\nkind: ProxyConfig\n"
        f"metadata: {{name: p, namespace: {namespace}}}\nspec:\n{selector}"
        f'  environmentVariables: {{IMG: "{quoted}"}}\n'
    )


def _indent(text: str, width: int) -> str:
    return "\n".join(f"{' ' * width}{line}" if line else "" for line in text.split("\n"))
