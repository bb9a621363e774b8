"""Overlays in a trial: which objects are tried, and which failures count."""

from typing import Any

import pytest

from podgraft.core import bundle, policy, trial
from support.broken_bundles import Files, container, overlay

READ = policy.parse("")
GUARDED = [
    {
        "name": "wanted",
        "expression": "has(object.metadata.annotations) && "
        "'example.com/port' in object.metadata.annotations",
    }
]
EQUAL = [
    {"name": "off", "expression": "object.metadata.?labels['example.com/mode'].orValue('') == 'on'"}
]
IMAGE = "registry.example.com/agent:1"
ANNOTATED = (
    "metadata:\n  labels:\n    port: "
    '{{ index .Object.metadata.annotations "example.com/port" | quote }}\n'
)


def report(files: Files) -> trial.Report:
    return trial.check_bundle(bundle.compile_(files, READ), READ)


FINE: dict[str, Files] = {
    "default": overlay(container('{{ .Values.imge | default "a/b:1" }}')),
    "tested": overlay(container("{{ if .Values.imge }}{{ .Values.imge }}{{ end }}a/b:1")),
    "tested deep": overlay(
        container("{{ if .Values.a }}{{ if .Values.a.b }}{{ .Values.a.b.c }}{{ end }}{{ end }}a:1")
    ),
    "with": overlay(container("{{ with .Values.imge }}{{ . }}{{ else }}a/b:1{{ end }}")),
    "range": overlay(container("{{ range .Values.none }}{{ .x }}{{ end }}a/b:1")),
    "variable": overlay("{{ $v := .Values }}" + container("{{ $v.image }}")),
    "set": overlay('{{ $_ := set .Values "imge" "a:1" }}' + container("{{ .Values.imge }}")),
    "condition holds": overlay(ANNOTATED, matchConditions=GUARDED),
    "value of a label": overlay(container(IMAGE), matchConditions=EQUAL),
    "other kind": overlay("metadata: {labels: {a: b}}", ("services", "networkpolicies")),
    "two kinds": overlay(
        'metadata: {labels: {a: a{{ if eq .Object.kind "Pod" }}{{ len .Spec.Containers }}{{ else }}'
        "{{ .Spec.Template.Spec.RestartPolicy }}{{ end }}}}",
        ("pods", "deployments"),
    ),
    "all kinds": overlay('{{ if eq .Object.kind "Pod" }}spec: {hostIPC: false}{{ end }}', ("*",)),
    "object selector": overlay(
        container(IMAGE), constraints={"objectSelector": {"matchLabels": {"a": "b"}}}
    ),
}

BAD: dict[str, tuple[Files, str]] = {
    "dead template": (
        overlay("{{ fail `never` }}", matchConditions=[{"name": "n", "expression": "false"}]),
        "fails for every probe Pod, regardless of its conditions",
    ),
    "kind without the field": (
        overlay("{{ len .Spec.Containers }}: 1", ("pods", "deployments")),
        "fails for every probe Deployment",
    ),
    "missing key of the object": (
        overlay("metadata: {labels: {team: {{ .Object.metadata.team }}}}"),
        "renders <no value> at /metadata/labels/team",
    ),
    "deep value": (overlay(container("a:{{ .Values.agnt.port }}")), ".Values has no field agnt"),
    "inside of a value": (overlay(container("a:{{ .Values.image.x }}")), ".Values.image has no"),
    "branch not taken": (
        overlay("{{ if false }}{{ .Spec.Containrs }}{{ end }}"),
        "v1.PodSpec has no field Containrs; rename it to Containers",
    ),
    "in a range": (
        overlay("{{ range .Spec.Containers }}{{ .Nam }}: 1\n{{ end }}"),
        "v1.Container has no field Nam",
    ),
    "condition that fails": (
        overlay(
            container(IMAGE),
            matchConditions=[{"name": "n", "expression": "object.metadata.annotations.x == 'y'"}],
        ),
        "/spec/matchConditions: fails for a Deployment's pod",
    ),
    "wrong type": (overlay("spec: {hostIPC: sure}"), "what it gives does not fit"),
    "empty image": (overlay(container('""')), 'sets the invalid image "" for container agent'),
    "blank in an image": (overlay(container("a b")), 'the invalid image "a b"'),
    "capitals": (overlay(container("Registry/App:1")), 'the invalid image "Registry/App:1"'),
    "workload": (
        overlay(
            "spec: {template: {spec: {containers: [{name: agent, image: /a}]}}}", ("deployments",)
        ),
        'sets the invalid image "/a" for container agent',
    ),
}


@pytest.mark.parametrize("files", FINE.values(), ids=FINE)
def test_valid_overlays_have_no_errors(files: Files) -> None:
    found = report(files)
    assert (found.errors, found.warnings) == ([], [])


@pytest.mark.parametrize(("files", "text"), BAD.values(), ids=BAD)
def test_overlays_that_always_fail_are_errors(files: Files, text: str) -> None:
    found = [*map(str, report(files).errors)]
    assert any(text in error for error in found), found
    assert all(error.startswith("agent.yaml /spec/") for error in found)


UNKNOWN = {
    "of the pod": (
        overlay("spec: {initContainer: []}"),
        "sets the unknown field spec.initContainer; rename it to initContainers",
    ),
    "of a container": (
        overlay("spec: {containers: [{name: agent, image: a, restartpolicy: Always}]}"),
        "rename it to restartPolicy",
    ),
    "unlike all names": (
        overlay("zzz: 1"),
        "sets the unknown field zzz; remove it; Kubernetes 1.37 drops it",
    ),
    "of a pod, where another one fails": (
        overlay(
            "spec: {initContainer: [], "
            'terminationGracePeriodSeconds: {{ if .ObjectMeta.Labels }}"x"{{ else }}5{{ end }}}'
        ),
        "sets the unknown field spec.initContainer",
    ),
    "of a pod without labels": (
        overlay("spec: { {{ if not .ObjectMeta.Labels }}initContainer: []{{ end }} }"),
        "sets the unknown field spec.initContainer",
    ),
    "condition that no probe matches": (
        overlay("specs: {}", matchConditions=[{"name": "n", "expression": "false"}]),
        "rename it to spec",
    ),
}


@pytest.mark.parametrize(("files", "text"), UNKNOWN.values(), ids=UNKNOWN)
def test_a_field_that_kube_apiserver_drops_is_a_warning(files: Files, text: str) -> None:
    found = report(files)
    (warning,) = [each for each in map(str, found.warnings) if "unknown field" in each]
    assert not found.errors
    assert text in warning


def test_a_template_that_fails_for_some_objects_is_a_warning() -> None:
    template = '{{ if eq .ObjectMeta.Name "web" }}{{ fail "not web" }}{{ end }}'
    found = report(overlay(template))
    assert not found.errors
    (warning,) = found.warnings
    assert warning.is_warning
    assert "fails for a minimal pod" in str(warning)


def test_a_name_in_set_if_absent_that_the_template_does_not_contain_is_a_warning() -> None:
    template = 'metadata: {"labels": {{ toJson .Values.labels }}, annotations: {}}'
    names = ["labels", "a.b/c", "annotation", "annotations", "Values"]
    values = {"labels": {"a.b/c": "d"}}
    found = report(overlay(template, values=values, setIfAbsent=names))
    assert not found.errors
    problems = [str(each) for each in found.warnings if each.is_warning]
    assert problems == [
        f"agent.yaml /spec/setIfAbsent/{number}: the template does not contain the name {name}; "
        "correct or remove it, unless the template composes it"
        for number, name in ((2, "annotation"), (4, "Values"))
    ]


def test_other_operations_and_subresources_are_tried() -> None:
    files: Any = dict(overlay(container("/a"), ("pods/ephemeralcontainers",)))
    files["agent.yaml"] = files["agent.yaml"].replace(b'"CREATE"', b'"UPDATE"')
    assert "invalid image" in str(report(files).errors[0])
