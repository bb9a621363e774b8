"""Fields that data cannot have, found in the parse tree."""

from typing import Any

import pytest

from podgraft import kube
from podgraft.golang import sprig
from podgraft.golang.reflect import ANY, ANY_MAP, STRING, Field, struct_type
from podgraft.golang.texttemplate import BUILTINS, compile_

DATA = struct_type("test.Data")
DATA.fields = (
    Field("Pod", kube.POD, "Pod"),
    Field("Name", STRING, "Name"),
    Field("Values", ANY_MAP, "Values"),
    Field("Any", ANY, "Any"),
)
VALUES: dict[str, Any] = {"image": "a", "agent": {"port": 1}, "list": [1], "none": None}
FUNCTIONS = {**BUILTINS, **sprig.functions()}


def problems(text: str, **known: Any) -> list[str]:
    program = compile_(text, name="t", functions=FUNCTIONS)
    return [each.path for each in program.check_fields(DATA, known or {"Values": VALUES})]


@pytest.mark.parametrize(
    "text",
    [
        "{{ .Name }}{{ .Pod.Spec.NodeName }}{{ .Pod.ObjectMeta.Name }}{{ .Pod.Name }}",
        "{{ .Any.whatever.else }}",
        "{{ .Values.agent.port }}{{ .Values.image | quote }}",
        "{{ with .Pod }}{{ .Spec.NodeName }}{{ $.Name }}{{ end }}",
        "{{ range .Pod.Spec.Containers }}{{ .Image }}{{ $.Pod.Name }}{{ end }}",
        "{{ range $i, $c := .Pod.Spec.Containers }}{{ $i }}{{ $c.Image }}{{ end }}",
        "{{ range $k, $v := .Pod.Labels }}{{ $k }}{{ $v }}{{ end }}",
        "{{ $x := .Pod.Spec }}{{ if .Name }}{{ $x = .Any }}{{ end }}{{ $x.Whatever }}",
        '{{ define "t2" }}{{ .NodeName }}{{ end }}{{ template "t2" .Pod.Spec }}',
        '{{ define "r" }}{{ template "r" . }}{{ end }}{{ template "r" . }}',
        "{{ (index .Pod.Spec.Containers 0).Whatever }}",
        "{{ (.Pod).Spec.NodeName }}",
        '{{ .Values.no | default "x" }}{{ default "x" .Values.no }}{{ coalesce .Values.no "x" }}',
        "{{ if and .Values.no .Values.no.deep }}{{ .Values.no.deep }}{{ end }}",
        "{{ if .Values.no }}{{ .Values.no }}{{ else }}{{ .Name }}{{ end }}",
        "{{ with .Values.no }}{{ .deep }}{{ end }}{{ range .Values.no }}{{ .x }}{{ end }}",
        "{{ $v := .Values.no }}{{ if $v }}{{ $v }}{{ end }}",
        "{{ range .Values.list }}{{ .Whatever }}{{ end }}",
        "{{ .Pod.Labels.app }}",
    ],
)
def test_nothing_is_reported_of_what_can_be(text: str) -> None:
    assert problems(text) == []


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("{{ .Objct }}", [".Objct"]),
        ("{{ .Pod.Spec.NodNam }}", [".Pod.Spec.NodNam"]),
        ("{{ .Name.x }}", [".Name.x"]),
        ("{{ if false }}{{ $.Objct }}{{ end }}", [".Objct"]),
        ("{{ with .Pod.Spec }}{{ .Name }}{{ end }}", [".Pod.Spec.Name"]),
        ("{{ range .Pod.Spec.Containers }}{{ .Nam }}{{ end }}", [".Pod.Spec.Containers[].Nam"]),
        ("{{ $s := .Pod.Spec }}{{ $s.Nam | quote }}", [".Pod.Spec.Nam"]),
        ('{{ define "a" }}{{ .Nam }}{{ end }}{{ template "a" .Pod }}', [".Pod.Nam"]),
        ("{{ (.Pod).Nam }}", [".Pod.Nam"]),
        ("{{ .Values.imge }}", [".Values.imge"]),
        ("{{ .Values.imge | quote }}", [".Values.imge"]),
        ("{{ print .Values.imge }}", [".Values.imge"]),
        ("{{ $v := .Values.imge }}{{ $v }}", [".Values.imge"]),
        ("{{ .Values.agnt.port }}", [".Values.agnt"]),
        ("{{ if .Values.agnt.port }}{{ end }}", [".Values.agnt"]),
        ("{{ .Values.image.x }}", [".Values.image.x"]),
        ("{{ .Values.none }}", [".Values.none"]),
    ],
)
def test_what_cannot_be_is_reported(text: str, paths: list[str]) -> None:
    assert problems(text) == paths


def test_a_problem_has_its_line_and_what_there_is() -> None:
    program = compile_("a\n{{ .Nam }}", name="t", functions={})
    (problem,) = program.check_fields(DATA)
    assert (problem.line, problem.available) == (2, ("Pod", "Name", "Values", "Any"))
    assert str(problem) == "line 2: .Nam: test.Data has no field Nam"
    assert problem.span.excerpt.endswith("^^^^")
