"""Kubernetes' policies of a bundle in a review, as docs/overlays.md describes them."""

from __future__ import annotations

import pytest

from podgraft.base.jsonvalue import JSON, Object, object_at
from podgraft.cli.offline import FixedStore
from podgraft.core import review
from podgraft.core.bundle import BundleError
from podgraft.core.review.results import ReviewResponse
from podgraft.core.review_context import ReviewContext
from podgraft.kube.admission import Operation
from podgraft.kube.matching.constraints import make_create_request
from support.custom_resources import format_definition
from support.local_snapshot import load_snapshot

POD: Object = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web", "namespace": "shop"},
    "spec": {"containers": [{"name": "app", "image": "nginx:1"}]},
}
GROUP = "admissionregistration.k8s.io"
POLICY = """
apiVersion: {group}/{version}
kind: {kind}
metadata: {{name: p}}
spec:
  matchConstraints:
    resourceRules:
    - {{apiGroups: ["*"], apiVersions: ["*"], operations: [CREATE], resources: ["*"]}}
  {spec}
---
"""
BINDING = """
apiVersion: {group}/{version}
kind: {kind}Binding
metadata: {{name: b}}
spec: {{policyName: p}}
---
"""
MUTATING, VALIDATING = "MutatingAdmissionPolicy", "ValidatingAdmissionPolicy"
OVERLAY = """
apiVersion: podgraft.dev/v1
kind: Overlay
metadata: {name: o}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}
  template: |
    metadata: {labels: {seen: {{ index .ObjectMeta.Labels "n" | quote }}}}
"""
CRD = format_definition(
    "Widget",
    "{type: object, properties: "
    "{spec: {type: object, properties: {size: {type: integer, default: 3}}}}}",
)
COUNT = "string(int(object.metadata.?labels[?'n'].orValue('0')) + 1)"


def make_mutation(expression: str, reinvocation: str = "Never") -> str:
    return f"""reinvocationPolicy: {reinvocation}
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration:
      expression: "{expression}"
"""


def label(value: str) -> str:
    return f"Object{{metadata: Object.metadata{{labels: {{'n': {value}}}}}}}"


def run(value: Object, *documents: str, policy: str = "policy: enabled") -> tuple[JSON, str]:
    """The object after a review, and the message of a denial."""
    snapshot = load_snapshot(policy, {"bundle.yaml": "".join(documents).encode()})
    request = make_create_request(value, "shop")
    assert request.operation is Operation.CREATE
    after: JSON = value
    for use_case in (review.mutate, review.validate):
        context = ReviewContext().with_request(request)
        result = use_case(context, FixedStore(snapshot))
        assert isinstance(result, ReviewResponse), result
        if not result.response.allowed:
            return None, str(result.response.status)
        after = result.object or after
    return after, ""


def document(text: str, kind: str, version: str = "v1", spec: str = "") -> str:
    return text.format(group=GROUP, kind=kind, version=version, spec=spec)


def find_labels(value: JSON) -> Object:
    assert isinstance(value, dict)
    return object_at(value, "metadata", "labels")


@pytest.mark.parametrize("version", ["v1", "v1beta1", "v1alpha1"])
def test_a_mutating_policy_has_three_versions(version: str) -> None:
    spec = make_mutation(label("'1'"))
    texts = (document(POLICY, MUTATING, version, spec), document(BINDING, MUTATING, version))
    after, _ = run(POD, *texts)
    assert find_labels(after) == {"n": "1"}


def test_a_mutating_policy_without_a_binding_changes_nothing() -> None:
    after, _ = run(POD, document(POLICY, MUTATING, spec=make_mutation(label("'1'"))))
    assert after == POD


def test_a_validating_policy_without_a_binding_denies() -> None:
    spec = "validations: [{expression: 'false', message: never}]"
    _, message = run(POD, document(POLICY, VALIDATING, spec=spec))
    assert "never" in message


@pytest.mark.parametrize(("reinvocation", "count"), [("Never", "1"), ("IfNeeded", "2")])
def test_overlays_follow_and_policies_can_run_again(reinvocation: str, count: str) -> None:
    spec = make_mutation(label(COUNT), reinvocation)
    texts = (document(POLICY, MUTATING, spec=spec), document(BINDING, MUTATING), OVERLAY)
    after, _ = run(POD, *texts)
    assert find_labels(after) == {"n": count, "seen": "1"}


@pytest.mark.parametrize("has_definition", [True, False])
def test_custom_resources_need_their_definition(*, has_definition: bool) -> None:
    widget: Object = {
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": {"name": "a", "namespace": "shop"},
        "spec": {},
    }
    spec = make_mutation(label("string(object.spec.size)" if has_definition else "'1'"))
    texts = (document(POLICY, MUTATING, spec=spec), document(BINDING, MUTATING))
    after, message = run(widget, *texts, CRD if has_definition else "")
    if has_definition:
        assert find_labels(after) == {"n": "3"}
    else:
        assert "CustomResourceDefinition" in message


@pytest.mark.parametrize(("release", "is_merged"), [("1.30", True), ("1.31", False)])
def test_lists_merge_by_the_types_of_the_release(release: str, *, is_merged: bool) -> None:
    service: Object = {"name": "web", "port": {"number": 80}}
    ingress: Object = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {"name": "a", "namespace": "shop"},
        "spec": {"defaultBackend": {"service": service}},
    }
    owner = "Object.spec.defaultBackend"
    backend = f"{owner}{{service: {owner}.service{{port: {owner}.service.port{{number: 81}}}}}}"
    spec = make_mutation(f"Object{{spec: Object.spec{{defaultBackend: {backend}}}}}")
    texts = (document(POLICY, MUTATING, spec=spec), document(BINDING, MUTATING))
    after, message = run(ingress, *texts, policy=f"kubernetesRelease: '{release}'")
    assert (after is not None) == is_merged
    assert ("may not mutate atomic" in message) != is_merged


def test_a_validation_is_no_value_of_any_type() -> None:
    text = "validations: [{expression: object.spec.hostNetwork%s}]"
    run(POD, document(POLICY, VALIDATING, spec=text % " != true"))
    with pytest.raises(BundleError, match="must evaluate to bool"):
        run(POD, document(POLICY, VALIDATING, spec=text % ""))


JSON_PATCH = """reinvocationPolicy: Never
  mutations:
  - patchType: JSONPatch
    jsonPatch:
      expression: "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'a': 'b'}}]"
"""


@pytest.mark.parametrize("spec", [make_mutation(label("'1'")), JSON_PATCH])
@pytest.mark.parametrize(
    "fields", ["x", [5], [{"manager": 5}], [{"time": "noon"}]], ids=["text", "5", "manager", "time"]
)
def test_invalid_managed_fields_are_a_denial(spec: str, fields: JSON) -> None:
    """kube-apiserver writes these fields, so only a direct caller sends others."""
    pod: Object = {**POD, "metadata": {**object_at(POD, "metadata"), "managedFields": fields}}
    group = {"group": GROUP, "version": "v1"}
    policy = POLICY.format(kind=MUTATING, spec=spec, **group)
    after, message = run(pod, policy, BINDING.format(kind=MUTATING, **group))
    assert after is None
    assert "object does not decode" in message or "object /metadata/managedFields" in message
