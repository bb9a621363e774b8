"""What a template can read of its data: kept by name in a table, and by law for any template."""

from collections.abc import Collection
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest

from podgraft import kube
from podgraft.base.field_reads import EACH
from podgraft.golang import reflect, texttemplate
from podgraft.golang.reflect import Field, GoType, Struct, Value
from podgraft.golang.texttemplate import (
    Dependency,
    ExecError,
    Function,
    KeyArgument,
    LimitError,
    Program,
    Projection,
)

DATA = reflect.struct_type("Data")
DATA.fields = (
    Field("ObjectMeta", kube.OBJECT_META, "ObjectMeta"),
    Field("Spec", kube.TYPES["PodSpec"], "Spec"),
    Field("Values", reflect.ANY_MAP, "Values"),
)
POD: dict[str, Any] = {
    "ObjectMeta": {"name": "web-1", "labels": {"app": "web", "tier": ""}, "annotations": {}},
    "Spec": {
        "containers": [
            {"name": "web", "image": "web:1", "ports": [{"containerPort": 80, "name": "http"}]},
            {"name": "log", "image": "log:2", "resources": {"limits": {"cpu": "100m"}}},
        ],
        "securityContext": {"runAsUser": 7},
        "volumes": [{"name": "tmp", "emptyDir": {}}],
    },
    "Values": {"global": {"hub": "hub"}, "list": [1, 2]},
}


def _names(containers: reflect.Slice) -> str:
    return ",".join(each.field("Name") for each in containers)


def _isset(entries: reflect.Map, key: str) -> bool:
    return key in entries


def _look(*, state: object) -> str:
    del state
    return ""


FUNCTIONS = {
    "isset": Function(
        _isset,
        (reflect.STRING_MAP, reflect.STRING),
        dependencies=(Dependency(0, (KeyArgument(1),)),),
    ),
    "names": Function(
        _names,
        (reflect.slice_of(kube.CONTAINER),),
        dependencies=(Dependency(0, (EACH, "Name")),),
    ),
    "look": Function(_look, uses_dot=True),
}
CONTAINERS = POD["Spec"]["containers"]
META = POD["ObjectMeta"]


def _projection(program: Program, opaque: Collection[GoType] = ()) -> Projection:
    """The part of the data that a template can read."""
    return program.split(DATA, opaque, None)[0]


def _compile_template(text: str) -> texttemplate.Program:
    return texttemplate.compile_(text, name="t", functions=FUNCTIONS)


def _project(text: str) -> Value:
    return _projection(_compile_template(text), {reflect.ANY_MAP})(POD)


NAMES = {"Spec": {"containers": [{"name": "web"}, {"name": "log"}]}}
PORTS = {"Spec": {"containers": [{"ports": [{"name": "http"}]}, {}]}}
WHOLE = {"Spec": {"containers": CONTAINERS}}
NAME = {"ObjectMeta": {"name": "web-1"}}
APP = {"ObjectMeta": {"labels": {"app": "web"}}}
LABELS = {"ObjectMeta": {"labels": META["labels"]}}
SPEC = {"Spec": POD["Spec"]}
KEPT: list[tuple[str, Value]] = [
    ("nothing", {}),
    ("{{.ObjectMeta.Name}}", NAME),
    ("{{$.ObjectMeta.Name}}", NAME),
    ("{{.ObjectMeta.Labels.app}}", APP),
    ("{{.ObjectMeta.Labels.none}}", {"ObjectMeta": {"labels": {}}}),
    ('{{index .ObjectMeta.Labels "app"}}', APP),
    ('{{isset .ObjectMeta.Labels "app"}}', APP),
    ('{{$k := "app"}}{{index .ObjectMeta.Labels $k}}', LABELS),
    ('{{"app" | index .ObjectMeta.Labels}}', LABELS),
    ("{{.ObjectMeta}}", {"ObjectMeta": META}),
    ("{{with .ObjectMeta}}{{.Name}}{{end}}", {"ObjectMeta": META}),
    ("{{$m := .ObjectMeta}}{{$m.Name}}", NAME),
    ("{{$m := .ObjectMeta}}{{$l := $m.Labels}}{{$l.app}}", APP),
    ("{{$m := .ObjectMeta}}{{$m}}", {"ObjectMeta": META}),
    ("{{$m := .ObjectMeta}}{{if .Spec}}{{$m = .Spec}}{{end}}{{$m.Name}}", NAME | SPEC),
    ("{{$m := .ObjectMeta}}{{or $m.Name ($m := .Spec)}}{{$m.Name}}", {"ObjectMeta": META} | SPEC),
    ("{{$m := .ObjectMeta.Name}}", NAME),
    ("{{$c := .Spec.Containers}}{{range $c}}{{.Name}}{{end}}", NAMES),
    ("{{if .Spec.Volumes}}v{{end}}", {"Spec": {"volumes": POD["Spec"]["volumes"]}}),
    ("{{range .Spec.Containers}}{{.Name}}{{end}}", NAMES),
    ("{{range $i, $c := .Spec.Containers}}{{$c.Name}}{{end}}", NAMES),
    ("{{range .Spec.Containers}}x{{end}}", {"Spec": {"containers": [{}, {}]}}),
    ("{{range $c := .Spec.Containers}}{{else}}{{$c}}{{end}}", {"Spec": {"containers": [{}, {}]}}),
    ("{{range .Spec.Containers}}{{range .Ports}}{{.Name}}{{end}}{{end}}", PORTS),
    ("{{range $c := .Spec.Containers}}{{or .Name ($c := .Ports)}}{{$c.Image}}{{end}}", WHOLE),
    ("{{range .ObjectMeta.Labels}}{{end}}", LABELS),
    ("{{names .Spec.Containers}}", NAMES),
    ("{{.Spec.Containers | names}}", WHOLE),
    ("{{(index .Spec.Containers 0).Name}}", WHOLE),
    ("{{.Spec.SecurityContext.RunAsUser}}", {"Spec": {"securityContext": {"runAsUser": 7}}}),
    ("{{.Values.global.hub}}", {"Values": POD["Values"]}),
    ('{{define "a"}}{{.Name}}{{end}}{{template "a" .ObjectMeta}}', NAME),
    ('{{define "a"}}{{template "a" .ObjectMeta}}{{end}}{{template "a" .}}', {"ObjectMeta": META}),
    ("{{look}}", POD),
    ("{{.}}", POD),
]


@pytest.mark.parametrize(("text", "kept"), KEPT)
def test_it_retains_what_the_template_can_read(text: str, kept: Value) -> None:
    assert _project(text) == kept


def test_objects_that_differ_in_order_alone_are_retained_as_equals() -> None:
    keep = _projection(_compile_template("{{.ObjectMeta.Name}}{{.ObjectMeta.Labels.app}}"))
    turned = {"ObjectMeta": dict(reversed(META.items()))}
    assert [*keep(turned)["ObjectMeta"]] == [*keep(POD)["ObjectMeta"]]


def test_what_is_no_object_if_one_belongs_is_retained() -> None:
    keep = _projection(_compile_template("{{range .Spec.Containers}}{{.Name}}{{end}}"))
    assert keep({"Spec": None}) == {"Spec": None}
    assert keep({"Spec": {"containers": [None]}}) == {"Spec": {"containers": [None]}}


# What templates below ask of the data: kinds of values, and the fields that lead on from each.
FIELDS = {
    "data": {"ObjectMeta": "meta", "Spec": "spec"},
    "meta": {"Name": "text", "Labels": "labels"},
    "spec": {"Containers": "containers", "SecurityContext": "text", "Volumes": "text"},
    "container": {"Name": "text", "Image": "text", "Ports": "ports", "Resources": "text"},
    "port": {"Name": "text", "ContainerPort": "text"},
    "labels": {"app": "text", "none": "text"},
}
ELEMENTS = {"containers": "container", "ports": "port", "labels": "text"}
VARIABLES = ("$a", "$b")


@dataclass
class TemplateWriter:
    """Writes random templates that seldom fail: it knows what kinds dot and variables are of."""

    random: Random

    def place(self, kinds: dict[str, str]) -> tuple[str, str]:
        """Dot or a variable, or a field below it; and the kind of that."""
        text = self.random.choice(sorted(kinds))
        kind = kinds[text]
        while kind in FIELDS and (kind == "data" or self.random.randrange(4)):
            name = self.random.choice(sorted(FIELDS[kind]))
            text, kind = f"{text if text != '.' else ''}.{name}", FIELDS[kind][name]
        return text, kind

    def expression(self, kinds: dict[str, str]) -> tuple[str, str]:
        """A place, or what a function makes of one, or declares beside it."""
        text, kind = self.place(kinds)
        variable, declared = self.random.choice(VARIABLES), self.place(kinds)
        wrapped = self.random.randrange(8)
        if wrapped == 0:
            return f"or {text} ({variable} := {declared[0]})", "text"
        if wrapped == 1:
            return f"and {text} ({variable} := {declared[0]})", "text"
        if wrapped == 2 and kind == "labels":
            return f'index {text} "app"', "text"
        if wrapped == 3 and kind == "containers":
            return f"names {text}", "text"
        return text, kind

    def body(self, kinds: dict[str, str], depth: int) -> str:
        """Some statements; what they declare, the later ones use."""
        kinds = {**kinds}
        return "".join(self.statement(kinds, depth) for _ in range(self.random.randint(1, 3)))

    def statement(self, kinds: dict[str, str], depth: int) -> str:
        """One statement; those that hold others, hold them ``depth`` deep."""
        text, kind = self.expression(kinds)
        variable = self.random.choice(VARIABLES)
        match self.random.randrange(8) if depth else 0:
            case 1 | 2 as way:
                kinds[variable] = kind
                return f"{{{{{variable} {':=' if way == 1 else '='} {text}}}}}"
            case 3:
                inner, other = (self.body(kinds, depth - 1) for _ in range(2))
                return f"{{{{if {text}}}}}{inner}{{{{else}}}}{other}{{{{end}}}}"
            case 4:
                inner = self.body({**kinds, ".": kind}, depth - 1)
                return f"{{{{with {text}}}}}{inner}{{{{end}}}}"
            case 5 | 6 | 7 as way if kind in ELEMENTS:
                return self.range(text, kind, kinds, (depth, way))
            case _:
                return f"{{{{{text}}}}}"

    def range(self, text: str, kind: str, kinds: dict[str, str], how: tuple[int, int]) -> str:
        """A range over a list or a map, which declares or assigns a variable, or does not."""
        depth, way = how
        variable, element = self.random.choice(VARIABLES), ELEMENTS[kind]
        sets = {5: "", 6: f"$i, {variable} := ", 7: f"{variable} = "}[way]
        inner = self.body(
            {**kinds, ".": element, **({variable: element} if sets else {})}, depth - 1
        )
        otherwise = f"{{{{else}}}}{self.body(kinds, depth - 1)}" if self.random.randrange(2) else ""
        if way == 7:
            kinds[variable] = element
        return f"{{{{range {sets}{text}}}}}{inner}{otherwise}{{{{end}}}}"


def write_template(random: Random) -> str:
    """A template over the pod, and one that it may call."""
    writer = TemplateWriter(random)
    start = '{{$a := ""}}{{$b := ""}}'  # nothing here reads the data whole
    other = writer.body({".": "meta", "$": "meta", "$a": "text", "$b": "text"}, 1)
    main = writer.body({".": "data", "$": "data", "$a": "text", "$b": "text"}, 2)
    called = random.choice(('{{template "other" .ObjectMeta}}', ""))
    return f'{{{{define "other"}}}}{start}{other}{{{{end}}}}{start}{called}{main}'


def _outcome(program: texttemplate.Program, data: Value) -> str:
    try:
        return program.render(Struct(DATA, data))
    except (ExecError, LimitError) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("seed", range(10))
def test_a_template_writes_the_same_of_what_is_retained(seed: int) -> None:
    random = Random(seed)  # noqa: S311 - the same templates each time
    for _ in range(150):
        text = write_template(random)
        program = _compile_template(text)
        kept = _projection(program, kube.SELF_MARSHALING)(POD)
        assert _outcome(program, kept) == _outcome(program, POD), text
