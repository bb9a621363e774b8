"""The cases of Kyverno's command-line tests for MutatingAdmissionPolicy.

github.com/kyverno/kyverno, commit 111e07bb, test/cli/test-mutating-admission-policy: 14 folders
with 17 results. The rows contain the facts of each folder, in documents of this file: what a policy
and its binding select, what the policy sets, and the objects that it changes.
Kyverno applies a policy without a binding; Kubernetes requires one, so each policy here has it.
"""

import dataclasses
from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from podgraft.base.jsonvalue import Object, object_at
from podgraft.kube import yaml
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
from podgraft.kube.patch import merge_patch


def load(text: str) -> Object:
    value = yaml.load(text)
    assert isinstance(value, dict)
    return value


def param(name: str, data: str) -> Object:
    metadata = f"{{name: {name}, namespace: default, labels: {{type: param}}}}"
    return load(f"{{apiVersion: v1, kind: ConfigMap, metadata: {metadata}, data: {data}}}")


def namespace(name: str) -> Object:
    metadata = f"{{name: {name}, labels: {{environment: {name}}}}}"
    return load(f"{{apiVersion: v1, kind: Namespace, metadata: {metadata}}}")


PARAMS = (param("labels", "{team: a}"), param("replicas", "{replicas: '10'}"))
NAMESPACES: Mapping[str, Object] = {
    name: namespace(name) for name in ("staging", "production", "testing")
}


def config_map(name: str, color: str, namespace: str = "default") -> str:
    metadata = f"{{name: {name}, namespace: {namespace}, labels: {{color: {color}}}}}"
    return f"{{apiVersion: v1, kind: ConfigMap, metadata: {metadata}, data: {{lives: '3'}}}}"


def pod(security_context: str) -> str:
    containers = "initContainers: [{name: setup, image: a}], containers: [{name: app, image: b}]"
    spec = f"{{{containers}, securityContext: {security_context}}}"
    return f"{{apiVersion: v1, kind: Pod, metadata: {{name: web}}, spec: {spec}}}"


DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: b, ports: [{containerPort: 80}]}]}
"""
RED, BLUE = config_map("one", "red"), config_map("two", "blue")
# What a policy adds to the objects that it changes, as a JSON merge patch.
LABEL = "{metadata: {labels: {team: a}}}"
RED_ONLY = {RED: LABEL, BLUE: "{}"}
STAGES = {
    config_map("one", "red", "staging"): LABEL,
    config_map("two", "red", "production"): LABEL,
    config_map("three", "blue", "testing"): "{}",
}

ADD_LABEL = (
    "object.metadata.?labels[?'team'].hasValue() ? Object{} : "
    "Object{metadata: Object.metadata{labels: {'team': 'a'}}}"
)
DEFAULTS = {"runAsNonRoot": "true", "runAsUser": "1000", "runAsGroup": "3000", "fsGroup": "2000"}
_FIELDS = ", ".join(
    f"{name}: object.spec.securityContext[?'{name}'].orValue({value})"
    for name, value in DEFAULTS.items()
)
COMPLETE = (
    f"Object{{spec: Object.spec{{securityContext: Object.spec.securityContext{{{_FIELDS}}}}}}}"
)
SCALE = "Object{spec: Object.spec{replicas: int(params.data.replicas)}}"
RULE = "{apiGroups: ['', apps], apiVersions: [v1], operations: [CREATE], resources: ['*']%s}"
ALL, ONE, TWO = RULE % "", RULE % ", resourceNames: [one]", RULE % ", resourceNames: [two]"
MATCH_ALL = f"resourceRules: [{ALL}]"
STAGE_SELECTOR = (
    "namespaceSelector: {matchExpressions: "
    "[{key: environment, operator: In, values: [staging, production]}]}"
)
COLOR_SELECTOR = "objectSelector: {matchLabels: {color: red}}"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Case:
    """A folder: the parts of its policy and binding, and each object with its change."""

    folder: str
    objects: Mapping[str, str]
    constraints: str = MATCH_ALL
    condition: str = "true"
    binding: str = MATCH_ALL
    params: str = "null"
    expression: str = ADD_LABEL


CASES = (
    # Kyverno's test has one object, which changes.
    Case(
        folder="check-user-info",
        condition="has(request.userInfo.username)",
        objects={RED: LABEL},
    ),
    Case(
        folder="mutate-namespace",
        objects={"{apiVersion: v1, kind: Namespace, metadata: {name: test}}": LABEL},
    ),
    Case(
        folder="specify-namespace-selector",
        constraints=f"{MATCH_ALL}, {STAGE_SELECTOR}",
        objects=STAGES,
    ),
    Case(
        folder="specify-object-selector",
        constraints=f"{MATCH_ALL}, {COLOR_SELECTOR}",
        objects=RED_ONLY,
    ),
    Case(folder="specify-resource-name", constraints=f"resourceRules: [{ONE}]", objects=RED_ONLY),
    Case(
        folder="with-apply-configuration",
        expression=COMPLETE,
        objects={
            pod("{runAsNonRoot: false, fsGroup: 1000}"): (
                "{spec: {securityContext: {runAsUser: 1000, runAsGroup: 3000}}}"
            )
        },
    ),
    Case(
        folder="with-binding-exclude-resources",
        binding=f"excludeResourceRules: [{TWO}]",
        objects=RED_ONLY,
    ),
    Case(
        folder="with-binding-match-resources", binding=f"resourceRules: [{ONE}]", objects=RED_ONLY
    ),
    Case(folder="with-binding-namespace-selector", binding=STAGE_SELECTOR, objects=STAGES),
    Case(folder="with-binding-object-selector", binding=COLOR_SELECTOR, objects=RED_ONLY),
    # Despite its name, the folder has an apply configuration.
    Case(folder="with-json-patch", objects={RED: LABEL}),
    Case(
        folder="with-match-conditions",
        condition="object.metadata.labels['color'] == 'red'",
        objects=RED_ONLY,
    ),
    Case(
        folder="with-params",
        expression=SCALE,
        params="{name: replicas, namespace: default}",
        objects={DEPLOYMENT: "{spec: {replicas: 10}}"},
    ),
)
TWO_PARAMS = Case(
    folder="with-two-params",
    expression=(
        "Object{spec: Object.spec{replicas: int(params.items[1].data.replicas)}, "
        "metadata: Object.metadata{labels: {'team': params.items[0].data.team}}}"
    ),
    params="{namespace: default, selector: {matchLabels: {type: param}}}",
    objects={DEPLOYMENT: "{spec: {replicas: 10}, metadata: {labels: {team: a}}}"},
)


def mutate(case: Case, value: Object) -> Object:
    """The object after the policy of a case."""
    diagnostics = Diagnostics()
    policy = f"""
      paramKind: {"null" if case.params == "null" else "{apiVersion: v1, kind: ConfigMap}"}
      matchConstraints: {{{case.constraints}}}
      matchConditions: [{{name: c, expression: "{case.condition}"}}]
      failurePolicy: Fail
      reinvocationPolicy: Never
      mutations:
      - patchType: ApplyConfiguration
        applyConfiguration: {{expression: "{case.expression}"}}
    """
    binding = f"{{policyName: p, paramRef: {case.params}, matchResources: {{{case.binding}}}}}"
    policies = parse_policy(Cursor(load(policy), "/spec", diagnostics), "p")
    bound = parse_binding(Cursor(load(binding), "/spec", diagnostics), "b")
    assert not diagnostics.errors, diagnostics.errors
    policy_set = MutatingPolicySet(
        policies=(policies,),
        bindings=group_by_policy([bound]),
        params=ParamIndex.build(PARAMS),
        namespaces=NAMESPACES,
    )
    request = make_create_request(value, "default")
    request = replace(request, raw={**request.raw, "userInfo": {"username": "admin"}})
    review = policy_set.start(request)
    return review.readmit(review.admit(value))


@pytest.mark.parametrize("case", CASES, ids=[case.folder for case in CASES])
def test_a_policy_changes_the_objects_that_kyverno_changes(case: Case) -> None:
    for document, change in case.objects.items():
        value = load(document)
        assert mutate(case, value) == merge_patch(value, load(change))


def test_kubernetes_evaluates_a_policy_once_for_each_parameter() -> None:
    """The one difference: Kyverno sets ``params`` to a list of all parameters.

    Kubernetes sets it to one parameter at a time, which has no ``items``
    (k8s.io/apiserver, pkg/admission/plugin/policy/generic/policy_dispatcher.go).
    """
    with pytest.raises(MutationDeniedError, match="no such key: items"):
        mutate(TWO_PARAMS, load(DEPLOYMENT))
    each = "Object{metadata: Object.metadata{labels: params.data}}"
    labels = object_at(
        mutate(dataclasses.replace(TWO_PARAMS, expression=each), load(DEPLOYMENT)), "metadata"
    )
    assert labels["labels"] == {"app": "web", "team": "a", "replicas": "10"}


def test_the_cases_are_all_folders_and_results() -> None:
    results = [change for case in (*CASES, TWO_PARAMS) for change in case.objects.values()]
    # One folder has a result for the object that the policy skips, too.
    assert len(CASES) + 1 == 14
    assert len([change for change in results if change != "{}"]) + 1 == 17
