"""``policy check`` reports apply configurations that fail for every object."""

import pytest

from podgraft.core import bundle
from podgraft.core.policy import parse

POLICY = """
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [%s], apiVersions: [v1], operations: [CREATE], resources: [%s]}
  reinvocationPolicy: Never
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration:
      expression: %s
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: p}
spec: {policyName: p}
"""
ARGS = "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'a', args: ['x']}]}}"
SELECTOR = "Object{spec: Object.spec{selector: Object.spec.selector{}}}"
PORT = (
    "Object{spec: Object.spec{defaultBackend: Object.spec.defaultBackend{service: "
    "Object.spec.defaultBackend.service{port: Object.spec.defaultBackend.service.port{"
    "number: 1}}}}}"
)


def find_warnings(group: str, resources: str, expression: str, policy: str = "") -> list[str]:
    text = POLICY % (group or '""', resources, f'"{expression}"')
    compiled = bundle.compile_({"p.yaml": text.encode()}, parse(policy))
    return [each.problem for each in compiled.warnings]


@pytest.mark.parametrize(
    ("group", "resources", "expression", "problem"),
    [
        ("", "pods", ARGS, ".spec.containers.args"),
        ("apps", "deployments", SELECTOR, ".spec.selector"),
        ("", "pods", "Object{spec: Object.spec{nope: 1}}", ".spec.nope is not declared in the"),
        ("", "pods", "Object{metadata: Object.metadata{labels: {'a': 'b'}}}", ""),
        ("", "'*'", ARGS, ""),
        ("", "pods, unknowns", ARGS, ""),
        ("", "pods, services", "Object{spec: Object.spec{type: 'a'}}", ""),
    ],
)
def test_a_field_that_fails_for_every_kind_is_reported(
    group: str, resources: str, expression: str, problem: str
) -> None:
    problems = find_warnings(group, resources, expression)
    assert [problem in each for each in problems] == ([True] if problem else [])


@pytest.mark.parametrize(("release", "count"), [("1.30", 0), ("1.37", 1)])
def test_the_types_are_those_of_the_release(release: str, count: int) -> None:
    policy = f"kubernetesRelease: '{release}'"
    problems = find_warnings("networking.k8s.io", "ingresses", PORT, policy)
    assert len(problems) == count
