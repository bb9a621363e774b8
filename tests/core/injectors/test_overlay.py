"""Overlays: their template data, their merge, and the structure check."""

from dataclasses import dataclass

import pytest

from podgraft.base.jsonvalue import JSON, Object, objects_at
from podgraft.core.injectors.errors import OperatorError, UserError
from podgraft.core.injectors.overlay import conflicts as overlay_conflicts
from podgraft.core.injectors.overlay import overlay, overlay_set
from podgraft.core.injectors.overlay.overlay import Overlay
from podgraft.core.injectors.overlay.overlay_set import OverlaySet
from podgraft.core.policy import Cursor, Diagnostics
from podgraft.core.review_context import ReviewContext
from podgraft.kube import yaml
from podgraft.kube.admission import AdmissionRequest
from podgraft.kube.matching import constraints
from podgraft.kube.patch import diff

EVERYTHING = """
matchConstraints:
  resourceRules:
  - {apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"]}
"""


NAMESPACES: dict[str, Object] = {"shop": {"metadata": {"annotations": {"team": "web"}}}}


def check_object(value: JSON) -> Object:
    assert isinstance(value, dict)
    return value


def parse_yaml(text: str) -> Object:
    return check_object(yaml.load(text))


def an_overlay(template: str, *, name: str = "sidecar", more: str = "") -> Overlay:
    notes = Diagnostics()
    spec = parse_yaml(EVERYTHING + more)
    found = overlay.parse_overlay(Cursor({**spec, "template": template}, "/spec", notes), name)
    assert not notes.errors, notes.errors
    assert found is not None
    return found


def overlays(*found: Overlay) -> OverlaySet:
    return overlay_set.sort_overlays(found, NAMESPACES)


def apply_overlay(value: Object, *found: Overlay, namespace: str = "shop") -> Object:
    return overlays(*found)(value, ReviewContext(namespace=namespace)).object


POD = parse_yaml("""
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}, annotations: {log/level: debug}}
spec:
  containers:
  - {name: app, image: "example.com/app:1", futureField: {kept: true}}
""")


def annotated_pod(**annotations: str) -> Object:
    metadata: Object = {"name": "web", "annotations": dict[str, JSON](annotations)}
    return {**POD, "metadata": metadata}


DEPLOYMENT = parse_yaml("""
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: a}]}
""")
WIDGET = parse_yaml("""
apiVersion: example.com/v1
kind: Widget
metadata: {name: w}
spec: {parts: [a, b], depth: {x: 1, z: 2}}
""")


REQUESTING: Object = {
    "name": "app",
    "env": [{"name": "X"}],
    "resources": {"requests": {"cpu": "250m", "memory": "128Mi"}},
}


def a_pod(*containers: Object) -> Object:
    return {**POD, "metadata": {"name": "web"}, "spec": {"containers": [*containers]}}


POD_WITH_REQUESTS = a_pod(REQUESTING)
TWO_CONTAINERS = a_pod({"name": "a", "image": "a"}, {"name": "b", "image": "b"})
WITH_ENV = a_pod({"name": "a", "image": "a", "env": [{"name": "X", "valueFrom": {}}]})


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    object: Object
    template: str
    path: str
    want: JSON
    more: str = ""


def _value_at(value: JSON, path: str) -> JSON:
    for step in path.split("."):
        value = value[int(step)] if isinstance(value, list) else check_object(value)[step]
    return value


CASES = (
    # template data
    Case(
        "ObjectMeta",
        POD,
        'metadata: {labels: {name: "{{ .ObjectMeta.Name }}"}}',
        "metadata.labels.name",
        "web",
    ),
    Case(
        "Spec of a pod",
        POD,
        "metadata: {labels: {i: '{{ (index .Spec.Containers 0).Image }}'}}",
        "metadata.labels.i",
        "example.com/app:1",
    ),
    Case(
        "Spec of a workload",
        DEPLOYMENT,
        'metadata: {labels: {r: "{{ .Spec.Replicas }}"}}',
        "metadata.labels.r",
        "2",
    ),
    Case(
        "its pod template",
        DEPLOYMENT,
        "metadata: {labels: {i: '{{ (index .Spec.Template.Spec.Containers 0).Image }}'}}",
        "metadata.labels.i",
        "a",
    ),
    Case(
        "Spec of another kind",
        WIDGET,
        'metadata: {labels: {x: "{{ .Spec.depth.x }}"}}',
        "metadata.labels.x",
        "1",
    ),
    Case(
        "Object",
        WIDGET,
        'metadata: {labels: {k: "{{ .Object.kind }}"}}',
        "metadata.labels.k",
        "Widget",
    ),
    Case(
        "Namespace",
        POD,
        "metadata: {labels: {name: {{ .Namespace }}}}",
        "metadata.labels.name",
        "shop",
    ),
    Case(
        "Values",
        POD,
        "metadata: {labels: {v: {{ .Values.a.b }}}}",
        "metadata.labels.v",
        "c",
        "values: {a: {b: c}}",
    ),
    Case(
        "sprig",
        POD,
        'metadata: {labels: {u: "{{ .ObjectMeta.Name | upper }}"}}',
        "metadata.labels.u",
        "WEB",
    ),
    Case(
        "toYaml",
        WIDGET,
        "spec: {copy: [{{ toYaml .Spec.depth | quote }}]}",
        "spec.copy",
        ["x: 1\nz: 2"],
    ),
    Case(
        "NamespaceMeta of the bundle",
        POD,
        'metadata: {labels: {t: {{ index .NamespaceMeta.Annotations "team" | quote }}}}',
        "metadata.labels.t",
        "web",
    ),
    Case(
        "NamespaceMeta has the label of every namespace",
        POD,
        '{{ $key := "kubernetes.io/metadata.name" }}'
        "metadata: {labels: {name: {{ index .NamespaceMeta.Labels $key }}}}",
        "metadata.labels.name",
        "shop",
    ),
    Case(
        "quantityAdd of quantities of the object, and of texts",
        POD_WITH_REQUESTS,
        "{{ $r := (index .Spec.Containers 0).Resources.Requests }}"
        'metadata: {labels: {c: {{ quantityAdd $r.Cpu "1" }}, '
        'm: {{ quantityAdd "1Gi" $r.Memory }}}}',
        "metadata.labels",
        {"c": "1250m", "m": "1152Mi"},
    ),
    Case(
        "quantityMul, quantityMax, and quantityMin",
        POD_WITH_REQUESTS,
        "{{ $m := (index .Spec.Containers 0).Resources.Requests.Memory }}"
        "metadata: {labels: {a: {{ quantityMul $m 0.1 | quote }}, "
        "b: {{ quantityMul $m .Values.times }}, "
        'c: {{ quantityMul $m 2 | quantityMax "32Mi" | quantityMin "200Mi" | quote }}}}',
        "metadata.labels",
        {"a": "13421773", "b": "384Mi", "c": "200Mi"},
        "values: {times: 3}",
    ),
    # how a partial object is laid on
    Case(
        "containers merge by name",
        POD,
        "spec: {containers: [{name: app, tty: true}]}",
        "spec.containers.0",
        {"name": "app", "image": "example.com/app:1", "futureField": {"kept": True}, "tty": True},
    ),
    Case(
        "new containers go first",
        POD,
        "spec: {containers: [{name: log, image: l}]}",
        "spec.containers.0.name",
        "log",
    ),
    Case(
        "in a workload too",
        DEPLOYMENT,
        "spec: {template: {spec: {containers: [{name: app, tty: true}]}}}",
        "spec.template.spec.containers.0",
        {"name": "app", "image": "a", "tty": True},
    ),
    Case(
        "null removes",
        POD,
        "metadata: {annotations: {log/level: null}}",
        "metadata.annotations",
        {},
    ),
    *(
        Case(
            f"a list that merges and has no elements changes nothing: {empty}",
            POD_WITH_REQUESTS,
            f"spec: {{containers: [{{name: app, env: {empty}, tty: true}}], volumes: {empty}}}",
            "spec",
            {"containers": [{**REQUESTING, "tty": True}]},
        )
        for empty in ("", "null", "[]")
    ),
    Case(
        "null in a new element",
        POD,
        "spec: {containers: [{name: log, resources: {requests: null, limits: {cpu: 1}}}]}",
        "spec.containers.0",
        {"name": "log", "resources": {"limits": {"cpu": 1}}},
    ),
    Case(
        "an asterisk matches the other containers, and sets the order",
        TWO_CONTAINERS,
        "spec: {containers: [{name: first, image: f}, {name: '*', tty: true}, "
        "{name: b, image: c}, {name: last, image: l}]}",
        "spec.containers",
        [
            {"name": "first", "image": "f"},
            {"name": "a", "image": "a", "tty": True},
            {"name": "b", "image": "c"},
            {"name": "last", "image": "l"},
        ],
    ),
    Case(
        "an asterisk for a list that the object does not have",
        POD,
        "spec: {initContainers: [{name: '*', tty: true}], volumes: [{name: '*'}, {name: v}]}",
        "spec.volumes",
        [{"name": "v"}],
    ),
    Case(
        "an asterisk in $setElementOrder",
        TWO_CONTAINERS,
        "spec: {$setElementOrder/containers: [{name: b}, {name: '*'}]}",
        "spec.containers",
        [{"name": "b", "image": "b"}, {"name": "a", "image": "a"}],
    ),
    Case(
        "setIfAbsent keeps the elements of the object",
        WITH_ENV,
        "spec: {containers: [{name: '*', env: [{name: '*'}, {name: X, value: '2'}, "
        "{name: Z, value: '2'}], image: new}]}",
        "spec.containers.0",
        {
            "name": "a",
            "image": "new",
            "env": [{"name": "X", "valueFrom": {}}, {"name": "Z", "value": "2"}],
        },
        "setIfAbsent: [env]",
    ),
    Case(
        "setIfAbsent keeps the keys of a map",
        POD,
        "metadata: {annotations: {log/level: info, log/format: json}}",
        "metadata.annotations",
        {"log/level": "debug", "log/format": "json"},
        "setIfAbsent: [annotations]",
    ),
    Case(
        "setIfAbsent keeps a value, and sets a missing one",
        DEPLOYMENT,
        "spec: {replicas: 9, paused: true}",
        "spec",
        {**check_object(DEPLOYMENT["spec"]), "paused": True},
        "setIfAbsent: [replicas, paused]",
    ),
    Case(
        "setIfAbsent for other kinds",
        WIDGET,
        "spec: {depth: {x: 5, w: 6}, parts: [c]}",
        "spec",
        {"parts": ["a", "b"], "depth": {"x": 1, "z": 2, "w": 6}},
        "setIfAbsent: [depth, parts]",
    ),
    Case(
        "directives work",
        POD,
        "spec: {containers: [{$patch: replace}, {name: only, image: o}]}",
        "spec.containers",
        [{"name": "only", "image": "o"}],
    ),
    Case(
        "other kinds merge as JSON", WIDGET, "spec: {depth: {x: 5}}", "spec.depth", {"x": 5, "z": 2}
    ),
    Case("and their lists are replaced", WIDGET, "spec: {parts: [c]}", "spec.parts", ["c"]),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_template_is_rendered_and_merged(case: Case) -> None:
    after = apply_overlay(case.object, an_overlay(case.template, more=case.more))

    assert _value_at(after, case.path) == case.want


def test_an_empty_template_changes_nothing() -> None:
    assert apply_overlay(POD, an_overlay('{{ if eq .Namespace "far" }}spec: {}{{ end }}')) is POD


def test_overlays_are_applied_in_the_order_of_their_names() -> None:
    """A later overlay reads the result of the earlier one, and takes precedence."""
    first = an_overlay("metadata: {labels: {by: a}}", name="a")
    then = an_overlay('metadata: {labels: {by: "{{ .ObjectMeta.Labels.by }}b"}}', name="b")

    assert _value_at(apply_overlay(POD, then, first), "metadata.labels.by") == "ab"


def test_the_first_overlay_sets_an_absent_label() -> None:
    first, then = (
        an_overlay(f"metadata: {{labels: {{by: {name}}}}}", name=name, more="setIfAbsent: [labels]")
        for name in ("a", "b")
    )

    assert _value_at(apply_overlay(POD, then, first), "metadata.labels.by") == "a"
    (conflict,) = overlay_conflicts.find_conflicts(overlays(first, then), [POD])
    assert conflict.path == "metadata.labels.by"


def test_a_second_call_changes_nothing() -> None:
    sidecar = an_overlay("spec: {initContainers: [{name: log, image: l, restartPolicy: Always}]}")
    once = apply_overlay(POD, sidecar)

    assert once is not POD
    assert apply_overlay(once, sidecar) is once


def test_the_order_of_absent_elements_is_stable() -> None:
    """The second rendering gives fewer variables, and the first of two with one name counts."""
    variables = an_overlay(
        "{{ $set := list }}{{ range (index .Spec.Containers 0).Env }}"
        "{{ $set = append $set .Name }}{{ end }}"
        "spec: {containers: [{name: '*', env: [{name: HOME}, {name: '*'}, {name: HOME, value: b}, "
        "{{ if not (has `A` $set) }}{name: A}, {{ end }}{name: B}]}]}",
        more="setIfAbsent: [env]",
    )
    once = apply_overlay(WITH_ENV, variables)

    container = check_object(_value_at(once, "spec.containers.0"))
    assert [each["name"] for each in objects_at(container, "env")] == ["HOME", "X", "A", "B"]
    assert apply_overlay(once, variables) is once


def test_the_original_object_is_never_changed() -> None:
    before = yaml.dump(POD)
    apply_overlay(
        POD, an_overlay("metadata: {labels: {a: b}}\nspec: {containers: [{name: app, tty: true}]}")
    )

    assert yaml.dump(POD) == before


# Whether an overlay applies

MATCHING: tuple[tuple[str, str, bool], ...] = (
    (
        "a true condition",
        "matchConditions: [{name: c, expression: object.metadata.name == 'web'}]",
        True,
    ),
    (
        "a false condition",
        "matchConditions: [{name: c, expression: object.metadata.name == 'db'}]",
        False,
    ),
    (
        "the request",
        "matchConditions: [{name: c, expression: request.operation == 'CREATE'}]",
        True,
    ),
    (
        "a namespace not known",
        "matchConditions: [{name: c, expression: namespaceObject.metadata.name == 'shop'}]",
        True,
    ),
)


@pytest.mark.parametrize(
    ("more", "applies"), [r[1:] for r in MATCHING], ids=[r[0] for r in MATCHING]
)
def test_conditions_determine_whether_an_overlay_applies(more: str, applies: bool) -> None:
    labelling = an_overlay("metadata: {labels: {seen: yes-it-was}}", more=more)

    assert (apply_overlay(POD, labelling) is not POD) == applies


def test_constraints_apply_to_the_result_of_earlier_overlays() -> None:
    marking = an_overlay("metadata: {labels: {wants: log}}", name="a")
    notes = Diagnostics()
    spec = parse_yaml(
        EVERYTHING.replace(
            "resourceRules", "objectSelector: {matchLabels: {wants: log}}\n  resourceRules"
        )
    )
    logging = overlay.parse_overlay(
        Cursor({**spec, "template": "metadata: {labels: {has: log}}"}, "", notes), "b"
    )

    assert logging is not None
    assert _value_at(apply_overlay(POD, marking, logging), "metadata.labels.has") == "log"


# Errors at load

FAULTS: tuple[tuple[str, str], ...] = (
    ("template: 'a'", "/spec/matchConstraints: is missing; say which objects it is for"),
    (EVERYTHING, "/spec/template: is missing; write what renders to a partial object"),
    (
        EVERYTHING + "template: '{{ if }}'",
        "/spec/template: does not parse: template: sidecar:1: missing value for if",
    ),
    (EVERYTHING + "template: '{{ env \"HOME\" }}'", "/spec/template: does not parse: "),
    (EVERYTHING + "template: ''\nvalues: []", "/spec/values: expected a mapping, got a list"),
    (
        EVERYTHING + "template: a\nmatchConditions: [{name: a, expression: '1 +'}]",
        "/spec/matchConditions/0/expression: line 1, column 4: ",
    ),
    (
        EVERYTHING + "template: a\nsetIfAbsent: env",
        "/spec/setIfAbsent: expected a list, got a string",
    ),
    (
        EVERYTHING + "template: a\ntemplates: b",
        "/spec/templates: unknown key; did you mean template?",
    ),
)


@pytest.mark.parametrize(("spec", "fault"), FAULTS)
def test_an_invalid_overlay_does_not_load(spec: str, fault: str) -> None:
    notes = Diagnostics()
    overlay.parse_overlay(Cursor(parse_yaml(spec), "/spec", notes), "sidecar")

    assert any(str(found).startswith(fault) for found in notes.errors), notes.errors


# Errors for one object

FAILING: tuple[tuple[str, str], ...] = (
    ("{{ .Spec.Nope }}", "overlay sidecar: the template fails: "),
    ('{{ fail "no" }}', "overlay sidecar: the template fails: "),
    ("a: [", "overlay sidecar: the template fails: "),
    ("[a]", "overlay sidecar: the template gives no mapping"),
    ('{{ quantityAdd "1Q" 1 }}', "overlay sidecar: the template fails: "),
    ("{{ quantityAdd .Values 1 }}", "overlay sidecar: the template fails: "),
    ("metadata: {annotations: {a: true}}", "overlay sidecar: what it gives does not fit: "),
    ("spec: {containers: {a: b}}", "overlay sidecar: what it gives does not fit: "),
)


@pytest.mark.parametrize(("template", "message"), FAILING)
def test_a_failing_template_is_an_operator_error(template: str, message: str) -> None:
    with pytest.raises(OperatorError) as raised:
        apply_overlay(POD, an_overlay(template))

    assert str(raised.value).startswith(message)


def test_a_failing_condition_is_an_operator_error() -> None:
    failing = an_overlay("a", more="matchConditions: [{name: c, expression: object.nope.x == 1}]")

    with pytest.raises(
        OperatorError, match="overlay sidecar: matchCondition 'c' failed: no such key"
    ):
        apply_overlay(POD, failing)


# Structure

HOSTILE = (
    "x\n- name: evil",
    'x", image: "evil',
    "x'}, {name: evil",
    "a: b",
    "- a",
    "{a: b}",
    "[a, b]",
    "&anchor x",
    "*alias",
    "!!binary eA==",
    "x # comment",
    "|\n  a",
    ">-\n  a",
    "x\n...\n---\nkind: Secret",
    "$patch: delete",
    "\t",
    "? a",
    "x: {y",
    "null",
    "a\u2028b",
    "%YAML 1.1",
    "`x`",
    "@x",
    "'",
    '"',
    "x,y",
    "a\r\nb: c",
    "{{ .Values }}",
    "<<: *x",
    "=",
)
TEMPLATES = (
    "spec: {containers: [{name: log, image: l, args: [{{ .ObjectMeta.Annotations.level }}]}]}",
    "spec:\n  containers:\n  - name: log\n    image: {{ .ObjectMeta.Annotations.level }}",
    'spec: {containers: [{name: log, image: "{{ .ObjectMeta.Annotations.level }}"}]}',
    "metadata:\n  labels:\n    {{ .ObjectMeta.Annotations.level }}: x",
)


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("value", HOSTILE)
def test_an_annotation_cannot_add_structure(value: str, template: str) -> None:
    """Rejected with the name of the annotation, or equal to the result of a plain value."""
    given = annotated_pod(level=value)
    logging = an_overlay(template)
    outcome = _outcome(given, logging)
    if isinstance(outcome, UserError):
        assert "/metadata/annotations/level" in str(outcome)
    else:
        harmless = annotated_pod(level="x")
        assert _shape(outcome) == _shape(apply_overlay(harmless, logging))


def _outcome(given: Object, logging: Overlay) -> Object | UserError:
    try:
        return apply_overlay(given, logging)
    except UserError as error:
        return error


def _shape(value: JSON) -> JSON:
    match value:
        case dict():
            return {"keys": len(value), "values": [_shape(each) for each in value.values()]}
        case list():
            return [_shape(each) for each in value]
        case _:
            return None


def test_a_template_can_decode_structure() -> None:
    """``fromJson`` decodes structure by intention of the template author."""
    given = annotated_pod(env='{"A": "1", "B": "2"}')
    template = """
spec:
  containers:
  - name: app
    env:
    {{- range $name, $value := fromJson .ObjectMeta.Annotations.env }}
    - {name: {{ $name }}, value: {{ $value | quote }}}
    {{- end }}
"""
    assert _value_at(apply_overlay(given, an_overlay(template)), "spec.containers.0.env") == [
        {"name": "A", "value": "1"},
        {"name": "B", "value": "2"},
    ]


# Conflicts


def conflicts(*templates: str) -> list[str]:
    found = overlays(*(an_overlay(each, name=f"o{i}") for i, each in enumerate(templates)))
    return [
        f"{each.first} {each.second} {each.kind} {each.path} {each.values[0]} {each.values[1]}"
        for each in overlay_conflicts.find_conflicts(found)
    ]


def test_two_overlays_that_set_one_scalar_differently_conflict() -> None:
    image = "spec: {containers: [{name: app, image: %s}]}"

    assert conflicts(image % "a", image % "b") == ['o0 o1 Pod spec.containers[app].image "a" "b"']


NO_CONFLICT = (
    (
        "two sidecars",
        "spec: {containers: [{name: a, image: a}]}",
        "spec: {containers: [{name: b, image: b}]}",
    ),
    ("the same value", "metadata: {labels: {a: b}}", "metadata: {labels: {a: b}}"),
    ("two labels", "metadata: {labels: {a: b}}", "metadata: {labels: {b: a}}"),
    (
        "ports by number",
        "spec: {containers: [{name: app, ports: [{containerPort: 1}]}]}",
        "spec: {containers: [{name: app, ports: [{containerPort: 2}]}]}",
    ),
    ("finalizers are a set", "metadata: {finalizers: [a/b]}", "metadata: {finalizers: [b/a]}"),
)


@pytest.mark.parametrize(
    "templates", [row[1:] for row in NO_CONFLICT], ids=[r[0] for r in NO_CONFLICT]
)
def test_compatible_overlays_do_not_conflict(templates: tuple[str, str]) -> None:
    assert not conflicts(*templates)


def test_replaced_lists_conflict_as_a_unit() -> None:
    args = "spec: {containers: [{name: app, args: [%s]}]}"

    assert conflicts(args % "a", args % "b, c") == [
        'o0 o1 Pod spec.containers[app].args ["a"] ["b","c"]'
    ]


def test_a_missing_request_is_made() -> None:
    """On the command line there is no request; the resource is guessed from the kind."""
    plurals = {"Pod": "pods", "Ingress": "ingresses", "NetworkPolicy": "networkpolicies"}
    for kind, plural in plurals.items():
        request: AdmissionRequest = constraints.make_create_request(
            {"apiVersion": "v1", "kind": kind}, "shop"
        )
        assert request.resource.resource == plural
        assert request.raw["namespace"] == request.namespace == "shop"


def test_the_patch_is_minimal() -> None:
    after = apply_overlay(POD, an_overlay("metadata: {labels: {a: b}}"))

    assert diff(POD, after) == [{"op": "add", "path": "/metadata/labels/a", "value": "b"}]


def test_a_template_that_changes_its_data_changes_a_copy() -> None:
    template = """
{{- $_ := set .Object "kind" "Changed" }}
{{- $_ := merge .Values (dict "count" (add1 (.Values.count | default 0))) }}
metadata: {labels: {kind: "{{ .Object.kind }}", count: "{{ .Values.count }}"}}
"""
    changing = an_overlay(template, more="values: {other: 1}")
    for _ in range(2):
        after = apply_overlay(WIDGET, changing)
        assert after["kind"] == WIDGET["kind"] == "Widget"
        assert check_object(after["metadata"])["labels"] == {"kind": "Changed", "count": "1"}
