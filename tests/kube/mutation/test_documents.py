"""Documents of MutatingAdmissionPolicies: what podgraft refuses, as kube-apiserver does."""

from typing import Any

import pytest

from podgraft.kube import yaml
from podgraft.kube.document_reader import Cursor, Diagnostics
from podgraft.kube.mutation import parse_binding, parse_policy

VALID: dict[str, Any] = {
    "matchConstraints": {
        "resourceRules": [
            {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["pods"]}
        ]
    },
    "reinvocationPolicy": "Never",
    "mutations": [
        {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": "Object{}"}}
    ],
}
RULE = '{"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"], "operations": ["DELETE"]}'
# The keys that replace those of a valid policy, and the first error.
INVALID_POLICIES = (
    ("{}", ""),
    ("matchConstraints: null", "/spec/matchConstraints: is missing; set the resources"),
    ("matchConstraints: {}", "/spec/matchConstraints/resourceRules: is missing or empty; set"),
    (
        f"matchConstraints: {{resourceRules: [{RULE}]}}",
        "/spec/matchConstraints/resourceRules/0/operations: got DELETE, which has no object",
    ),
    ("reinvocationPolicy: null", "/spec/reinvocationPolicy: is missing; use Never or IfNeeded"),
    ("reinvocationPolicy: Always", '/spec/reinvocationPolicy: got "Always"; use Never or'),
    ("failurePolicy: Retry", '/spec/failurePolicy: got "Retry"; use Fail or Ignore'),
    ("mutations: []", "/spec/mutations: is missing or empty; add a mutation"),
    ("mutations: [{}]", "/spec/mutations/0/patchType: is missing; use ApplyConfiguration or"),
    (
        "mutations: [{patchType: StrategicMerge}]",
        '/spec/mutations/0/patchType: got "StrategicMerge"; use ApplyConfiguration or JSONPatch',
    ),
    (
        "mutations: [{patchType: JSONPatch}]",
        "/spec/mutations/0/jsonPatch: is missing; set jsonPatch.expression",
    ),
    (
        "mutations: [{patchType: JSONPatch, jsonPatch: null}]",
        "/spec/mutations/0/jsonPatch: is missing; set jsonPatch.expression",
    ),
    (
        (
            "mutations: [{patchType: ApplyConfiguration, jsonPatch: null, "
            "applyConfiguration: {expression: 'Object{}'}}]"
        ),
        "",
    ),
    (
        (
            "mutations: [{patchType: JSONPatch, jsonPatch: {expression: '[JSONPatch{}]'}, "
            "applyConfiguration: {expression: 'Object{}'}}]"
        ),
        "/spec/mutations/0/applyConfiguration: must be absent with patchType JSONPatch; remove",
    ),
    (
        "mutations: [{patchType: JSONPatch, jsonPatch: {}}]",
        "/spec/mutations/0/jsonPatch/expression: is missing; write an expression in CEL",
    ),
    (
        "mutations: [{patchType: JSONPatch, jsonPatch: {expression: null}}]",
        "/spec/mutations/0/jsonPatch/expression: is missing; write an expression in CEL",
    ),
    (
        "mutations: [{patchType: JSONPatch, jsonPatch: {expression: '[JSONPatch{'}}]",
        "/spec/mutations/0/jsonPatch/expression: line 1, column",
    ),
    ("variables: [{name: a-b, expression: '1'}]", '/spec/variables/0/name: got "a-b"; use a CEL'),
    ("paramKind: {kind: Team}", "/spec/paramKind/apiVersion: is missing; set the apiVersion"),
    ("validations: []", "/spec/validations: unknown key; "),
)


@pytest.mark.parametrize(("changes", "error"), INVALID_POLICIES)
def test_a_policy_that_kubernetes_refuses_does_not_load(changes: str, error: str) -> None:
    replaced = yaml.load_document(changes)
    assert isinstance(replaced, dict)
    diagnostics = Diagnostics()
    parse_policy(Cursor({**VALID, **replaced}, "/spec", diagnostics), "p")
    assert "".join(map(str, diagnostics.errors[:1])).startswith(error)
    assert bool(diagnostics.errors) == bool(error)


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        ("{}", "/spec/policyName: is missing; set the name of a MutatingAdmissionPolicy"),
        ("{policyName: p, validationActions: [Deny]}", "/spec/validationActions: unknown key; "),
        ("{policyName: p, paramRef: {}}", "/spec/paramRef: must have either name or selector;"),
    ],
)
def test_a_binding_that_kubernetes_refuses_does_not_load(spec: str, error: str) -> None:
    diagnostics = Diagnostics()
    parse_binding(Cursor(yaml.load_document(spec), "/spec", diagnostics), "b")
    assert str(diagnostics.errors[0]).startswith(error)
