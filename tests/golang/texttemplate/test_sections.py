"""A rendering with reused sections is the same as one without, and leaves out what it can."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from golang.texttemplate.test_dependencies import DATA, ELEMENTS, FUNCTIONS, POD, TemplateWriter
from podgraft import kube
from podgraft.golang import reflect, texttemplate
from podgraft.golang.reflect import Struct, Value
from podgraft.golang.texttemplate import ExecError, LimitError, Limits, SectionReuse, SectionText

NAME, LABELS = ("ObjectMeta", "name"), ("ObjectMeta", "labels")
CONTAINERS, VOLUMES = ("Spec", "containers"), ("Spec", "volumes")
CHANGES: dict[tuple[str, str], Sequence[Value]] = {
    NAME: ("web-2", ""),
    LABELS: ({}, {"app": "api"}, {"app": "", "tier": "x"}),
    CONTAINERS: ([], [{"name": "one", "ports": []}], [{"name": "a"}, {"name": "b", "image": "i"}]),
    VOLUMES: ([], [{"name": "other"}]),
}


def compile_template(text: str) -> texttemplate.Program:
    return texttemplate.compile_(text, name="t", functions=FUNCTIONS)


class Renderer:
    """A template with sections, and the sections of each rendering by their key."""

    def __init__(self, text: str, changing: Sequence[tuple[str, ...]] | None) -> None:
        self.program = compile_template(text)
        _, self.projection = self.program.split(DATA, kube.SELF_MARSHALING, changing)
        self.stored: dict[str, Sequence[SectionText]] = {}
        self.reused = 0

    def render(self, data: Value) -> str:
        reuse = None
        if self.projection is not None:
            key = repr(self.projection(data))
            known = self.stored.get(key)
            self.reused += known is not None

            def store(recorded: Sequence[SectionText]) -> None:
                self.stored[key] = recorded

            reuse = SectionReuse(known, store)
        return find_outcome(self.program, data, reuse)


def find_outcome(
    program: texttemplate.Program, data: Value, reuse: SectionReuse | None = None
) -> str:
    try:
        return program.render(Struct(DATA, data), sections=reuse)
    except (ExecError, LimitError) as error:
        return f"{type(error).__name__}: {error}"


def change(path: tuple[str, str], value: Value) -> dict[str, Any]:
    """The pod with another value at a path."""
    outer, inner = path
    return {**POD, outer: {**POD[outer], inner: value}}


PODS = [POD, *(change(path, value) for path, values in CHANGES.items() for value in values)]


class PlainWriter(TemplateWriter):
    """Writes templates that declare no variable within an expression, so most have sections."""

    def expression(self, kinds: dict[str, str]) -> tuple[str, str]:
        """A place, or its length or emptiness."""
        text, kind = self.place(kinds)
        match self.random.randrange(4):
            case 0:
                return f"not {text}", "text"
            case 1 if kind in ELEMENTS:
                return f"len {text}", "text"
            case _:
                return text, kind


@pytest.mark.parametrize("seed", range(6))
def test_reused_sections_change_no_text_and_no_error(seed: int) -> None:
    random = Random(seed)  # noqa: S311 - the same templates each time
    kinds = {".": "data", "$": "data", "$a": "text", "$b": "text"}
    reused = 0
    for number in range(40):
        writer = (PlainWriter if number % 4 else TemplateWriter)(random)
        start = '{{define "other"}}{{.Name}}{{end}}{{$a := ""}}{{$b := "b"}}'
        parts = [writer.body(kinds, 2) for _ in range(4)]
        text = start + '-{{template "other" .ObjectMeta}}-{{$b}}{{.Spec.DNSPolicy}}'.join(parts)
        changing = random.sample(sorted(CHANGES), random.randrange(1, len(CHANGES)))
        renderer, reference = Renderer(text, changing), compile_template(text)
        for pod in PODS:
            assert renderer.render(pod) == find_outcome(reference, pod), (text, changing)
        reused += renderer.reused
    assert reused > 40


def executed(text: str, *changing: tuple[str, ...]) -> list[str]:
    """The statements of a template that are executed in each rendering."""
    program = compile_template(text)
    program.split(DATA, {*kube.SELF_MARSHALING, reflect.ANY_MAP}, changing)
    sections, body = program.sections, program.templates["t"].body
    if sections is None:
        return [*map(str, body)]
    return [
        str(node) for node, number in zip(body, sections.numbers, strict=True) if number is None
    ]


SPEC = "{{.Spec.SecurityContext}}"
TABLE: dict[str, tuple[str, list[str]]] = {
    "a changing part": (f"{SPEC}{{{{.ObjectMeta.Name}}}}", ["{{.ObjectMeta.Name}}"]),
    "a part that contains a changing one": (f"{SPEC}{{{{.ObjectMeta}}}}", ["{{.ObjectMeta}}"]),
    "another part": (f"{SPEC}{{{{.ObjectMeta.Annotations.a}}}}", []),
    "a changing part within a branch": (
        SPEC + "{{if true}}{{.ObjectMeta.Name}}{{end}}",
        ["{{if true}}{{.ObjectMeta.Name}}{{end}}"],
    ),
    "a variable of a changing part": (
        SPEC + "{{$a := len .ObjectMeta.Name}}{{$a}}",
        ["{{$a := len .ObjectMeta.Name}}", "{{$a}}"],
    ),
    "a variable that a changing part sets later": (
        SPEC + "{{$a := 1}}{{if .ObjectMeta.Name}}{{$a = 2}}{{end}}{{$b := $a | len}}{{$b}}",
        [
            "{{$a := 1}}",
            "{{if .ObjectMeta.Name}}{{$a = 2}}{{end}}",
            "{{$b := $a | len}}",
            "{{$b}}",
        ],
    ),
    "a variable of another part": (SPEC + "{{$a := len .Spec.Volumes}}{{$a}}", []),
    "a variable that stands for a part": (
        SPEC + "{{$a := .Spec}}{{$a.Volumes}}",
        ["{{$a := .Spec}}"],
    ),
    "a changing part of a part": (
        SPEC + "{{$a := .ObjectMeta}}{{$a.Annotations.a}}{{$a.Name}}",
        ["{{$a := .ObjectMeta}}", "{{$a.Name}}"],
    ),
    "a variable that stands for a changing part": (
        SPEC + "{{$a := .ObjectMeta.Name}}{{len $a}}",
        ["{{$a := .ObjectMeta.Name}}", "{{len $a}}"],
    ),
    "a variable that stands for a part of a variable": (
        SPEC + "{{$a := .ObjectMeta}}{{$b := $a.Labels}}{{$b.app}}{{$a.UID}}",
        ["{{$a := .ObjectMeta}}", "{{$b := $a.Labels}}", "{{$b.app}}"],
    ),
    "a variable that stands for a part, then for another": (
        SPEC + "{{$a := .Spec}}{{$a.DNSPolicy}}{{$a := .ObjectMeta}}{{$a.Name}}",
        ["{{$a := .Spec}}", "{{$a := .ObjectMeta}}", "{{$a.Name}}"],
    ),
    "a variable that stands for values": (
        SPEC + "{{$a := .Values.global}}{{$a.hub}}{{.ObjectMeta.Name}}",
        ["{{$a := .Values.global}}", "{{.ObjectMeta.Name}}"],
    ),
    "text between changing parts": (
        "{{.ObjectMeta.Name}} and {{.ObjectMeta.Name}}",
        ["{{.ObjectMeta.Name}}", " and ", "{{.ObjectMeta.Name}}"],
    ),
    "a function that reads all data": (f"{SPEC}{{{{look}}}}", [SPEC, "{{look}}"]),
    "a variable of a skipped argument": (
        SPEC + '{{or "" ($a := 1)}}',
        [SPEC, '{{or "" ($a := 1)}}'],
    ),
    "an element of a range that is assigned": (
        SPEC + '{{$a := ""}}{{range $a = .Spec.Volumes}}{{end}}',
        [SPEC, '{{$a := ""}}', "{{range $a = .Spec.Volumes}}{{end}}"],
    ),
}


@pytest.mark.parametrize("case", TABLE)
def test_a_statement_is_executed_if_it_can_differ(case: str) -> None:
    text, expected = TABLE[case]
    assert executed(text, NAME, LABELS) == expected


def test_a_template_that_changes_its_data_has_no_sections() -> None:
    assert Renderer(SPEC, None).projection is None


def test_sections_that_set_a_variable_to_a_list_are_not_reused() -> None:
    renderer = Renderer("{{$a := slice .Spec.Volumes 0}}{{len $a}}{{.ObjectMeta.Name}}", [NAME])
    assert renderer.projection is not None
    assert renderer.render(POD) == "1web-1"
    assert not renderer.stored


def test_reused_sections_count_as_steps_and_as_output() -> None:
    loop = "{{range .Spec.Containers}}{{.Name}}{{end}}"
    program = compile_template(f"{loop}{{{{.ObjectMeta.Name}}}}")
    program.split(DATA, kube.SELF_MARSHALING, [NAME])
    stored: list[Sequence[SectionText]] = []
    data = Struct(DATA, POD)
    assert program.render(data, sections=SectionReuse(None, stored.append)) == "weblogweb-1"
    reuse = SectionReuse(stored[0], stored.append)
    for limits in (Limits(steps=2), Limits(output_bytes=5)):
        for sections in (None, reuse):
            with pytest.raises(LimitError):
                program.render(data, limits=limits, sections=sections)
    assert program.render(data, limits=Limits(steps=3), sections=reuse) == "weblogweb-1"
