"""Validation of requests, with the semantics of ValidatingAdmissionPolicy."""

from dataclasses import dataclass, field, replace

import pytest

from kube.validation.documents import DEPLOYMENT, RequestSpec, document, rules
from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.policy import Cursor, Diagnostics
from podgraft.kube.admission import Operation
from podgraft.kube.admission.validation_result import FailedValidation, ValidationResult
from podgraft.kube.validation import parse_policy

PREFIX = "ValidatingAdmissionPolicy 'limits' denied request: "


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    name: str
    spec: str
    ask: RequestSpec = field(default_factory=RequestSpec)
    denials: tuple[str, ...] = ()


# More than an expression may cost, and about two thirds of it.
COSTLY = "object.all(a, object.all(b, object.all(c, a + b + c >= 0)))"
CHEAP = "object.all(a, object.all(b, a + b >= 0))"
LONG = RequestSpec(object=list(range(300)))
CANCELLED = "resulted in error: operation cancelled: actual cost limit exceeded"

CASES = (
    # expression and message
    Case(name="a true rule passes", spec="validations: [{expression: object.spec.replicas <= 5}]"),
    Case(
        name="a false rule says its expression",
        spec="validations: [{expression: object.spec.replicas <= 2}]",
        denials=("failed expression: object.spec.replicas <= 2",),
    ),
    Case(
        name="or its message",
        spec="validations: [{expression: object.spec.replicas <= 2, message: too many }]",
        denials=("too many",),
    ),
    Case(
        name="or better its messageExpression",
        spec="""
validations:
- expression: object.spec.replicas <= 2
  message: too many
  messageExpression: '"at most 2 replicas, not " + string(object.spec.replicas)'
""",
        denials=("at most 2 replicas, not 3",),
    ),
    Case(
        name="a messageExpression that fails leaves the message",
        spec="""
validations:
- {expression: "false", message: never, messageExpression: string(object.spec.nope)}
""",
        denials=("never",),
    ),
    Case(
        name="one of several lines too",
        spec=r"""
validations:
- {expression: "false", message: never, messageExpression: '"a\nb"'}
""",
        denials=("never",),
    ),
    Case(
        name="a blank one too",
        spec="""validations: [{expression: "false", message: never, messageExpression: '" "'}]""",
        denials=("never",),
    ),
    Case(
        name="all violated rules are reported",
        spec="""
validations:
- {expression: "false", message: a}
- {expression: "false", message: b}
""",
        denials=("a; b",),
    ),
    # variables
    Case(
        name="variables build on each other",
        spec="""
variables:
- {name: replicas, expression: object.spec.replicas}
- {name: many, expression: variables.replicas > 2}
validations: [{expression: "!variables.many"}]
""",
        denials=("failed expression: !variables.many",),
    ),
    Case(
        name="a variable that fails and is not needed hurts nobody",
        spec="""
variables: [{name: broken, expression: object.spec.nope}]
validations: [{expression: "true || variables.broken"}]
""",
    ),
    Case(
        name="one that is needed is the rule's failure",
        spec="""
variables: [{name: broken, expression: object.spec.nope}]
validations: [{expression: variables.broken == 1}]
""",
        denials=(
            (
                "expression 'variables.broken == 1' resulted in error: composited variable "
                '"broken" fails to evaluate: no such key: nope'
            ),
        ),
    ),
    Case(
        name="it fails the same way for everyone",
        spec="""
variables: [{name: broken, expression: object.spec.nope}]
validations: [{expression: variables.broken == 1}, {expression: variables.broken == 2}]
""",
        denials=(
            (
                "expression 'variables.broken == 1' resulted in error: composited variable "
                '"broken" fails to evaluate: no such key: nope; '
                "expression 'variables.broken == 2' resulted in error: composited variable "
                '"broken" fails to evaluate: no such key: nope'
            ),
        ),
    ),
    # failurePolicy
    Case(
        name="what fails is refused",
        spec="validations: [{expression: object.spec.nope == 1}]",
        denials=("expression 'object.spec.nope == 1' resulted in error: no such key: nope",),
    ),
    Case(
        name="unless failures are ignored",
        spec="failurePolicy: Ignore\nvalidations: [{expression: object.spec.nope == 1}]",
    ),
    Case(
        name="broken rules count even then",
        spec="failurePolicy: Ignore\nvalidations: [{expression: 'false', message: never}]",
        denials=("never",),
    ),
    # matchConditions
    Case(
        name="a false condition spares the object",
        spec="""
matchConditions: [{name: big, expression: object.spec.replicas > 5}]
validations: [{expression: "false", message: never}]
""",
    ),
    Case(
        name="a true one does not",
        spec="""
matchConditions: [{name: small, expression: object.spec.replicas < 5}]
validations: [{expression: "false", message: never}]
""",
        denials=("never",),
    ),
    Case(
        name="one that fails refuses",
        spec="""
matchConditions: [{name: broken, expression: object.spec.nope == 1}]
validations: [{expression: "true"}]
""",
        denials=("expression 'object.spec.nope == 1' resulted in error: no such key: nope",),
    ),
    Case(
        name="but a false one beside it spares",
        spec="""
matchConditions:
- {name: broken, expression: object.spec.nope == 1}
- {name: "no", expression: "false"}
validations: [{expression: "false", message: never}]
""",
    ),
    # the variables of a request
    Case(
        name="object is null on deletion",
        spec="validations: [{expression: object == null && oldObject.spec.replicas == 3}]",
        ask=RequestSpec(object=None, old_object=DEPLOYMENT, operation=Operation.DELETE),
    ),
    Case(
        name="oldObject is null on creation", spec="validations: [{expression: oldObject == null}]"
    ),
    Case(
        name="request",
        spec="""
validations:
- expression: >-
    request.operation == "CREATE" && request.namespace == "shop" && !request.dryRun
    && request.userInfo.username == "jane" && "dev" in request.userInfo.groups
    && !has(request.options)
""",
        ask=RequestSpec(raw={"userInfo": {"username": "jane", "groups": ["dev"]}}),
    ),
    Case(
        name="without a name, as with generateName, a request has none",
        spec="validations: [{expression: '!has(request.name)'}]",
    ),
    Case(
        name="a request has no empty texts, whoever sends them",
        spec="validations: [{expression: '!has(request.name) && !has(request.subResource)'}]",
        ask=RequestSpec(raw={"name": "", "subResource": ""}),
    ),
    Case(
        name="the namespace's object",
        spec="validations: [{expression: 'namespaceObject.metadata.labels.team == \"a\"'}]",
    ),
    Case(
        name="what kube-apiserver gives every namespace",
        spec="""
validations:
- expression: >-
    namespaceObject.status.phase == 'Active' && namespaceObject.spec.finalizers == ['kubernetes']
""",
    ),
    Case(
        name="a namespace that the bundle does not contain has its name and its label",
        spec="""
validations:
- expression: >-
    namespaceObject.metadata.name == 'far'
    && namespaceObject.metadata.labels == {'kubernetes.io/metadata.name': 'far'}
    && has(namespaceObject.spec)
""",
        ask=RequestSpec(namespace="far"),
    ),
    # cost
    Case(
        name="an expression that costs too much is an error of its own",
        spec=f"""
validations: [{{expression: "{COSTLY}"}}, {{expression: "false", message: never}}]
""",
        ask=LONG,
        denials=(f"expression '{COSTLY}' {CANCELLED}; never",),
    ),
    Case(
        name="Ignore does not apply to the others",
        spec=f"""
failurePolicy: Ignore
validations: [{{expression: "{COSTLY}"}}, {{expression: "false", message: never}}]
""",
        ask=LONG,
        denials=("never",),
    ),
    Case(
        name="a messageExpression that costs too much leaves the message",
        spec=f"""
failurePolicy: Ignore
validations: [{{expression: "false", message: never, messageExpression: "string({COSTLY})"}}]
""",
        ask=LONG,
        denials=("never",),
    ),
    Case(
        name="a variable that costs too much is an error that an operator absorbs",
        spec=f"""
variables: [{{name: costly, expression: "{COSTLY}"}}]
validations: [{{expression: "variables.costly && object.size() == 0", message: never}}]
""",
        ask=LONG,
        denials=("never",),
    ),
    Case(
        name="each variable costs as much as an expression may",
        spec=f"""
failurePolicy: Ignore
variables: [{{name: a, expression: "{CHEAP}"}}, {{name: b, expression: "{CHEAP}"}}]
validations: [{{expression: "variables.a && variables.b && false", message: never}}]
""",
        ask=LONG,
        denials=("never",),
    ),
    Case(
        name="a condition that costs too much does not hide one that is false",
        spec=f"""
matchConditions: [{{name: a, expression: "{COSTLY}"}}, {{name: b, expression: "false"}}]
validations: [{{expression: "false", message: never}}]
""",
        ask=LONG,
    ),
    Case(
        name="failurePolicy handles what costs more than Kubernetes allows a policy",
        spec=f"""
failurePolicy: Ignore
validations: [{{expression: "object[0] == 0 && '{"a" * 9000}'.contains('{"a" * 90000}')"}}]
""",
        ask=LONG,
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_policy_validates_as_in_kubernetes(case: Case) -> None:
    judgement = rules(case.spec).validate(case.ask.request())

    assert [denial.message for denial in judgement.denials] == [PREFIX + d for d in case.denials]
    assert not judgement.warnings
    assert not judgement.audit


NO = 'validations: [{expression: "false", message: never, reason: Forbidden}]\n'
BOUND = "ValidatingAdmissionPolicy 'limits' with binding 'everywhere'"
FAILURE = (
    '[{"message":"never","policy":"limits","binding":"everywhere","expressionIndex":0,'
    '"validationActions":["%s"]}]'
)

BINDINGS: tuple[tuple[str, str, ValidationResult], ...] = (
    (
        "Deny refuses",
        "validationActions: [Deny]",
        ValidationResult(
            denials=(FailedValidation(f"{BOUND} denied request: never", "Forbidden"),)
        ),
    ),
    (
        "Warn warns",
        "validationActions: [Warn]",
        ValidationResult(warnings=(f"Validation failed for {BOUND}: never",)),
    ),
    (
        "Audit notes",
        "validationActions: [Audit]",
        ValidationResult(audit={"validation_failure": FAILURE % "Audit"}),
    ),
    (
        "a binding elsewhere does nothing",
        "validationActions: [Deny]\nmatchResources: {objectSelector: {matchLabels: {app: db}}}",
        ValidationResult(),
    ),
    (
        "a binding in another namespace does nothing",
        "validationActions: [Deny]\nmatchResources: {namespaceSelector: {matchLabels: {team: b}}}",
        ValidationResult(),
    ),
)


@pytest.mark.parametrize(
    ("spec", "want"), [row[1:] for row in BINDINGS], ids=[b[0] for b in BINDINGS]
)
def test_a_binding_sets_the_scope_and_the_actions(spec: str, want: ValidationResult) -> None:
    assert rules(NO, spec).validate(RequestSpec().request()) == want


def config_map(name: str, namespace: str = "shop", **data: str) -> Object:
    labels: Object = {"limits": name}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": namespace, "labels": labels},
        "data": dict[str, JSON](data),
    }


PARAMS = """
paramKind: {apiVersion: v1, kind: ConfigMap}
validations:
- expression: object.spec.replicas <= int(params.data.max)
  messageExpression: '"max " + params.data.max'
"""
MAPS = (
    config_map("two", max="2"),
    config_map("nine", max="9"),
    config_map("one", "far", max="1"),
)
UNBOUND = "failed to configure binding: "
REFS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("by name in the request's namespace", "{name: two}", ("max 2",)),
    ("by name elsewhere", "{name: one, namespace: far}", ("max 1",)),
    ("one that is well", "{name: nine}", ()),
    (
        "each that a selector selects",
        "{selector: {matchExpressions: [{key: limits, operator: Exists}]}}",
        ("max 2",),
    ),
    (
        "one that is missing refuses",
        "{name: ten}",
        (f"{UNBOUND}no params found for policy binding with `Deny` parameterNotFoundAction",),
    ),
    ("unless that is allowed", "{name: ten, parameterNotFoundAction: Allow}", ()),
)


@pytest.mark.parametrize(
    ("ref", "denials"), [row[1:] for row in REFS], ids=[row[0] for row in REFS]
)
def test_parameters_are_config_maps_of_the_bundle(ref: str, denials: tuple[str, ...]) -> None:
    bound = f"validationActions: [Deny]\nparamRef: {ref}"
    judgement = rules(PARAMS, bound, config_maps=MAPS).validate(RequestSpec().request())

    assert [d.message for d in judgement.denials] == [
        f"{BOUND} denied request: {d}" for d in denials
    ]


@pytest.mark.parametrize("action", ["Warn", "Audit"])
@pytest.mark.parametrize(
    "ref", ["{name: ten, parameterNotFoundAction: Deny}", "{name: two, namespace: nope}"]
)
def test_missing_parameters_deny_whatever_the_actions_unless_failures_are_ignored(
    ref: str, action: str
) -> None:
    """As kube-apiserver 1.37 does (validating/dispatcher.go, addConfigError)."""
    bound = f"validationActions: [{action}]\nparamRef: {ref}"
    result = rules(PARAMS, bound, config_maps=MAPS).validate(RequestSpec().request())
    assert len(result.denials) == 1
    assert not result.warnings
    assert not result.audit

    ignored = rules(f"failurePolicy: Ignore\n{PARAMS}", bound, config_maps=MAPS)
    assert ignored.validate(RequestSpec().request()) == ValidationResult()


def test_audit_annotations_are_published_under_the_policy() -> None:
    spec = """
auditAnnotations:
- {key: replicas, valueExpression: '"has " + string(object.spec.replicas)'}
- {key: blank, valueExpression: '" "'}
- {key: nothing, valueExpression: 'null'}
"""
    assert rules(spec).validate(RequestSpec().request()) == ValidationResult(
        audit={"limits.replicas": "has 3"}
    )


def test_a_failing_audit_annotation_denies() -> None:
    spec = "auditAnnotations: [{key: a, valueExpression: object.nope.text + 'x'}]"
    judgement = rules(spec).validate(RequestSpec().request())

    assert [denial.message for denial in judgement.denials] == [
        f"{PREFIX}expression 'object.nope.text + 'x'' resulted in error: no such key: nope"
    ]


def test_a_failing_audit_annotation_denies_whatever_the_actions() -> None:
    spec = "auditAnnotations: [{key: a, valueExpression: object.nope.text + 'x'}]"
    result = rules(spec, "validationActions: [Warn]").validate(RequestSpec().request())
    assert len(result.denials) == 1
    assert not result.warnings


def test_match_conditions_have_no_namespace() -> None:
    spec = """
matchConditions: [{name: c, expression: namespaceObject == null}]
validations: [{expression: namespaceObject == null, message: it has one}]
"""
    result = rules(spec).validate(RequestSpec().request())
    assert [denial.message for denial in result.denials] == [f"{PREFIX}it has one"]


def test_all_policies_of_a_review_have_one_budget() -> None:
    """Each expression is cheap enough; the last ones find nothing left."""
    spec = "validations:\n" + 40 * "- expression: object.all(a, a >= 0)\n"
    poor = replace(rules(spec), budget=10_000)
    judgement = poor.validate(RequestSpec(object=list(range(100))).request())

    assert len(judgement.denials) == 1
    assert "validation stopped early" in judgement.denials[0].message


@pytest.mark.parametrize(
    ("expression", "object_", "budget"),
    [
        ("object.all(a, a >= 0)", list(range(100)), 500),
        ("object.all(a, a in object)", [f"n{number}" for number in range(20_000)], 10**7),
    ],
)
def test_no_failure_policy_ignores_a_limit_that_kubernetes_does_not_have(
    expression: str, object_: JSON, budget: int
) -> None:
    """An object that reaches it would end policies that kube-apiserver evaluates."""
    spec = f"failurePolicy: Ignore\nvalidations: [{{expression: '{expression}'}}]"
    poor = replace(rules(spec), budget=budget)
    (denial,) = poor.validate(RequestSpec(object=object_).request()).denials
    assert denial.message.startswith(f"{PREFIX}validation stopped early: it ")


def test_an_error_that_quotes_the_object_is_cut() -> None:
    """Lambda ends an invocation with a response of 6 MB as a crash, and no rule would deny."""
    spec = "validations:\n" + 50 * "- expression: ip(object).family() == 4\n"
    actions = [f"validationActions: [{action}, Audit]" for action in ("Deny", "Warn")]
    request = RequestSpec(object="\0" * 100_000).request()
    for action in actions:
        result = rules(spec, action).validate(request)
        assert result.denials or result.warnings
        texts = (*(each.message for each in result.denials), *result.warnings)
        assert sum(map(len, (*texts, *result.audit.values()))) < 1_000_000


def test_a_hostile_object_cannot_exceed_the_budget() -> None:
    """Regular expressions are RE2's, and a long loop ends with its budget."""
    spec = """
validations:
- expression: >-
    object.names.all(a, object.names.all(b, a.matches('(x+x+)+y') == b.matches('(x+x+)+y')))
"""
    names: list[JSON] = ["x" * 1000] * 2000
    judgement = rules(spec).validate(RequestSpec(object={"names": names}).request())

    assert judgement.denials[0].message.endswith(CANCELLED)


def test_an_equivalent_request_is_not_converted() -> None:
    """Kubernetes converts it to the version of the rule."""
    spec = """
matchConstraints:
  matchPolicy: Equivalent
  resourceRules:
  - {apiGroups: [apps], apiVersions: [v1beta1], operations: ["*"], resources: [deployments]}
validations: [{expression: "object.apiVersion == 'apps/v1beta1'"}]
"""
    notes = Diagnostics()
    policy = parse_policy(Cursor(document(spec), "/spec", notes), "limits")
    validated = replace(rules("validations: [{expression: 'true'}]"), policies=(policy,))
    (denial,) = validated.validate(RequestSpec(object=DEPLOYMENT).request()).denials
    assert "failed expression" in denial.message
