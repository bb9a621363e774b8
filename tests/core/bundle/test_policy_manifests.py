"""What ``policy check`` reports of the two kinds of admission policies."""

import pytest

from podgraft.core import bundle
from podgraft.core.policy import parse

DOCUMENTS = """
apiVersion: admissionregistration.k8s.io/v1
kind: {kind}
metadata: {{name: p}}
spec:
  {param_kind}
  matchConstraints:
    resourceRules:
    - {{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}}
  {spec}
---
apiVersion: admissionregistration.k8s.io/v1
kind: {kind}Binding
metadata: {{name: b}}
spec: {{policyName: p, {binding}}}
---
apiVersion: example.com/v1
kind: Team
metadata: {{name: a, namespace: shop, labels: {{team: a}}}}
"""
MUTATION = """reinvocationPolicy: Never
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {{expression: "{expression} ? Object{{}} : Object{{}}"}}"""
VALIDATION = """validations: [{{expression: "{expression}"}}]"""
# By kind, the rest of its spec, and what its binding has in addition.
KINDS = {
    "MutatingAdmissionPolicy": (MUTATION, ""),
    "ValidatingAdmissionPolicy": (VALIDATION, "validationActions: [Deny], "),
}


def find_warnings(
    kind: str, *, expression: str = "true", param_ref: str | None = None, policy: str = ""
) -> list[str]:
    spec, binding = KINDS[kind]
    has_params = param_ref is not None
    text = DOCUMENTS.format(
        kind=kind,
        param_kind="paramKind: {apiVersion: example.com/v1, kind: Team}" if has_params else "",
        spec=spec.format(expression=expression),
        binding=binding + (f"paramRef: {param_ref}" if param_ref else ""),
    )
    documents = text if has_params else text.rpartition("---")[0]
    compiled = bundle.compile_({"p.yaml": documents.encode()}, parse(policy))
    return [str(each) for each in compiled.warnings]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("expression", "release", "oldest"),
    [
        ("[1].includes(1)", "", "1.34"),
        ("[1].includes(1)", "kubernetesRelease: '1.36'", "1.36"),
        ("[1].includes(1)", "kubernetesRelease: '1.37'", ""),
        ("ip.isCanonical('::1')", "", ""),
        ("ip.isCanonical('::1')", "kubernetesRelease: '1.29'", "1.29"),
    ],
)
def test_a_function_that_the_clusters_do_not_have_is_a_warning(
    kind: str, expression: str, release: str, oldest: str
) -> None:
    found = find_warnings(kind, expression=expression, policy=release)
    remedy = f"podgraft accepts it; kube-apiserver {oldest} rejects the document"
    assert [each.endswith(remedy) for each in found] == ([True] if oldest else [])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("param_ref", "problem"),
    [
        ("{name: a, parameterNotFoundAction: Deny}", ""),
        ("{name: a, namespace: shop, parameterNotFoundAction: Deny}", ""),
        ("{selector: {matchLabels: {team: a}}, parameterNotFoundAction: Deny}", ""),
        (
            "{name: a, namespace: other, parameterNotFoundAction: Deny}",
            "selects no Team of the bundle, so the policy fails for each request",
        ),
        (
            "{name: b, parameterNotFoundAction: Allow}",
            "selects no Team of the bundle, so the binding does nothing",
        ),
        (
            "{selector: {matchLabels: {team: b}}, parameterNotFoundAction: Deny}",
            "selects no Team of the bundle, so the policy fails for each request",
        ),
    ],
)
def test_a_reference_without_a_parameter_is_a_warning(
    kind: str, param_ref: str, problem: str
) -> None:
    found = find_warnings(kind, param_ref=param_ref)
    assert [problem in each for each in found] == ([True] if problem else [])


def test_a_mutating_policy_needs_a_binding_with_a_reference() -> None:
    (found,) = find_warnings("MutatingAdmissionPolicy", param_ref="")
    assert found == (
        "p.yaml, document 1 /spec/paramKind: requires parameters, and no "
        "MutatingAdmissionPolicyBinding gives it a paramRef; add a binding with a paramRef"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_an_invalid_policy_name_is_an_error(kind: str) -> None:
    spec, binding = KINDS[kind]
    text = DOCUMENTS.format(
        kind=kind, param_kind="", spec=spec.format(expression="true"), binding=binding
    )
    text = text.rpartition("---")[0].replace("policyName: p", "policyName: [p]")
    with pytest.raises(bundle.BundleError, match="/spec/policyName: expected a string, got a list"):
        bundle.compile_({"p.yaml": text.encode()}, parse(""))
