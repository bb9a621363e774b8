"""``podgraft policy export``: the exported policies give what podgraft gives for the bundle.

``PODGRAFT_EXPORT_OBJECTS=10000`` compares as many objects of each sample, and
``PODGRAFT_EXPORT_SEED`` generates other ones.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from podgraft import cli
from podgraft.base.jsonvalue import Object, object_at
from podgraft.core.review_context import ReviewContext
from podgraft.kube import yaml
from podgraft.kube.admission import GroupVersionResource
from support.custom_resources import format_definition
from support.effort import scaled
from support.native_reviews import (
    SAMPLES,
    Generator,
    Pair,
    clean,
    load_pair,
    make_request,
    read_texts,
)

OBJECTS = int(os.environ.get("PODGRAFT_EXPORT_OBJECTS", scaled(200)))
SEED = int(os.environ.get("PODGRAFT_EXPORT_SEED", "1"))
# The samples that cannot be exported, and a part of the reason.
REFUSED = {
    "appmesh": "App Mesh's injection needs a Go template",
    "istio": "Istio's injection needs Go templates",
}
EXPORTED = sorted(
    path.parent.name for path in SAMPLES.glob("*/policy.yaml") if path.parent.name not in REFUSED
)

WriteBundle = Callable[..., Path]


@pytest.fixture
def write_bundle(tmp_path: Path) -> WriteBundle:
    """Write a folder with an overlay, or with other documents, and a policy."""

    def write(template: str, policy: str = "policy: enabled", **spec: object) -> Path:
        overlay: Object = {
            "apiVersion": "podgraft.dev/v1",
            "kind": "Overlay",
            "metadata": {"name": "sample"},
            "spec": {
                "matchConstraints": make_constraints("", "pods"),
                "template": template,
                **spec,
            },  # type: ignore[dict-item]
        }
        return write_folder(tmp_path / "team", policy, yaml.dump(overlay))

    return write


def write_folder(folder: Path, policy: str, bundle: str) -> Path:
    (folder / "bundle").mkdir(parents=True)
    (folder / "policy.yaml").write_text(policy)
    (folder / "bundle" / "bundle.yaml").write_text(bundle)
    return folder


def make_constraints(group: str, resource: str) -> Object:
    rule: Object = {
        "apiGroups": [group],
        "apiVersions": ["v1"],
        "operations": ["CREATE"],
        "resources": [resource],
    }
    return {"resourceRules": [rule]}


def compare(folder: Path, count: int, seed: int) -> int:
    """Compare generated objects; return how many of them change or are denied."""
    pair = load_pair(folder)
    assert not pair.export.refused
    generator = Generator(read_texts(folder), seed)
    return sum(compare_object(pair, generator.make()) for _ in range(count))


def compare_object(pair: Pair, value: Object) -> bool:
    expected = pair.review_with_podgraft(value)
    assert pair.review_natively(value) == expected, value
    return expected != (clean(value), True)


@pytest.mark.parametrize("sample", EXPORTED)
def test_exported_samples_give_the_same_objects_and_denials(sample: str) -> None:
    folder = SAMPLES / sample
    pair = load_pair(folder)
    for path in sorted(folder.glob("input.*.yaml")):
        value = yaml.load_document(path.read_text())
        assert isinstance(value, dict)
        compare_object(pair, value)
    assert compare(folder, OBJECTS, SEED)


@pytest.mark.parametrize("sample", EXPORTED)
def test_podgraft_changes_nothing_after_the_exported_policies(sample: str) -> None:
    """Between ``kubectl apply`` and the new registration, both are in force."""
    pair = load_pair(SAMPLES / sample)
    generator = Generator(read_texts(SAMPLES / sample), seed=8)
    for _ in range(30):
        after, is_allowed = pair.review_natively(generator.make())
        if isinstance(after, dict):
            assert pair.review_with_podgraft(after) == (after, is_allowed)


@pytest.mark.parametrize(("sample", "reason"), REFUSED.items())
def test_the_other_samples_are_refused_by_name(
    sample: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_export("--config", str(SAMPLES / sample)) == 1
    printed = capsys.readouterr()
    assert reason in printed.err
    assert printed.out == ""


TEMPLATES = {
    "labels and annotations": """
metadata:
  labels: {team: {{ .Values.team | quote }}, "a/b": {{ .ObjectMeta.Name | quote }}}
  annotations:
    namespace: {{ .Namespace | quote }}
    {{- if not (index .ObjectMeta.Labels "app") }}
    no-app: "true"
    {{- else }}
    app: {{ index .ObjectMeta.Labels "app" | quote }}
    {{- end }}
""",
    "several variables, volumes, and ports": """
spec:
  containers:
  {{- range .Spec.Containers }}
  - name: {{ .Name | quote }}
    image: {{ print "mirror.example.com/" .Image | quote }}
    env:
    - {name: A, value: "1"}
    - {name: ZONE_A, value: {{ $.ObjectMeta.Name | quote }}}
    - {name: ZONE_B, valueFrom: {fieldRef: {fieldPath: status.hostIP}}}
    ports: [{containerPort: 9000, name: http}]
    resources: {requests: {cpu: 10m}, limits: {memory: 1Gi}}
    volumeMounts:
    - {name: data, mountPath: /data}
    - {name: logs, mountPath: /var/log, readOnly: true}
  {{- end }}
  volumes:
  - {name: data, emptyDir: {}}
  - {name: logs, hostPath: {path: /var/log}}
  nodeSelector: {zone: a}
  tolerations: [{key: a, operator: Exists}]
""",
    "sidecars before and behind the containers": """
{{- define "agent" }}
    image: {{ .Values.image }}
    command: [/agent, "--name={{ .ObjectMeta.Name }}"]
    securityContext: {runAsUser: 1, capabilities: {drop: [ALL]}}
{{- end }}
spec:
  hostAliases: [{ip: 10.0.0.1, hostnames: [a, b]}]
  containers:
  - name: web
    {{- template "agent" . }}
  {{- range .Spec.Containers }}
  {{- if ne .Name "web" }}
  - name: {{ .Name | quote }}
    imagePullPolicy: Always
  {{- end }}
  {{- end }}
  initContainers:
  - name: setup
    {{- template "agent" . }}
  - name: data
    {{- template "agent" . }}
""",
    "variables that loops assign": """
{{- $logs := false }}
{{- range .Spec.Volumes }}
{{- if or (eq .Name "logs") (hasPrefix "da" .Name) }}{{ $logs = true }}{{ end }}
{{- end }}
{{- with index .ObjectMeta.Annotations "image" | default "agent:1" }}
spec:
  {{- if $logs }}
  priorityClassName: logs
  {{- end }}
  containers: [
    {{- range $.Spec.Containers }}
    {name: {{ .Name | quote }}, env: [
      {{- if $logs }}{name: IMAGE, value: {{ $.ObjectMeta.Namespace | quote }}},{{ end }}
      {{- if index $.ObjectMeta.Labels "app" | ne "" }}{name: APP, value: "1"},{{ end }}
    ]},
    {{- end }}
  ]
{{- end }}
""",
    "texts of booleans": """
metadata:
  labels:
    network: {{ .Spec.HostNetwork | quote }}
    web: {{ eq .ObjectMeta.Name "web" | quote }}
spec:
  containers:
  - name: web
    env: [{name: PID, value: {{ .Spec.HostPID | quote }}}]
""",
    "all other elements": """
spec:
  containers:
  - {name: web, image: web:1}
  - name: "*"
    env:
    - {name: ZONE_A, value: a}
    - {name: "*"}
    - {name: ZONE_B, value: b}
  volumes:
  - {name: "*"}
  - {name: data, emptyDir: {}}
""",
    "a key of the name": """
metadata:
  annotations:
    {{ .ObjectMeta.Name }}/Allow: "true"
""",
    "fields and keys that null removes": """
metadata:
  labels: {app: null, team: web}
  annotations: null
spec:
  hostNetwork: null
  securityContext: {runAsUser: 1, runAsGroup: null}
  initContainers: null
  containers:
  - name: "*"
    securityContext: null
    resources: {limits: {memory: null}}
  - name: agent
    image: agent:1
    securityContext: null
    resources: {limits: {cpu: "1", memory: null}}
""",
    "lists that can be empty": """
spec:
  initContainers:
  {{- range .Spec.InitContainers }}
  - name: {{ .Name | quote }}
    env:
    {{- if $.ObjectMeta.Labels }}
    - {name: A, value: b}
    {{- end }}
  {{- end }}
  volumes:
  {{- if .Spec.InitContainers }}
  - {name: data, emptyDir: {}}
  {{- end }}
""",
    "annotations of the namespace": """
metadata:
  annotations:
    {{- if index .NamespaceMeta.Annotations "team" }}
    team: {{ index .NamespaceMeta.Annotations "team" | quote }}
    {{- end }}
    namespace: {{ .NamespaceMeta.Name | quote }}
    label: {{ index .NamespaceMeta.Labels "kubernetes.io/metadata.name" | quote }}
""",
    "a map that can be empty": """
metadata:
  labels:
    {{- if .Spec.Volumes }}
    a: b
    {{- end }}
    {{- if .Spec.InitContainers }}
    app: {{ .Namespace | quote }}
    {{- end }}
""",
    "constants by a condition": """
{{- $team := "none" }}
{{- range $name := list "web" "api" }}
{{- if eq (index $.ObjectMeta.Labels "app") $name }}{{ $team = $name }}{{ end }}
{{- end }}
metadata:
  labels: {team: {{ $team }}}
spec:
  containers:
  {{- range .Spec.Containers }}
  - name: {{ .Name | quote }}
    env:
    {{- if ne $team "none" }}
    - {name: TEAM, value: {{ $team }}}
    {{- end }}
    {{- $app := index $.ObjectMeta.Labels "app" }}
    - {name: ZONE_A, value: {{ index (dict "web" "a" "api" "b") $app | default "c" | quote }}}
  {{- end }}
""",
    "lists and maps that ranges fill": """
{{- $names := list "first" }}
{{- $last := "none" }}
{{- $ports := list }}
{{- range .Spec.Containers }}
{{- if ne .Name "web" }}{{ $names = append $names .Name }}{{ end }}
{{- if hasPrefix "a" .Name }}{{ $last = .Image }}{{ end }}
{{- range .Ports }}{{ $ports = append $ports .ContainerPort }}{{ end }}
{{- end }}
{{- $set := dict }}
{{- range $annotations := list .NamespaceMeta.Annotations .ObjectMeta.Annotations }}
{{- range $key, $value := $annotations }}
{{- if hasPrefix "sidecar.istio.io/" $key }}
{{- $_ := set $set (trimPrefix "sidecar.istio.io/" $key) $value }}
{{- end }}
{{- end }}
{{- end }}
metadata:
  annotations:
    names: {{ join "," $names | quote }}
    ports: {{ join "," $ports | quote }}
    last: {{ $last | quote }}
    inject: {{ index $set "inject" | default "none" | quote }}
    web: {{ ternary "yes" "no" (has "app" $names) | quote }}
    {{- range $owner := .ObjectMeta.OwnerReferences }}
    {{- range list "Job" "Node" }}
    {{- if eq $owner.Kind . }}
    {{ lower . }}: {{ regexReplaceAll "-[^-]+$" $owner.Name "+" | quote }}
    {{- end }}
    {{- end }}
    {{- end }}
""",
    "numbers": """
{{- $seconds := index .ObjectMeta.Labels "app" | int | max 5 | min 100 }}
spec:
  terminationGracePeriodSeconds: {{ $seconds }}
  volumes:
  - name: token
    projected:
      sources:
      - serviceAccountToken: {path: "p/{{ $seconds }}", expirationSeconds: {{ $seconds }}}
""",
    "integers": """
{{- $port := 1 }}
{{- $fallback := 8080 }}
{{- range .Spec.Containers }}
{{- with .Ports }}
{{- $first := (index . 0).ContainerPort }}{{ if ne $first 443 }}{{ $port = add 10 $first }}{{ end }}
{{- end }}
{{- end }}
metadata:
  annotations:
    port: {{ $port | quote }}
    user: {{ print "p" (sub $port 1) | quote }}
    {{- if eq $port 90 }}
    web: "{{ mul $port 2 }}/{{ div $port 7 }}"
    {{- end }}
    {{- if mod $port 4 }}
    odd: {{ mod $port 4 | default $fallback | toString | quote }}
    {{- end }}
spec:
  terminationGracePeriodSeconds: {{ mod $port 4 | default $fallback }}
  containers:
  - name: agent
    image: agent:1
    args: [--port={{ $port }}]
    ports: [{containerPort: {{ add $port 1 }}}]
""",
    "text inside a plain value": """
spec:
  containers:
  - name: agent
    image: agent:1
    args:
    - --app={{ index .ObjectMeta.Labels "app" }}/{{ .Namespace }}
""",
    "constant values": """
spec:
  terminationGracePeriodSeconds: {{ mul .Values.seconds 2 }}
  {{- range $name := .Values.volumes }}
  {{- end }}
  volumes:
  {{- range $index, $name := .Values.volumes }}
  - name: {{ $name | upper | lower }}
    emptyDir: {{ toJson $.Values.dir }}
  {{- end }}
  $setElementOrder/containers: [{name: setup}, {name: app}, {name: web}]
""",
}
VALUES: Object = {
    "team": 'a "b"',
    "image": "agent:1",
    "seconds": 15,
    "volumes": ["data", "logs", "setup"],
    "dir": {"medium": "Memory"},
}


ADDITIVE = {
    "elements": """
spec:
  containers:
  - {name: web, image: web:1, env: [{name: ZONE_A, value: a}, {name: ZONE_B, value: b}]}
  - name: "*"
    env:
    - {name: ZONE_A, value: a}
    - {name: A, value: "2"}
    - {name: ZONE_B, value: b}
  volumes:
  - {name: data, hostPath: {path: /data}}
  - name: "*"
  - {name: logs, emptyDir: {medium: Memory}}
  initContainers:
  - {name: setup, image: setup:1}
  - {name: agent, image: agent:1}
  - name: "*"
    image: other:1
  - {name: data, image: data:1}
""",
    "elements before those of the object": """
spec:
  volumes:
  - {name: data, hostPath: {path: /data}}
  {{- if .Spec.InitContainers }}
  - {name: web, emptyDir: {}}
  {{- end }}
  - {name: logs, emptyDir: {}}
  - {name: agent, emptyDir: {}}
""",
    "keys and values": """
metadata:
  labels: {app: none, team: none, "a/b": {{ .ObjectMeta.Name | quote }}}
spec:
  hostNetwork: null
  terminationGracePeriodSeconds: 5
  securityContext: {runAsUser: 1, fsGroup: 2}
  containers:
  - name: "*"
    securityContext: {runAsUser: 2, runAsGroup: 3}
    resources: {limits: {memory: 1Mi, cpu: "2"}}
    imagePullPolicy: Never
""",
}
FIELDS_IF_ABSENT = [
    *("env", "volumes", "initContainers", "labels", "hostNetwork", "securityContext"),
    *("terminationGracePeriodSeconds", "limits"),
]


@pytest.mark.parametrize("template", ADDITIVE.values(), ids=ADDITIVE)
def test_what_the_object_has_stays(write_bundle: WriteBundle, template: str) -> None:
    assert compare(write_bundle(template, setIfAbsent=FIELDS_IF_ABSENT), 100, seed=6)


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=TEMPLATES)
def test_overlays_give_the_same_objects(write_bundle: WriteBundle, template: str) -> None:
    assert compare(write_bundle(template, values=VALUES), 60, seed=2)


APP = '(index .ObjectMeta.Labels "app")'
IF_HOST = "{{ if .Spec.HostNetwork }}"
MEMORY = "(index .Spec.Containers 0).Resources.Requests.Memory"
SET = (
    "{{ $set := dict }}{{ range $k, $v := .ObjectMeta.Annotations }}"
    '{{ if hasPrefix "x/" $k }}{{ $_ := set $set (trimPrefix "x/" $k) $v }}{{ end }}{{ end }}'
)
EDGES = {
    "a flag": """
{{ $flag := false }}{{ range .Spec.Volumes }}{{ $flag = true }}{{ end }}
{{ if $flag }}metadata: {labels: {x: z}}{{ end }}
""",
    "a flag of several branches": """
{{ $flag := false }}
{{ range .Spec.Volumes }}
{{ if eq .Name "data" }}{{ $flag = true }}{{ else if eq .Name "logs" }}{{ $flag = true }}{{ end }}
{{ end }}
{{ if $flag }}metadata: {labels: {x: z}}{{ end }}
""",
    "a constant that a range assigns": """
{{ $text := "a" }}
{{ range .Spec.Volumes }}{{ if eq .Name "data" }}{{ $text = "b" }}{{ end }}{{ end }}
metadata: {labels: {x: {{ $text }}}}
""",
    "an integer that a range assigns": """
{{ $n := 0 }}
{{ range .Spec.Volumes }}{{ if .EmptyDir }}{{ $n = 1 }}{{ else }}{{ $n = 2 }}{{ end }}{{ end }}
metadata: {labels: {x: "{{ $n }}"}}
spec: {terminationGracePeriodSeconds: {{ $n }}}
""",
    "operands": f"""
metadata:
  labels:
    x: {{{{ or {APP} "none" | quote }}}}
    z: {{{{ and {APP} "some" .ObjectMeta.Name | quote }}}}
    {{{{ if and {APP} .Spec.Volumes (or .Spec.HostNetwork (eq {APP} "web")) }}}}w: v{{{{ end }}}}
""",
    "keys of other types": "metadata: {annotations: {on: a, Off: b, 1e3: c, 1.0: d}}",
    "a quantity": f"""
spec: {{containers: [{{name: web, resources: {{requests: {{
  cpu: {{{{ quantityAdd ({APP} | default "0.5") 0 }}}}
}}}}}}]}}
""",
    "branches with one key": f"""
metadata:
  annotations:
    {{{{- if {APP} }}}}
    x: "1"
    {{{{- else if .Spec.Volumes }}}}
    x: "2"
    {{{{- end }}}}
spec:
  volumes:
  {{{{- if {APP} }}}}
  - {{name: v, emptyDir: {{}}}}
  {{{{- else }}}}
  - {{name: v, emptyDir: {{medium: Memory}}}}
  {{{{- end }}}}
""",
    "values that can be nil": f"""
{SET}
metadata:
  annotations:
    found: {{{{ coalesce (index $set "a") {APP} | default "none" | quote }}}}
    {{{{- if eq (index $set "a") "on" }}}}
    is-on: "true"
    {{{{- end }}}}
""",
    "an element behind a range": """
spec:
  containers:
  {{- range .Spec.Containers }}
  - {name: {{ .Name | quote }}, env: [{name: A, value: b}]}
  {{- end }}
  - {name: web, image: b}
  - {name: agent, image: b}
""",
    "a range without an element": """
spec:
  containers:
  {{- range .Spec.Containers }}
  {{- if ne .Name "web" }}
  - {name: {{ .Name | quote }}, env: [{name: A, value: b}]}
  {{- end }}
  {{- end }}
  - {name: web, env: [{name: C, value: d}]}
  - {name: agent, image: b}
""",
    "a name that is no key of a merge": 'spec: {dnsConfig: {options: [{name: "*"}]}}',
    "lines before a branch": """
metadata:
  annotations:
    x: |
      a
    {{- if .Spec.HostNetwork }}
    y: b
    {{- end }}
    {{- if .Spec.Volumes }}
    z: |
      c
    {{- else }}
    z: >-
      d

    {{- end }}
""",
}


def write_label(pipeline: str) -> str:
    """A template that prints the result of a pipeline."""
    return f"metadata: {{labels: {{x: {{{{ {pipeline} }}}}}}}}"


@pytest.mark.parametrize("template", EDGES.values(), ids=EDGES)
def test_edges_of_templates_give_the_same_objects(write_bundle: WriteBundle, template: str) -> None:
    assert compare(write_bundle(template), 40, seed=9)


@pytest.mark.parametrize(
    "text", ["7", "+7", "-7", "1_000", "1__0", "_1", "12.50", "1_0.5", "1.5.2", "7s", "", " 7", "0"]
)
def test_text_is_an_integer_as_in_the_template(write_bundle: WriteBundle, text: str) -> None:
    pair = load_pair(write_bundle(f'metadata: {{labels: {{count: "{{{{ {APP} | int }}}}"}}}}'))
    assert compare_object(pair, make_pod({"labels": {"app": text}}, {"containers": []}))


def test_a_range_in_a_list_that_stays_is_refused(write_bundle: WriteBundle) -> None:
    template = """
spec:
  containers:
  {{- range .Spec.InitContainers }}
  - {name: {{ .Name | quote }}, image: a}
  {{- end }}
"""
    (refused,) = load_pair(write_bundle(template, setIfAbsent=["containers"])).export.refused
    assert "a range in containers, which setIfAbsent names" in str(refused)


def test_overlays_of_workloads_give_the_same_objects(write_bundle: WriteBundle) -> None:
    template = """
spec:
  template:
    metadata: {labels: {team: web}}
    spec:
      containers:
      {{- range .Spec.Template.Spec.Containers }}
      - {name: {{ .Name | quote }}, env: [{name: A, value: "2"}, {name: ZONE_B, value: x}]}
      {{- end }}
"""
    constraints = make_constraints("apps", "deployments")
    assert compare(write_bundle(template, matchConstraints=constraints), 150, seed=3)


WIDGETS = format_definition("Widget", "{type: object, x-kubernetes-preserve-unknown-fields: true}")


@pytest.mark.parametrize(
    "spec", [None, {}, {"size": {"cpu": 1}}, {"size": {"x": 2}, "tags": ["b"]}]
)
def test_custom_resources_give_the_same_objects(
    write_bundle: WriteBundle, spec: Object | None
) -> None:
    template = """
metadata: {labels: {team: {{ .Namespace | quote }}}}
spec: {tags: [a, b], size: {cpu: 2, name: "x"}, function: {import: true, for: [1]}}
"""
    constraints = make_constraints("example.com", "widgets")
    value: Object = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a"}}
    folder = write_bundle(template, matchConstraints=constraints)
    (folder / "bundle" / "widgets.yaml").write_text(WIDGETS)
    pair = load_pair(folder)
    assert not pair.export.refused
    assert compare_object(pair, value if spec is None else {**value, "spec": spec})


RULES = {
    "strict": "injectValues: strict",
    "disabled": "policy: disabled\nalwaysInjectSelector: [{matchLabels: {app: web}}]",
    "never": "neverInjectSelector: [{matchExpressions: [{key: app, operator: In, values: [web]}]}]",
    "namespaces": "ignoredNamespaces: [shop, default]",
}


@pytest.mark.parametrize("policy", RULES.values(), ids=RULES)
def test_the_rules_of_the_policy_restrict_the_exported_policies(
    write_bundle: WriteBundle, policy: str
) -> None:
    assert compare(write_bundle("metadata: {labels: {a: b}}", policy), 100, seed=4)


def test_policies_that_write_parts_of_the_object_get_no_match_conditions(tmp_path: Path) -> None:
    """From 1.37 on, a match condition of any policy makes them fail."""
    spec: Object = {
        "matchConstraints": make_constraints("", "pods"),
        "failurePolicy": "Fail",
        "reinvocationPolicy": "Never",
        "mutations": [
            {
                "patchType": "JSONPatch",
                "jsonPatch": {
                    "expression": "[JSONPatch{op: 'add', path: '/spec/ephemeralContainers', "
                    "value: object.spec.containers}]"
                },
            },
            {
                "patchType": "ApplyConfiguration",
                "applyConfiguration": {
                    "expression": "Object{metadata: Object.metadata{labels: {'seen': 'yes'}}}"
                },
            },
        ],
    }
    documents = (
        make_policy("MutatingAdmissionPolicy", "copy", spec),
        make_policy("MutatingAdmissionPolicyBinding", "copy", {"policyName": "copy"}),
    )
    policy = "policy: enabled\nneverInjectSelector: [{matchLabels: {app: web}}]"
    folder = write_folder(tmp_path / "team", policy, "---\n".join(map(yaml.dump, documents)))
    assert 0 < compare(folder, 100, seed=5) < 100


@pytest.mark.parametrize(
    ("version", "kind", "group", "subresource"),
    [("policy/v1", "Eviction", "", "eviction"), ("example.com/v1", "Pod", "example.com", "")],
)
def test_the_rules_of_the_policy_restrict_no_other_requests(
    tmp_path: Path, version: str, kind: str, group: str, subresource: str
) -> None:
    """An eviction has no spec, so a condition about pods would deny it: no node could drain."""
    label = "Object{metadata: Object.metadata{labels: {'seen': 'yes'}}}"
    constraints: Object = {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["CREATE"]}
    spec: Object = {
        "matchConstraints": {"resourceRules": [{**constraints, "resources": ["*/*"]}]},
        "reinvocationPolicy": "Never",
        "mutations": [
            {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": label}}
        ],
    }
    documents = (
        make_policy("MutatingAdmissionPolicy", "all", spec),
        make_policy("MutatingAdmissionPolicyBinding", "all", {"policyName": "all"}),
    )
    text = "---\n".join((*map(yaml.dump, documents), format_definition("Pod", "{type: object}")))
    pair = load_pair(write_folder(tmp_path / "team", "policy: disabled", text))
    value: Object = {"apiVersion": version, "kind": kind, "metadata": {"name": "web"}}
    request = make_request(value)
    resource: Object = {"group": group, "version": "v1", "resource": "pods"}
    request = replace(
        request,
        resource=GroupVersionResource(group, "v1", "pods"),
        sub_resource=subresource,
        raw={**request.raw, "resource": resource, "subResource": subresource},
    )
    for snapshot in (pair.original, pair.native):
        (mutator,) = snapshot.bundle.object_mutators
        after = mutator(value, ReviewContext().with_request(request)).object
        assert object_at(after, "metadata", "labels") == {"seen": "yes"}


def make_policy(kind: str, name: str, spec: Object) -> Object:
    version = "admissionregistration.k8s.io/v1"
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec}


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("spec: {tolerations: [{key: null}]}", "it has null"),
        ('spec: {containers: [{name: new, env: [{name: "*"}]}]}', 'it has an element "*"'),
        ("metadata: {labels: {a: {{ .Object.kind | quote }}}}", "it reads .Object"),
        ("metadata: {labels: {a: {{ .ObjectMeta.Labels | toJson | quote }}}}", "it calls toJson"),
        ('metadata: {labels: {a: {{ index .ObjectMeta.Labels "a" }}}}', "without quotes"),
        ("metadata: {labels: {a: x{{ if .ObjectMeta.Name }}y{{ end }}}}", "inside a value"),
        ("spec: {volumes: [{{ range .Spec.Volumes }}{name: {{ .X }}},{{ end }}]}", "reads .X"),
        (
            "spec:\n  tolerations:\n  -\n    {{- if .Spec.Volumes }}\n    key: b\n    {{- end }}",
            "write it as",
        ),
        ("spec:\n  containers:\n  - $patch: replace\n  - name: a", "without the key name"),
        (
            "spec: {initContainers: [{{ range .Spec.Containers }}{name: {{ .Name }}},{{ end }}]}",
            "without quotes",
        ),
        (
            (
                "{{ $n := 0 }}{{ range .Spec.Volumes }}{{ if .EmptyDir }}{{ $n = 1 }}{{ else }}"
                '{{ $n = true }}{{ end }}{{ end }}metadata: {labels: {x: "{{ $n }}"}}'
            ),
            "another type as a string",
        ),
        ("metadata: {labels: {null: a}}", "a key that is no text"),
        ("metadata: {labels: {12345678901234567890: a}}", "a key that is no text"),
        ("metadata: {labels: {<<: {a: b}}}", "the key <<"),
        (f"metadata: {{labels: {{x: {{{{ quantityAdd {APP} 0 }}}}}}}}", "it writes a quantity"),
        (f"metadata: {{labels: {{x: 'a/{{{{ quantityAdd {APP} 0 }}}}'}}}}", "it writes a quantity"),
        (f"metadata: {{labels: {{ {{{{ quantityAdd {APP} 0 }}}}: x}}}}", "it writes a quantity"),
        (f"{{{{ if quantityAdd {APP} 0 }}}}metadata: {{}}{{{{ end }}}}", "without an equivalent"),
        *(
            (
                f"metadata: {{labels: {{x: {{{{ regexReplaceAll {each} {APP} `d` | quote }}}}}}}}",
                "only at the end",
            )
            for each in ("`^$`", "`x{0}$`", "`^+$`")
        ),
        (
            (
                f"metadata:\n  labels:\n    {{{{- if {APP} }}}}\n    x: a\n    {{{{- end }}}}\n"
                "    {{- if .Spec.Volumes }}\n    x: b\n    {{- end }}"
            ),
            "it can have x twice",
        ),
        (
            (
                "metadata:\n  labels:\n    {{- range .Spec.Volumes }}{{ if .EmptyDir }}\n    x: "
                "{{ .Name | quote }}\n    {{- else }}\n    x: a\n    {{- end }}{{ end }}"
            ),
            "it can have x twice",
        ),
        (
            (
                f"spec:\n  volumes:\n  {{{{- if {APP} }}}}\n  - {{name: v}}\n  {{{{- end }}}}\n"
                "  {{- if .Spec.Containers }}\n  - {name: v}\n  {{- end }}"
            ),
            "it can have 'v' twice",
        ),
        (SET + 'metadata: {labels: {x: {{ index $set "a" | quote }}}}', "can be nil"),
        (SET + 'metadata: {labels: {x: {{ eq (index $set "a") "" | quote }}}}', "can be nil"),
        (f"metadata: {{labels: {{x: {{{{ coalesce {APP} {APP} | quote }}}}}}}}", "can be nil"),
        (f"{{{{ if div 1 (int {APP}) }}}}metadata: {{}}{{{{ end }}}}", "it divides by a value"),
        (f"metadata: {{labels: {{x: {{{{ toString (int {APP}) }}}}}}}}", "without quotes"),
        (f"metadata: {{labels: {{x: {{{{ print (int {APP}) 1 | quote }}}}}}}}", "puts a space"),
        (f"{{{{ if hasPrefix `a` (int {APP}) }}}}metadata: {{}}{{{{ end }}}}", "another type"),
        ("{{ if contains `a` .Spec.DNSPolicy }}metadata: {}{{ end }}", "another type"),
        (f"metadata: {{labels: {{x: {{{{ trimPrefix `a` {MEMORY} | quote }}}}}}}}", "another type"),
        ("{{ if get (dict `a` `b`) (or true .Namespace) }}metadata: {}{{ end }}", "get fails"),
        (
            (
                "{{ $l := list }}{{ range .Spec.Containers }}{{ range .Ports }}"
                "{{ $l = append $l .ContainerPort }}{{ end }}{{ end }}"
                "{{ if has `80` $l }}metadata: {}{{ end }}"
            ),
            "it calls has",
        ),
        (
            (
                f"metadata: {{labels: {{x: {{{{ {MEMORY} | quote }}}}}}}}\n"
                "spec: {containers: [{name: web, image: b}, {name: agent, image: b}]}"
            ),
            "containers in their order",
        ),
        (
            (
                "{{ $last := `` }}{{ range .Spec.Volumes }}{{ $last = .Name }}{{ end }}"
                "{{ $l := list }}{{ range .Spec.Containers }}{{ $l = append $l $last }}{{ end }}"
                "{{ if has `web` $l }}metadata: {labels: {a: b}}{{ end }}\n"
                "spec: {volumes: [{name: web, emptyDir: {}}, {name: data, emptyDir: {}}]}"
            ),
            "volumes in their order",
        ),
        ("{{ range dict `a` .Namespace `b` }}metadata: {}{{ end }}", "with other arguments"),
        (
            (
                "spec: {containers: [{{ range .Spec.Containers }}{{ $last := `` }}{{ range .Env }}"
                "{{ $last = .Name }}{{ end }}{name: {{ .Name | quote }}, env: [{name: B, value: b},"
                " {name: A, value: {{ $last | quote }}}]},{{ end }}]}"
            ),
            "env in their order",
        ),
        (
            (
                "spec: {containers: [{{ range .Spec.Containers }}{name: {{ .Name | quote }}, "
                "env: [{name: A, value: b}]},{{ end }}{name: web, env: [{name: C, value: d}]}]}"
            ),
            "set 'env': leave out one with {{ if ne",
        ),
        (
            (
                "spec: {containers: [{{ range .Spec.Containers }}{name: {{ .Name | quote }}, "
                "image: a},{{ end }}{name: '*', image: b}]}"
            ),
            'a range and an element "*"',
        ),
        ("{{ if eq 1 true }}metadata: {}{{ end }}", "different types"),
        (f"{{{{ if eq {APP} .Spec.HostNetwork }}}}metadata: {{}}{{{{ end }}}}", "different types"),
        (
            (
                f"{{{{ $x := false }}}}{{{{ if {APP} }}}}{{{{ $x = true }}}}{{{{ end }}}}"
                '{{ if eq $x "true" }}metadata: {}{{ end }}'
            ),
            "different types",
        ),
        (f"metadata: {{labels: {{x: {{{{ ternary `a` `b` {APP} | quote }}}}}}}}", "no boolean"),
        (
            "spec: {containers: [{name: a, env: [{name: '*'}]}]}",
            'it has an element "*"',
        ),
        # A branch inside a value, a map, or a list
        *(
            (f"metadata:\n  annotations:\n    x: {text}", "inside a value")
            for text in (
                f"|\n      a\n      {IF_HOST}b{{{{ end }}}}\n    y: c",
                f"|\n      {IF_HOST}b{{{{ end }}}}\n      a",
                f">\n      a\n      {IF_HOST}b{{{{ else }}}}c{{{{ end }}}}",
                f">-\n      a\n{IF_HOST}\n      b{{{{ end }}}}",
                f"|+\n      a\n{IF_HOST}\n\n{{{{ end }}}}    y: b",
                f"|\n      a{IF_HOST}\n    y: b{{{{ end }}}}",  # the last line has no end
                f"|\n      a {{{{ .Namespace }}}}\n      {IF_HOST}b{{{{ end }}}}",
            )
        ),
        (f"{IF_HOST}metadata: {{labels: {{x: a{{{{ end }}}}}}}}", "inside a map or a list"),
        (f"{IF_HOST}metadata: {{labels: {{x: a}}{{{{ end }}}}}}", "inside a map or a list"),
        (f"spec: {{tolerations: {IF_HOST}[{{{{ end }}}}{{key: a}}]}}", "the value of a key"),
        (f"metadata: {{labels: {IF_HOST}{{a: b}}{{{{ end }}}}}}", "the value of a key"),
        (f"spec: {{tolerations: [{IF_HOST}{{key: a, {{{{ end }}}}value: b}}]}}", "inside a map"),
        # Calls
        (write_label('.ObjectMeta.Name | quote | trimPrefix "a"'), "the result of quote"),
        (write_label('index .Spec.Containers "a" | quote'), "it calls index for something else"),
        (write_label('get .ObjectMeta.Labels "a" | quote'), "it calls get for something else"),
        (write_label('dict .ObjectMeta.Name "x" | quote'), "it calls dict with a key"),
        (write_label('regexFind .ObjectMeta.Name "a" | quote'), "it has a pattern with text"),
        (write_label('regexReplaceAll "a$" .ObjectMeta.Name "$1" | quote'), "with a group"),
        (write_label(f"quantityMul {APP} {APP}"), "it multiplies a quantity by a value"),
        (write_label(f'quantityAdd {MEMORY} "100u"'), "less than a thousandth"),
        (write_label(f'quantityAdd {MEMORY} "x"'), "quantities must match"),
        (write_label(f'quantityAdd {MEMORY} "-1"'), "a negative number, or with no quantity"),
        (write_label(".ObjectMeta.Name 1"), "it calls a method"),
        (write_label(".Spec.Containers"), "it prints a value that is no string"),
        (write_label('join "," .Spec.Containers'), "a list of something else than strings"),
        ('{{ $_ := set dict "a" .ObjectMeta.Name }}metadata: {}', "it calls set for something"),
        ("{{ range .Spec.Containers }}{{ break }}{{ end }}metadata: {}", "a break or continue"),
        ("{{ range $i, $c := .Spec.Containers }}{{ $i }}{{ end }}", "the index of a list"),
        ('{{ range splitList "," .ObjectMeta.Name }}a: b{{ end }}', "a range over something else"),
        ("{{ range 3 }}{{ .ObjectMeta }}{{ end }}", "a range over a number or a string"),
        ('{{ define "a" }}{{ template "a" }}{{ end }}{{ template "a" }}', "too often"),
        (
            (
                "spec: {containers: [{name: new, args: [{{ range .Spec.Containers }}"
                "{{ range .Env }}{{ .Name | quote }},{{ end }}{{ end }}]}]}"
            ),
            "a range inside a range for a list",
        ),
        (
            "metadata: {labels: {"
            + ", ".join(f"x{n}: {{{{ ternary `a` `b` (eq .Namespace `n{n}`) }}}}" for n in range(9))
            + "}}",
            "it chooses between too many constants",
        ),
        (f"metadata: {{labels: {{x: {'a' * 1_000_000}}}}}", "more than 1000000 characters"),
        # Documents
        ("spec: {nope: {{ .ObjectMeta.Name | quote }}}", "it sets nope, which no field"),
        ("metadata: {finalizers: [a/b]}", "a list of values that merge"),
        (f'spec: {{containers: [{IF_HOST}{{name: "*"}}{{{{ end }}}}]}}', "with a condition"),
        ("spec: {$patch: replace}", "it has $patch: only $setElementOrder"),
        (
            f"spec: {{ {IF_HOST}$setElementOrder/volumes: [{{name: a}}]{{{{ end }}}}}}",
            "with a condition",
        ),
        ('spec: {$setElementOrder/volumes: [{name: "*"}]}', "with a condition, or with *"),
        ('metadata: {labels: {x: "}}', "its text without an object is no YAML"),
        ("- {{ .ObjectMeta.Name | quote }}", "it gives no single mapping"),
        ("metadata: &a {labels: {x: {{ .ObjectMeta.Name | quote }}}}", "it has anchors of YAML"),
        ("metadata: {labels: {x: !!str a}}", "it has tags of YAML"),
    ],
)
def test_other_templates_are_refused(write_bundle: WriteBundle, template: str, reason: str) -> None:
    export = load_pair(write_bundle(template)).export
    (refused,) = export.refused
    assert str(refused).startswith("bundle.yaml: Overlay sample: ")
    assert reason in str(refused)
    assert export.documents == []


@pytest.mark.parametrize(("group", "resource"), [("*", "pods"), ("", "*"), ("", "pods/resize")])
def test_constraints_without_one_kind_are_refused(
    write_bundle: WriteBundle, group: str, resource: str
) -> None:
    constraints = make_constraints(group, resource)
    (refused,) = load_pair(write_bundle("a: b", matchConstraints=constraints)).export.refused
    assert "it matches any kind or a subresource; name the resources" in str(refused)


@pytest.mark.parametrize(
    ("group", "resource", "owner"),
    [
        ("rbac.authorization.k8s.io", "roles", ""),  # can have the name "a: b"
        ("apps", "deployments", ".Spec.Template"),  # has no check of the name
    ],
)
def test_names_with_syntax_are_refused(
    write_bundle: WriteBundle, group: str, resource: str, owner: str
) -> None:
    template = f"metadata: {{annotations: {{ {{{{ {owner}.ObjectMeta.Name }}}}/allow: x}}}}"
    constraints = make_constraints(group, resource)
    (refused,) = load_pair(write_bundle(template, matchConstraints=constraints)).export.refused
    assert "without quotes" in str(refused)


def run_export(*arguments: str, release: str = "1.36") -> int:
    command = ["policy", "export", "--native", "--kubernetes", release, *arguments]
    return cli.main(command)


@pytest.mark.parametrize(("value", "is_warned_of"), [("b", False), ("c", True)])
def test_the_export_warns_of_policies_that_interfere(
    value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], *, is_warned_of: bool
) -> None:
    documents: list[Object] = []
    for name, label in (("first", "b"), ("second", value)):
        text = f"Object{{metadata: Object.metadata{{labels: {{'a': '{label}'}}}}}}"
        apply: Object = {"patchType": "ApplyConfiguration"}
        apply["applyConfiguration"] = {"expression": text}
        spec: Object = {
            "matchConstraints": make_constraints("", "pods"),
            "reinvocationPolicy": "Never",
            "mutations": [apply],
        }
        documents.append(make_policy("MutatingAdmissionPolicy", name, spec))
        documents.append(make_policy("MutatingAdmissionPolicyBinding", name, {"policyName": name}))
    bundle = "---\n".join(map(yaml.dump, documents))

    assert run_export("--config", str(write_folder(tmp_path / "t", "policy: enabled", bundle))) == 0
    warning = "second /spec/mutations: writes metadata.labels.a, as first does: kube-apiserver"
    assert (warning in capsys.readouterr().err) == is_warned_of


@pytest.mark.parametrize(
    ("release", "version"), [("1.36", "v1"), ("1.34", "v1beta1"), ("1.33", None), ("1.31", None)]
)
def test_policies_have_the_version_that_the_release_serves(
    release: str, version: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    is_exported = version is not None
    status = run_export("--config", str(SAMPLES / "mutating-policy"), release=release)
    printed = capsys.readouterr()
    assert status == (0 if is_exported else 1)
    documents = [each for each in yaml.load_all(printed.out) if isinstance(each, dict)]
    kinds = [each["apiVersion"] for each in documents if "Admission" in str(each["kind"])]
    assert kinds == [f"admissionregistration.k8s.io/{version}"] * (4 if is_exported else 0)
    if release == "1.31":
        assert (
            "Kubernetes 1.31 does not serve MutatingAdmissionPolicy; 1.32 is the first"
            in printed.err
        )
    if release == "1.33":
        assert "new in Kubernetes 1.34" in printed.err


def test_partial_output_goes_to_files_and_the_rest_is_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policies = (SAMPLES / "require-limits" / "bundle" / "pin-images.yaml").read_text()
    overlay = (SAMPLES / "logging" / "bundle" / "overlay.yaml").read_text()
    overlay = overlay.replace("{{ .Namespace }}", "{{ .Object.kind }}")
    folder = write_folder(tmp_path / "team", "policy: enabled", f"{policies}---\n{overlay}")
    output = tmp_path / "out"
    arguments = ("--config", str(folder), "--output", str(output))
    assert run_export(*arguments) == 1
    assert not output.exists()
    assert run_export(*arguments, "--partial") == 0
    out, err = capsys.readouterr()
    assert out == f"{output}: wrote 2 files\n"
    assert "warning: bundle.yaml" in err
    assert f"next:\n  kubectl apply -f {output}\n" in err
    assert sorted(path.name for path in output.iterdir()) == [
        "ValidatingAdmissionPolicy-pin-images.yaml",
        "ValidatingAdmissionPolicyBinding-pin-images.yaml",
    ]


def test_the_cluster_selects_the_policy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    overlay = (SAMPLES / "hello" / "bundle" / "hello.yaml").read_text()
    policy = "policy: enabled\nclusters: {eu: {ignoredNamespaces: [shop]}}"
    folder = str(write_folder(tmp_path / "team", policy, overlay))
    assert run_export("--config", folder, "--cluster", "eu") == 0
    selected = capsys.readouterr().out
    assert run_export("--config", folder) == 0
    assert "request.namespace in" in selected
    assert "shop" in selected
    assert "shop" not in capsys.readouterr().out


def test_a_registration_leaves_out_what_the_bundle_no_longer_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policies = (SAMPLES / "mutating-policy" / "bundle" / "policies.yaml").read_text()
    overlay = (SAMPLES / "hello" / "bundle" / "hello.yaml").read_text()
    folder = write_folder(tmp_path / "team", "policy: enabled", overlay)
    register = ["register", "--url", "https://example.com", "--no-inject", "--all-namespaces"]
    register += [str(folder)]
    moved = folder / "bundle" / "moved.yaml"
    moved.write_text(policies)
    assert cli.main(register) == 0
    assert "/mutate" in capsys.readouterr().out
    moved.unlink()
    assert cli.main(register) == 1
    assert capsys.readouterr().out == ""


def test_a_rollout_is_refused(tmp_path: Path) -> None:
    folder = write_folder(
        tmp_path / "team",
        "policy: enabled\ncensus: {}",
        (SAMPLES / "hello/bundle/hello.yaml").read_text(),
    )
    (refused,) = load_pair(folder).export.refused
    assert refused.pointer == "/census"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--kubernetes", "1.36"], "Missing option '--native'"),
        (["--native"], "Missing option '--kubernetes'"),
        (["--native", "--kubernetes", "1.9"], "use --kubernetes 1.28 to 1.37"),
        (["--native", "--kubernetes", "37"], "use --kubernetes 1.28 to 1.37"),
    ],
)
def test_options_are_checked(
    arguments: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["policy", "export", "--config", str(SAMPLES / "hello"), *arguments]
    assert cli.main(command) == 2
    assert problem in capsys.readouterr().err


def test_a_release_of_the_policy_that_is_too_new_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    overlay = (SAMPLES / "hello/bundle/hello.yaml").read_text()
    folder = write_folder(tmp_path / "team", "kubernetesRelease: '1.38'", overlay)
    assert cli.main(["policy", "export", "--native", "--config", str(folder)]) == 2
    assert "got Kubernetes 1.38; use --kubernetes 1.28 to 1.37" in capsys.readouterr().err


# The differences of an export that docs/overlays.md names.
def test_allows_and_namespaces_are_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    overlay = (SAMPLES / "hello/bundle/hello.yaml").read_text()
    namespace = yaml.dump({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
    bundle = f"{overlay}---\n{namespace}"
    folder = write_folder(tmp_path / "t", "policy: enabled\nallows: {}", bundle)
    assert run_export("--config", str(folder)) == 0
    documents = [each for each in yaml.load_all(capsys.readouterr().out) if isinstance(each, dict)]
    kinds = [each["kind"] for each in documents]
    assert kinds == ["MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"]


@pytest.mark.parametrize("text", ["0x10", "010", "9223372036854775808"])
def test_other_numbers_are_denied(write_bundle: WriteBundle, text: str) -> None:
    pair = load_pair(write_bundle(f'metadata: {{labels: {{count: "{{{{ {APP} | int }}}}"}}}}'))
    pod = make_pod({"labels": {"app": text}}, {"containers": []})
    assert pair.review_natively(pod) == (None, False)


def test_an_exponent_as_text_is_denied(write_bundle: WriteBundle) -> None:
    text = f"metadata: {{annotations: {{x: {{{{ quantityMax {MEMORY} `1` | quote }}}}}}}}"
    pair = load_pair(write_bundle(text))
    requests: Object = {"requests": {"memory": "1e9"}}
    container: Object = {"name": "web", "image": "a", "resources": requests}
    pod = make_pod({}, {"containers": [container]})
    assert pair.review_natively(pod) == (None, False)


def make_pod(metadata: Object, spec: Object) -> Object:
    metadata = {"name": "a", "namespace": "b", **metadata}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
