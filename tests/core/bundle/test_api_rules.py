"""Policies that podgraft evaluates, and that the API of Kubernetes refuses: errors of a check.

Each row was compared with validation.go of k8s.io/kubernetes 1.37.
"""

import pytest

from podgraft.base.jsonvalue import Object
from podgraft.core.bundle import api_rules, manifests
from podgraft.kube import yaml

RULE = "{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}"
POLICY = f"""
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {{name: p}}
spec:
  matchConstraints: {{resourceRules: [{RULE}]}}
  validations: [{{expression: 'true'}}]
"""
BINDING = """
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: b}
spec: {policyName: p}
"""


def find_errors(document: str) -> list[str]:
    parsed = manifests.parse_manifests({"p.yaml": document.encode()})
    return [str(each) for each in api_rules.find_errors(parsed)]


def change(document: str, changed: str) -> str:
    """A document with other fields in metadata or spec."""
    value = yaml.load(document)
    assert isinstance(value, dict)
    changes = yaml.load(changed)
    assert isinstance(changes, dict)
    for key, members in changes.items():
        part = value.get(key)
        assert isinstance(members, dict)
        assert isinstance(part, dict)
        merged: Object = {**part, **members}
        value[key] = merged
    return yaml.dump(value)


def rule(changed: str) -> str:
    return f"{{spec: {{matchConstraints: {{resourceRules: [{RULE[:-1]}, {changed}}}]}}}}}}"


def conditions(*names: str) -> str:
    return f"{{spec: {{matchConditions: [{', '.join(f'{{name: {n}}}' for n in names)}]}}}}"


NAME = 'use small letters, digits, "-" and ".", with a letter or digit at both ends'
MIXED = "has a wildcard, and values that it includes; remove the wildcard, or the values"
REFUSED = (
    (POLICY, "{metadata: {name: P_x}}", f'/metadata/name: got "P_x"; {NAME}'),
    (POLICY, f"{{metadata: {{name: {'a' * 254}}}}}", "got 254 characters; use at most 253"),
    (BINDING, "{metadata: {name: a/b}}", f'/metadata/name: got "a/b"; {NAME}'),
    (POLICY, "{metadata: {namespace: x}}", "/metadata/namespace: is set, and policies have none"),
    (POLICY, conditions("c", "d", "c"), '/spec/matchConditions/2/name: got "c", which another'),
    (POLICY, conditions("a b"), '/spec/matchConditions/0/name: got "a b"; use letters'),
    (POLICY, conditions(*(f"c{n}" for n in range(65))), "has 65 conditions; use at most 64"),
    (POLICY, rule("apiGroups: ['*', apps]").replace("apiGroups: [''], ", ""), MIXED),
    (POLICY, rule("apiVersions: ['*', v1]").replace("apiVersions: [v1], ", ""), MIXED),
    (POLICY, rule("operations: ['*', CREATE]").replace("operations: [CREATE], ", ""), MIXED),
    (POLICY, rule("resources: ['*', pods]").replace("resources: [pods], ", ""), MIXED),
    (POLICY, rule("resources: ['*/*', pods]").replace("resources: [pods], ", ""), MIXED),
    (
        POLICY,
        '{spec: {validations: [{expression: "true", message: "a\\nb"}]}}',
        "/spec/validations/0/message: has a line break; write it in one line",
    ),
    (
        BINDING,
        "{spec: {paramRef: {name: a}}}",
        "/spec/paramRef/parameterNotFoundAction: is missing; use Deny or Allow",
    ),
    (
        BINDING.replace("Mutating", "Validating"),
        "{spec: {validationActions: [Deny, Deny]}}",
        "/spec/validationActions: has Deny twice; remove one of the two",
    ),
    (BINDING, f"{{spec: {{matchResources: {{excludeResourceRules: [{RULE}]}}}}}}", ""),
    # What the API accepts
    (POLICY, "{metadata: {name: a.b-c.example.com}}", ""),
    (POLICY, conditions("a", "example.com/a", *(f"c{n}" for n in range(62))), ""),
    (POLICY, rule("resources: ['*', pods/status]").replace("resources: [pods], ", ""), ""),
    (POLICY, rule("resources: ['*/*']").replace("resources: [pods], ", ""), ""),
    (POLICY, '{spec: {validations: [{expression: "true", message: "a\\n"}]}}', ""),
    (BINDING.replace("/v1", "/v1alpha1"), "{spec: {paramRef: {name: a}}}", ""),
)


@pytest.mark.parametrize(("document", "changed", "message"), REFUSED)
def test_what_the_api_refuses_is_an_error(document: str, changed: str, message: str) -> None:
    found = find_errors(change(document, changed))
    assert len(found) == bool(message), found
    assert all(message in each for each in found)


def test_documents_without_a_fault_have_no_error() -> None:
    assert find_errors(POLICY) == find_errors(BINDING) == []
