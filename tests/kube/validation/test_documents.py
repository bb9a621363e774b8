"""Errors of policies and bindings are found at load, each with its location."""

import pytest

from kube.validation.documents import ALL, document, find_errors
from podgraft.core.policy import Cursor, Diagnostics
from podgraft.kube.validation import parse_binding, parse_policy

RULE = "validations: [{expression: 'true'}]\n"

FAULTS = (
    # expressions
    (
        ALL + "validations: [{expression: object.spec.replicas <=}]",
        "/spec/validations/0/expression: line 1, column 24: Syntax error: the expression ends too",
    ),
    (
        ALL + "validations:\n- expression: |-\n    true &&\n    nope.x",
        "/spec/validations/0/expression: line 2, column 1: undeclared reference to 'nope'",
    ),
    (
        ALL + "validations: [{expression: '1 + \"a\" == 2'}]",
        "/spec/validations/0/expression: line 1, column 3: found no matching overload for '_+_'",
    ),
    (
        ALL + "validations: [{expression: \"'a' + 'b'\"}]",
        "/spec/validations/0/expression: line 1, column 1: must evaluate to bool but got string",
    ),
    (
        ALL + "validations: [{expression: 'object.name.matches(\"(\")'}]",
        "/spec/validations/0/expression: line 1, column 21: invalid matches argument",
    ),
    (
        ALL + 'validations: [{expression: request.user == "a"}]',
        "/spec/validations/0/expression: line 1, column 8: undefined field 'user'; there are",
    ),
    (
        ALL + 'validations: [{expression: \'authorizer.path("/x").check("get").allowed()\'}]',
        "/spec/validations/0/expression: line 1, column 1: authorizer is not available",
    ),
    (
        ALL + "validations: [{expression: params.data.x == ''}]",
        "/spec/validations/0/expression: line 1, column 1: undeclared reference to 'params'",
    ),
    (
        ALL + RULE + "variables: [{name: a, expression: variables.b}, {name: b, expression: '1'}]",
        "/spec/variables/0/expression: line 1, column 1: undeclared reference to 'variables'",
    ),
    (
        ALL + RULE + "matchConditions: [{name: a, expression: variables.b}]",
        "/spec/matchConditions/0/expression: line 1, column 1: undeclared reference",
    ),
    (
        ALL + "validations: [{expression: 'true', messageExpression: '1'}]",
        "/spec/validations/0/messageExpression: line 1, column 1: must evaluate to string but",
    ),
    (
        ALL + "auditAnnotations: [{key: a, valueExpression: '1'}]",
        "/spec/auditAnnotations/0/valueExpression: line 1, column 1: must evaluate to one of [",
    ),
    # the document
    (RULE, "/spec/matchConstraints: is missing; set the resources that the policy validates"),
    (ALL, "/spec: has neither validations nor auditAnnotations; set one of them"),
    (ALL + "validations: [{message: a}]", "/spec/validations/0/expression: is missing"),
    (ALL + RULE + "failurePolicy: fail", '/spec/failurePolicy: got "fail"; use Fail or Ignore'),
    (ALL + RULE + "failurePolicy: [Fail]", '/spec/failurePolicy: got ["Fail"]; use Fail or Ignore'),
    (ALL + RULE + "variables: [{name: a-b, expression: '1'}]", '/spec/variables/0/name: got "a-b"'),
    (
        ALL + "validations: [{expression: 'true', reason: Because}]",
        "/spec/validations/0/reason: got Because; use Invalid, Forbidden, Unauthorized",
    ),
    (
        ALL + RULE + "paramKind: {apiVersion: rules.example.com/v1}",
        "/spec/paramKind/kind: is missing; set the kind of the parameters",
    ),
    (ALL + RULE + "validation: []", "/spec/validation: unknown key; did you mean validations?"),
)


@pytest.mark.parametrize(("spec", "fault"), FAULTS)
def test_an_invalid_policy_does_not_load(spec: str, fault: str) -> None:
    found = find_errors(spec)

    assert len(found) == 1, found
    assert found[0].startswith(fault)


def test_all_errors_of_a_policy_are_reported_at_once() -> None:
    spec = ALL + "validations: [{expression: a}, {expression: b}]\nfailurePolicy: maybe"

    assert len(find_errors(spec)) == 3


def test_a_function_that_only_new_releases_have_gets_a_warning() -> None:
    spec = (
        ALL + "validations: [{expression: 'object.l.includes(1)'}, {expression: '[1].sum() > 0'}]"
    )
    notes = Diagnostics()
    parse_policy(Cursor(document(spec), "/spec", notes), "a", 36)

    assert not notes.errors
    (warning,) = map(str, notes.warnings)
    assert warning == (
        "/spec/validations/0/expression: includes is new in Kubernetes 1.37; podgraft accepts it; "
        "kube-apiserver 1.36 rejects the document"
    )


@pytest.mark.parametrize("name", ["if", "namespace", "in", "1a"])
def test_a_variable_has_no_reserved_name(name: str) -> None:
    (error,) = find_errors(ALL + RULE + f"variables: [{{name: '{name}', expression: '1'}}]")
    assert error.startswith(f'/spec/variables/0/name: got "{name}"; use a CEL identifier')


BOUND = "policyName: a\nvalidationActions: [Deny]\n"
BINDING_FAULTS = (
    (BOUND + "paramRef: {selector: [a]}", "/spec/paramRef/selector: expected a mapping, got"),
    (
        BOUND + "paramRef: {selector: {matchExpressions: [{key: a, operator: Is}]}}",
        '/spec/paramRef/selector/matchExpressions/0/operator: got "Is"; use In, NotIn',
    ),
    ("policyName: a\nvalidationActions: Deny", "/spec/validationActions: expected a list"),
    ("policyName: a", "/spec/validationActions: is missing or empty; use Deny, Warn, Audit"),
    (
        "validationActions: [Deny]",
        "/spec/policyName: is missing; set the name of a ValidatingAdmissionPolicy",
    ),
    (
        "policyName: a\nvalidationActions: [Refuse, Deny]",
        "/spec/validationActions: got Refuse; use",
    ),
    (
        "policyName: a\nvalidationActions: [Deny, Warn]",
        "/spec/validationActions: Deny and Warn both report the failure; remove one of them",
    ),
    (
        BOUND + "paramRef: {name: a, selector: {}}",
        "/spec/paramRef: must have either name or selector; set one of them",
    ),
    (
        BOUND + "paramRef: {name: a, parameterNotFoundAction: X}",
        "/spec/paramRef/parameterNotFoundAction: got X; use Allow or Deny",
    ),
)


@pytest.mark.parametrize(("spec", "fault"), BINDING_FAULTS)
def test_an_invalid_binding_does_not_load(spec: str, fault: str) -> None:
    notes = Diagnostics()
    parse_binding(Cursor(document(spec), "/spec", notes), "b")
    found = [str(fault) for fault in notes.errors]

    assert len(found) == 1, found
    assert found[0].startswith(fault)
