"""``policy check`` warns of policies whose order matters, which kube-apiserver does not define."""

from collections.abc import Sequence

import pytest

from podgraft.base.jsonvalue import JSON, Object
from podgraft.core import bundle
from podgraft.core.policy import parse
from podgraft.kube import yaml

NATIVE = "kubernetesRelease: '1.36'"


def label(name: str, value: str) -> str:
    return f"Object{{metadata: Object.metadata{{labels: {{'{name}': {value}}}}}}}"


def container(fields: str) -> str:
    element = f"Object.spec.containers{{{fields}}}"
    return f"Object{{spec: Object.spec{{containers: [{element}]}}}}"


def each_container(field: str) -> str:
    element = f"Object.spec.containers{{name: c.name, {field}}}"
    return f"Object{{spec: Object.spec{{containers: object.spec.containers.map(c, {element})}}}}"


def patch(path: str, value: str = "'a'", op: str = "add") -> str:
    return f"[JSONPatch{{op: '{op}', path: {path}, value: {value}}}]"


def make_policy(
    name: str,
    expression: str,
    *,
    conditions: Sequence[str] = (),
    selector: JSON = None,
    resource: str = "pods",
    reinvoked: bool = False,
) -> list[Object]:
    is_patch = expression.startswith("[")
    rule: Object = {
        "apiGroups": ["" if resource == "pods" else "apps"],
        "apiVersions": ["v1"],
        "operations": ["CREATE"],
        "resources": [resource],
    }
    spec: Object = {
        "matchConstraints": {"resourceRules": [rule]},
        "matchConditions": [
            {"name": f"c{number}", "expression": each} for number, each in enumerate(conditions)
        ],
        "reinvocationPolicy": "IfNeeded" if reinvoked else "Never",
        "mutations": [
            {
                "patchType": "JSONPatch" if is_patch else "ApplyConfiguration",
                "jsonPatch" if is_patch else "applyConfiguration": {"expression": expression},
            }
        ],
    }
    binding: Object = {"policyName": name}
    if selector is not None:
        binding["matchResources"] = {"namespaceSelector": {"matchLabels": selector}}
    return [
        make_document("MutatingAdmissionPolicy", name, spec),
        make_document("MutatingAdmissionPolicyBinding", name, binding),
    ]


def make_document(kind: str, name: str, spec: Object) -> Object:
    version = "admissionregistration.k8s.io/v1"
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec}


def find_warnings(*policies: Sequence[Object], policy: str = NATIVE) -> list[str]:
    text = "---\n".join(yaml.dump(document) for each in policies for document in each)
    compiled = bundle.compile_({"p.yaml": text.encode()}, parse(policy))
    return [f"{each.problem}: {each.remedy}" for each in compiled.warnings]


@pytest.mark.parametrize(
    ("first", "second", "path"),
    [
        (label("a", "'1'"), label("a", "'2'"), "metadata.labels.a"),
        (label("a", "object.metadata.name"), label("a", "'2'"), "metadata.labels.a"),
        (label("a", "'1'"), patch("'/metadata/labels/a'"), "metadata.labels.a"),
        (
            patch("'/metadata/labels/' + jsonpatch.escapeKey('x/y')", "'1'"),
            label("x/y", "'2'"),
            "metadata.labels.x/y",
        ),
        (label("a", "'1'"), patch("'/metadata/labels'", "{'b': 'c'}"), "metadata.labels.a"),
        (
            container("name: 'a', image: 'b'"),
            container("name: 'a', image: 'c'"),
            "spec.containers.a.image",
        ),
        (each_container("image: 'b'"), each_container("image: 'c'"), "spec.containers.*.image"),
        (
            each_container("image: 'b'"),
            patch("'/spec/containers/0/image'"),
            "spec.containers.*.image",
        ),
    ],
)
def test_two_policies_that_write_one_path_are_reported(first: str, second: str, path: str) -> None:
    message = f"writes {path}, as a does: kube-apiserver evaluates policies in random order"
    remedy = "write it in one policy, or give both the same value"

    found = find_warnings(make_policy("a", first), make_policy("b", second))
    assert found == [f"{message}: {remedy}"]


@pytest.mark.parametrize(
    ("reader", "conditions", "writer", "path"),
    [
        (label("b", "object.metadata.labels.a"), (), label("a", "'1'"), "metadata.labels.a"),
        (
            label("b", "'1'"),
            ["'a' in object.metadata.labels"],
            label("a", "'1'"),
            "metadata.labels.a",
        ),
        (
            label("b", "'1'"),
            ["object.metadata.?labels[?'a'].orValue('') == 'x'"],
            label("a", "'1'"),
            "metadata.labels.a",
        ),
        (
            label("n", "string(size(object.spec.containers))"),
            (),
            container("name: 'b', image: 'c'"),
            "spec.containers.b.name",
        ),
        (
            each_container("imagePullPolicy: 'Always'"),
            (),
            patch("'/spec/containers/-'", "Object.spec.containers{name: 'b', image: 'c'}"),
            "spec.containers.b.name",
        ),
    ],
)
def test_a_policy_that_reads_what_another_writes_is_reported_unless_it_runs_again(
    reader: str, conditions: Sequence[str], writer: str, path: str
) -> None:
    policies = make_policy("a", writer)
    message = f"b reads {path}, which a writes: kube-apiserver evaluates policies in random order"
    remedy = "set reinvocationPolicy: IfNeeded in b, or make one policy of both"

    found = find_warnings(make_policy("b", reader, conditions=conditions), policies)
    assert found == [f"{message}: {remedy}"]
    assert not find_warnings(
        make_policy("b", reader, conditions=conditions, reinvoked=True), policies
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (label("a", "'1'"), label("b", "'1'")),
        (label("a", "'1'"), label("a", "'1'")),
        (label("a", "'1'"), patch("'/metadata/labels'", "{}")),
        (container("name: 'a', image: 'b'"), container("name: 'b', image: 'b'")),
        (each_container("imagePullPolicy: 'Always'"), each_container("stdin: true")),
        (
            patch("'/spec/tolerations/-'", "{'key': 'a'}"),
            patch("'/spec/tolerations/-'", "{'key': 'b'}"),
        ),
        (
            "Object{metadata: Object.metadata{labels: object.metadata.annotations}}",
            "Object{metadata: Object.metadata{labels: {'b': 'c'}}}",
        ),
        (
            "Object{metadata: Object.metadata{finalizers: ['a/b']}}",
            "Object{metadata: Object.metadata{finalizers: ['c/d']}}",
        ),
    ],
)
def test_independent_policies_are_not_reported(first: str, second: str) -> None:
    assert find_warnings(make_policy("a", first), make_policy("b", second)) == []


def test_policies_that_match_no_common_object_are_not_reported() -> None:
    first, second = label("a", "'1'"), label("a", "'2'")
    teams = [make_policy(name, label("a", f"'{name}'"), selector={"team": name}) for name in "ab"]

    assert find_warnings(*teams) == []
    assert not find_warnings(
        make_policy("a", first), make_policy("b", second, resource="deployments")
    )


def test_a_condition_that_looks_for_another_label_is_not_reported() -> None:
    reader = make_policy(
        "b",
        label("b", "'1'"),
        conditions=["has(object.metadata.labels) && 'x' in object.metadata.labels"],
    )
    assert find_warnings(make_policy("a", label("a", "'1'")), reader) == []


@pytest.mark.parametrize(
    ("policy", "is_reported"),
    [
        ("", False),
        ("kubernetesRelease: '1.35'", False),
        ("kubernetesRelease: '1.35'\nclusters: {new: {kubernetesRelease: '1.37'}}", True),
    ],
)
def test_only_clusters_that_evaluate_policies_themselves_are_warned_of(
    policy: str, *, is_reported: bool
) -> None:
    policies = [make_policy(name, label("a", f"'{name}'")) for name in "ab"]
    found = [each for each in find_warnings(*policies, policy=policy) if "random order" in each]
    assert bool(found) == is_reported


TIER = "object.metadata.?labels[?'tier']"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("object.metadata.labels['tier'] == 'a'", "object.metadata.labels.tier == 'b'"),
        ("has(object.metadata.labels.tier)", "!has(object.metadata.labels.tier)"),
        (f"{TIER}.orValue('') == 'a'", f"{TIER}.orValue('a') in ['b', 'c']"),
        (f"{TIER}.orValue('') == 'a'", f"{TIER}.orValue('b') != 'a' && {TIER}.hasValue()"),
        (f"{TIER}.orValue('x') == 'a'", "!('tier' in object.metadata.labels)"),
        ("request.namespace in ['a', 'b']", "!(request.namespace in ['a', 'b'])"),
        (
            "object.spec.?hostNetwork.orValue(false) && request.name != ''",
            "!object.spec.?hostNetwork.orValue(false)",
        ),
        ("!(request.namespace == 'a' || request.name == 'b')", "request.name == 'b'"),
    ],
)
def test_policies_with_opposite_conditions_are_not_reported(first: str, second: str) -> None:
    policies = (
        make_policy("a", label("a", "'1'"), conditions=[first]),
        make_policy("b", label("a", "'2'"), conditions=[second]),
    )
    assert find_warnings(*policies) == []
    writer = make_policy("c", label("tier", "object.metadata.name"))
    is_written = "tier" in first
    assert (
        any(" labels.a" in each or "labels.a," in each for each in find_warnings(*policies, writer))
        == is_written
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("object.metadata.labels.tier == 'a'", "object.metadata.labels.tier != 'b'"),
        (f"{TIER}.orValue('a') == 'a'", f"!{TIER}.hasValue()"),
        (f"{TIER}.orValue('') != 'a'", f"{TIER}.orValue('') != 'b'"),
        ("request.namespace == 'a' || request.name == 'b'", "request.namespace == 'b'"),
        ("object.spec.containers[0].name == 'a'", "object.spec.containers[1].name == 'b'"),
        (f"{TIER}.orValue(object.metadata.name) == 'a'", f"!{TIER}.hasValue()"),
    ],
)
def test_policies_that_can_both_match_are_reported(first: str, second: str) -> None:
    policies = (
        make_policy("a", label("a", "'1'"), conditions=[first]),
        make_policy("b", label("a", "'2'"), conditions=[second]),
    )
    (warning,) = find_warnings(*policies)
    assert "writes metadata.labels.a, as a does" in warning
