"""The order of invocations, failures, and the second pass of mutating policies."""

import dataclasses
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import pytest
from msgspec.structs import replace

from podgraft.base.jsonvalue import Object, object_at, objects_at
from podgraft.base.trace import Trace
from podgraft.kube.cel import POLICY_BUDGET
from podgraft.kube.document_reader import Cursor, Diagnostics
from podgraft.kube.matching.constraints import make_create_request
from podgraft.kube.matching.params import ParamIndex
from podgraft.kube.mutation import (
    MutatingPolicySet,
    MutationDeniedError,
    group_by_policy,
    parse_binding,
    parse_policy,
)

POD: Object = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web", "namespace": "shop"},
    "spec": {"containers": [{"name": "app", "image": "nginx:1"}]},
}


@dataclass(frozen=True, kw_only=True)
class Document:
    """A policy with one binding of the same name."""

    name: str
    mutations: tuple[str, ...]
    condition: str = ""
    failure_policy: str = "Fail"
    reinvocation: str = "Never"
    params: Any = None
    group: str = ""
    variables: tuple[str, ...] = ()

    def spec(self) -> dict[str, Any]:
        rule = {
            "apiGroups": [self.group],
            "apiVersions": ["v1"],
            "operations": ["*"],
            "resources": ["*"],
        }
        spec: dict[str, Any] = {
            "matchConstraints": {"resourceRules": [rule]},
            "failurePolicy": self.failure_policy,
            "reinvocationPolicy": self.reinvocation,
            "mutations": [_mutation(text) for text in self.mutations],
        }
        if self.variables:
            spec["variables"] = [
                {"name": f"v{number}", "expression": text}
                for number, text in enumerate(self.variables)
            ]
        if self.condition:
            spec["matchConditions"] = [{"name": "c", "expression": self.condition}]
        if self.params is not None:
            spec["paramKind"] = {"apiVersion": "example.com/v1", "kind": "Team"}
        return spec


def _mutation(text: str) -> Mapping[str, Any]:
    if text.startswith("["):
        return {"patchType": "JSONPatch", "jsonPatch": {"expression": text}}
    return {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": text}}


def label(key: str, value: str) -> str:
    """An apply configuration that sets a label to the value of an expression."""
    return f"Object{{metadata: Object.metadata{{labels: {{'{key}': {value}}}}}}}"


def make_policies(
    documents: Sequence[Document], params: Sequence[Object] = ()
) -> MutatingPolicySet:
    diagnostics = Diagnostics()
    policies = [
        parse_policy(Cursor(each.spec(), "/spec", diagnostics), each.name) for each in documents
    ]
    bindings = [
        parse_binding(Cursor(_binding(each), "/spec", diagnostics), each.name) for each in documents
    ]
    assert not diagnostics.errors, diagnostics.errors
    return MutatingPolicySet(
        policies=tuple(sorted(policies, key=lambda policy: policy.name)),
        bindings=group_by_policy(bindings),
        params=ParamIndex.build(params),
    )


def _binding(document: Document) -> Any:
    spec: dict[str, Any] = {"policyName": document.name}
    return spec if document.params is None else {**spec, "paramRef": document.params}


def mutate(
    documents: Sequence[Document], params: Sequence[Object] = (), trace: Trace | None = None
) -> Object:
    """The pod after both passes."""
    review = make_policies(documents, params).start(make_create_request(POD, "shop"), trace)
    return review.readmit(review.admit(POD))


def labels(pod: Object) -> Object:
    return object_at(pod, "metadata", "labels")


def test_policies_run_in_the_order_of_their_names_and_see_earlier_changes() -> None:
    second = Document(name="b", mutations=(label("b", "object.metadata.labels.a + '2'"),))
    first = Document(name="a", mutations=(label("a", "'1'"),))
    assert labels(mutate([second, first])) == {"a": "1", "b": "12"}


def test_match_conditions_read_the_object_so_far() -> None:
    condition = "has(object.metadata.labels) && 'a' in object.metadata.labels"
    reader = Document(name="b", mutations=(label("b", "'x'"),), condition=condition)
    assert labels(mutate([reader])) == {}
    writer = Document(name="a", mutations=(label("a", "'x'"),))
    assert labels(mutate([writer, reader])) == {"a": "x", "b": "x"}


def test_a_later_mutation_reads_defaults_that_the_patch_leaves_out() -> None:
    add = (
        "[JSONPatch{op: 'add', path: '/spec/containers/-', value: Object.spec.containers{"
        "name: 'side', image: 'b:1', ports: [Object.spec.containers.ports{containerPort: 80}]}}]"
    )
    read = label("p", "object.spec.containers[1].ports[0].protocol")
    pod = mutate([Document(name="a", mutations=(add, read))])
    assert labels(pod) == {"p": "TCP"}
    side = {"name": "side", "image": "b:1", "ports": [{"containerPort": 80}]}
    assert object_at(pod, "spec")["containers"] == [{"name": "app", "image": "nginx:1"}, side]


def test_a_reinvoked_policy_runs_again_after_a_later_change() -> None:
    count = "string(int(object.metadata.?labels[?'n'].orValue('0')) + 1)"
    counter = Document(name="a", mutations=(label("n", count),), reinvocation="IfNeeded")
    other = Document(name="b", mutations=(label("b", "'x'"),))
    assert labels(mutate([counter, other])) == {"n": "2", "b": "x"}
    once = Document(name="a", mutations=(label("n", count),))
    assert labels(mutate([once, other])) == {"n": "1", "b": "x"}


def test_a_change_between_the_passes_reinvokes() -> None:
    copy = label("copy", "object.metadata.?labels[?'late'].orValue('none')")
    policies = make_policies([Document(name="a", mutations=(copy,), reinvocation="IfNeeded")])
    review = policies.start(make_create_request(POD, "shop"))
    first = review.admit(POD)
    metadata = object_at(first, "metadata")
    late: Object = {**first, "metadata": {**metadata, "labels": {**labels(first), "late": "x"}}}
    assert labels(review.readmit(late)) == {"copy": "x", "late": "x"}


def test_the_next_mutation_runs_after_one_that_fails() -> None:
    failing = Document(
        name="a",
        mutations=("[JSONPatch{op: 'remove', path: '/metadata/labels'}]", label("a", "'x'")),
        failure_policy="Ignore",
    )
    assert labels(mutate([failing])) == {"a": "x"}


def test_a_null_element_has_defaults_in_the_next_merge() -> None:
    empty = "[JSONPatch{op: 'add', path: '/spec/containers/-', value: null}]"
    pod = mutate([Document(name="a", mutations=(empty, label("a", "'x'")))])
    assert labels(pod) == {"a": "x"}
    assert object_at(pod, "spec")["terminationGracePeriodSeconds"] == 30


COPY_SPEC = "[JSONPatch{op: 'test', path: '/metadata/none', value: oldObject.spec.containers}]"


@pytest.mark.parametrize(
    ("first", "is_copied"),
    [("", True), ("true", False)],
    ids=["a mutation", "a match condition"],
)
def test_what_reads_an_object_first_decides_whether_a_patch_can_copy_it(
    first: str, is_copied: bool
) -> None:
    """kube-apiserver converts an object once; as it does for a condition, no patch can have it."""
    documents = [
        Document(name="a", mutations=("Object{}",), condition=first),
        Document(name="b", mutations=(COPY_SPEC,), condition="true"),
    ]
    request = replace(make_create_request(POD, "shop"), old_object=deepcopy(POD))
    review = make_policies(documents).start(request)
    if is_copied:
        assert review.admit(POD) == POD
    else:
        with pytest.raises(MutationDeniedError, match="could not marshal to JSON"):
            review.admit(POD)


def test_an_object_is_converted_again_after_a_mutation() -> None:
    copy = COPY_SPEC.replace("oldObject", "object")
    failing = "[JSONPatch{op: 'remove', path: '/metadata/labels'}]"
    reader = Document(name="b", mutations=(copy,), condition="true")
    before = Document(name="a", mutations=(failing,), failure_policy="Ignore")
    assert mutate([before, reader]) == POD
    with pytest.raises(MutationDeniedError, match="could not marshal to JSON"):
        mutate([Document(name="a", mutations=("Object{}",)), reader])


@pytest.mark.parametrize(
    ("mutation", "code", "message"),
    [
        (
            "[JSONPatch{op: 'remove', path: '/metadata/labels'}]",
            HTTPStatus.FORBIDDEN,
            (
                "policy 'a' with binding 'a' denied request: JSON Patch: error in remove for path: "
                "'/metadata/labels': Unable to remove nonexistent key: labels: missing value"
            ),
        ),
        (
            (
                "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'app', "
                "args: ['x']}]}}"
            ),
            HTTPStatus.FORBIDDEN,
            (
                "policy 'a' with binding 'a' denied request: error applying patch: invalid "
                "ApplyConfiguration: may not mutate atomic arrays, maps or structs: "
                ".spec.containers[0].args"
            ),
        ),
        (
            (
                "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'app', "
                "securityContext: Object.spec.containers.securityContext{capabilities: "
                "Object.spec.containers.securityContext.capabilities{drop: ['ALL']}}}]}}"
            ),
            HTTPStatus.FORBIDDEN,
            (
                "policy 'a' with binding 'a' denied request: error applying patch: invalid "
                "ApplyConfiguration: may not mutate atomic arrays, maps or structs: "
                ".spec.containers[0].securityContext.capabilities.drop"
            ),
        ),
        (
            "Object{spec: Object.spec{containers: [{'name': 'app'}]}}",
            HTTPStatus.FORBIDDEN,
            (
                "policy 'a' with binding 'a' denied request: field \"containers\": a literal list "
                "or map inside another cannot be merged; write Object…{…} for each"
            ),
        ),
        (
            "Object{spec: Object.wrong{}}",
            HTTPStatus.FORBIDDEN,
            (
                "policy 'a' with binding 'a' denied request: type mismatch: unexpected type name "
                '"Object.wrong", expected "Object.spec", which matches field name path from root '
                "Object type"
            ),
        ),
        (
            "[JSONPatch{op: 'add', path: '/spec/nope', value: 1}]",
            HTTPStatus.INTERNAL_SERVER_ERROR,
            'Internal error occurred: strict decoding error: unknown field "spec.nope"',
        ),
        (
            f"[JSONPatch{{op: 'test', path: '/x', value: {'[' * 201 + 'object' + ']' * 201}}}]",
            HTTPStatus.FORBIDDEN,
            (
                "policy 'a' with binding 'a' denied request: the value is nested deeper than 200 "
                "levels"
            ),
        ),
    ],
)
def test_a_failure_denies_the_request(mutation: str, code: HTTPStatus, message: str) -> None:
    with pytest.raises(MutationDeniedError) as denied:
        mutate([Document(name="a", mutations=(mutation,))])
    assert (denied.value.code, str(denied.value)) == (code, message)


def test_a_result_that_does_not_decode_denies_in_spite_of_ignore() -> None:
    mutation = "[JSONPatch{op: 'add', path: '/spec/hostNetwork', value: 'yes'}]"
    with pytest.raises(MutationDeniedError, match="Internal error occurred"):
        mutate([Document(name="a", mutations=(mutation,), failure_policy="Ignore")])


# Each recorded with strconv.Quote and evanphx/json-patch v4.13.0, as kube-apiserver uses them.
@pytest.mark.parametrize(
    ("char", "is_path"),
    [
        *(("\0", False), ("\x01", False), ("\a", False), ("\v", False), ("\x7f", False)),
        *(("\U000e0001", False), ("\b", True), ("\n", True), ("\x85", True), ("é", True)),
        *(("\u200b", True), ("\u2028", True), ("\U0001f600", True), ('"', True), ("\\", True)),
    ],
)
def test_a_path_is_quoted_as_in_go(char: str, is_path: bool) -> None:
    key = {"\n": "\\n", "\\": "\\\\"}.get(char, char)
    patch = f"[JSONPatch{{op: 'add', path: '/metadata/labels', value: {{'{key}': 'x'}}}}, "
    patch += f"JSONPatch{{op: 'remove', path: '/metadata/labels/{key}'}}]"
    document = Document(name="a", mutations=(patch,))
    if is_path:
        assert labels(mutate([document])) == {}
        return
    with pytest.raises(MutationDeniedError, match="JSON Patch: failed to decode path"):
        mutate([document])


def test_a_value_that_contains_another_many_times_is_refused() -> None:
    """Each variable contains the one before twice, at little cost: 2**40 values."""
    doubled = [f"[variables.v{number}, variables.v{number}]" for number in range(40)]
    variables = tuple(f"dyn({text})" for text in ("[object]", *doubled))
    test = "[JSONPatch{op: 'test', path: '/x', value: variables.v40}]"
    with pytest.raises(MutationDeniedError, match="contains more than 2000000 values"):
        mutate([Document(name="a", mutations=(test,), variables=variables)])


@pytest.mark.parametrize("empty", ["[]", "object.spec.containers", "[1].filter(x, x > 1)"])
def test_an_empty_list_of_an_apply_configuration_is_null(empty: str) -> None:
    """In Go, it is a slice that is nil; only the list of containers shows the difference."""
    mutations = (
        "[JSONPatch{op: 'replace', path: '/spec/containers', value: []}]",
        f"Object{{spec: Object.spec{{containers: {empty}}}}}",
        label("a", "object.spec.containers == null ? 'null' : 'list'"),
    )
    assert labels(mutate([Document(name="a", mutations=mutations)])) == {"a": "null"}


def test_a_failed_condition_is_a_failure_of_the_policy() -> None:
    document = Document(name="a", mutations=("Object{}",), condition="object.nope == 1")
    with pytest.raises(
        MutationDeniedError, match=r"'object\.nope == 1' resulted in error: no such"
    ):
        mutate([document])


def test_each_parameter_is_an_invocation() -> None:
    params: list[Object] = [
        {
            "apiVersion": "example.com/v1",
            "kind": "Team",
            "metadata": {"name": name, "namespace": "shop", "labels": {"x": "y"}},
        }
        for name in ("two", "one")
    ]
    names = "object.metadata.?labels[?'n'].orValue('') + params.metadata.name"
    by_selector = Document(
        name="a",
        mutations=(label("n", names),),
        params={"selector": {"matchLabels": {"x": "y"}}, "parameterNotFoundAction": "Deny"},
    )
    assert labels(mutate([by_selector], params)) == {"n": "onetwo"}
    with pytest.raises(MutationDeniedError, match="failed to configure binding: no params found"):
        mutate([by_selector])


def test_the_trace_has_each_policy_and_its_changes_without_values() -> None:
    documents = [
        Document(name="a", mutations=(label("a", "'secret'"),)),
        Document(name="b", mutations=("Object{}",), condition="object.kind == 'Job'"),
    ]
    trace = Trace()
    mutate(documents, trace=trace)
    assert [(step.name, step.observed, step.outcome) for step in trace.steps] == [
        ("mutation a, binding a", "matches: add metadata.labels", "changes"),
        ("mutation b, binding b", "does not match: matchConditions: c is false", "passes"),
    ]


# The differences from kube-apiserver that docs/overlays.md names.


@pytest.mark.parametrize("value", ["null", "b'a'", "duration('1s')"])
def test_an_apply_configuration_has_no_value_that_go_would_merge(value: str) -> None:
    annotations = f"Object{{metadata: Object.metadata{{annotations: {{'a': dyn({value})}}}}}}"
    with pytest.raises(MutationDeniedError):
        mutate([Document(name="a", mutations=(annotations,))])


def test_all_mutations_of_a_review_have_one_budget() -> None:
    """An object that exceeds it would end policies that kube-apiserver applies."""
    costly = label("a", "string([1, 2, 3].map(x, x * 2).size())")
    policies = make_policies(
        [Document(name=name, mutations=(costly,), failure_policy="Ignore") for name in "ab"]
    )
    request = make_create_request(POD, "shop")
    review = policies.start(request)
    review.admit(POD)
    poor = policies.start(request, budget=POLICY_BUDGET - review.budget.remaining - 1)
    with pytest.raises(MutationDeniedError, match="all policies of a review may together"):
        poor.admit(POD)


def test_what_costs_too_much_is_a_failure_of_its_own() -> None:
    costly = "lists.range(300).all(a, lists.range(300).all(b, lists.range(300).all(c, c >= 0)))"
    documents = [
        Document(name="a", mutations=(label("a", f"string({costly})"), label("b", "'x'"))),
        Document(name="b", mutations=(label("c", "'x'"),), condition=costly),
    ]
    ignored = [dataclasses.replace(each, failure_policy="Ignore") for each in documents]
    assert labels(mutate(ignored)) == {"b": "x"}
    for document in documents:
        with pytest.raises(MutationDeniedError, match="actual cost limit exceeded"):
            mutate([document])


def test_an_unknown_field_of_the_object_stays() -> None:
    pod: Object = {**POD, "spec": {**object_at(POD, "spec"), "fieldOfTheNextRelease": {"a": 1}}}
    policies = make_policies([Document(name="a", mutations=(label("a", "'x'"),))])
    after = policies.start(make_create_request(pod, "shop")).admit(pod)
    assert object_at(after, "spec", "fieldOfTheNextRelease") == {"a": 1}


def test_an_unknown_field_of_a_container_stays_if_the_container_moves() -> None:
    profile: Object = {"type": "OCI", "oci": {"ref": "registry.example.com/profile"}}
    own: Object = {"name": "app", "image": "a:1", "securityContext": {"seccompProfile": profile}}
    pod: Object = {**POD, "spec": {"containers": [own]}}
    added = "Object.spec.containers{name: 'side', image: 'b:1'}"
    insert = f"[JSONPatch{{op: 'add', path: '/spec/containers/0', value: {added}}}]"
    policies = make_policies([Document(name="a", mutations=(insert,))])
    after = policies.start(make_create_request(pod, "shop")).admit(pod)
    assert objects_at(after, "spec", "containers")[1] == own


def test_other_kinds_have_no_defaults_between_mutations() -> None:
    text = label("type", "has(object.spec.type) ? object.spec.type : 'none'")
    spec: Object = {"ports": [{"port": 80}]}
    service: Object = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": spec,
    }
    policies = make_policies([Document(name="a", mutations=(label("a", "'x'"), text))])
    after = policies.start(make_create_request(service, "shop")).admit(service)
    assert labels(after) == {"a": "x", "type": "none"}


def test_a_second_run_does_not_see_the_annotation_of_daemon_sets() -> None:
    spec: Object = {"template": {"spec": {"containers": [{"name": "a", "image": "b"}]}}}
    annotations: Object = {"deprecated.daemonset.template.generation": "0"}
    daemon_set: Object = {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "web", "namespace": "shop", "annotations": annotations},
        "spec": spec,
    }
    remove = "[JSONPatch{op: 'remove', path: '/metadata/annotations'}]"
    document = Document(name="a", mutations=(remove,), reinvocation="IfNeeded", group="apps")
    review = make_policies([document]).start(make_create_request(daemon_set, "shop"))
    late = review.admit(daemon_set)
    object_at(late, "metadata")["labels"] = {"late": "x"}
    with pytest.raises(MutationDeniedError, match="nonexistent key: annotations"):
        review.readmit(late)
