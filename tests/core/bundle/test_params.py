"""Parameters of any kind: custom resources of the bundle, and their CustomResourceDefinition."""

from http import HTTPStatus
from typing import Any

import pytest

from podgraft.base.jsonvalue import Object
from podgraft.core import bundle
from podgraft.core.bundle import Bundle, BundleError
from podgraft.core.policy import Policy
from podgraft.kube import yaml
from podgraft.kube.matching.constraints import make_create_request
from support.custom_resources import format_definition

VALIDATING = """
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: limits}
spec:
  paramKind: {apiVersion: rules.example.com/v1, kind: Limit}
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [configmaps, namespaces]}
  validations:
  - expression: object.data.size() <= params.spec.max
    messageExpression: "'max ' + string(params.spec.max)"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: limits}
spec: {policyName: limits, validationActions: [Deny], paramRef: %s}
"""
SCHEMA = (
    "{type: object, properties: {spec: "
    "{type: object, default: {}, properties: {max: {type: integer, default: 1}}}}}"
)


def define(scope: str) -> str:
    return format_definition("Limit", SCHEMA, group="rules.example.com", scope=scope)


PARAM = "{apiVersion: rules.example.com/v1, kind: Limit, metadata: {name: %s%s}%s}"
NAMED = "{name: small, parameterNotFoundAction: Deny}"


def compile_documents(ref: str, *documents: str) -> Bundle:
    text = "---\n".join((VALIDATING % ref, *documents))
    return bundle.compile_({"rules.yaml": text.encode()}, Policy())


def deny(compiled: Bundle, kind: str = "ConfigMap") -> tuple[str, ...]:
    """The messages for an object with two entries, in namespace shop or without one."""
    value: Object = {
        "apiVersion": "v1",
        "kind": kind,
        "metadata": {"name": "web"},
        "data": {"a": "1", "b": "2"},
    }
    request = make_create_request(value, "shop" if kind == "ConfigMap" else "")
    (validator,) = compiled.validators
    return tuple(denial.message.rpartition(": ")[2] for denial in validator(request).denials)


def test_a_custom_resource_is_a_parameter() -> None:
    param = PARAM % ("small", ", namespace: shop", ", spec: {max: 1}")
    assert deny(compile_documents(NAMED, param)) == ("max 1",)
    assert deny(compile_documents(NAMED, param.replace("max: 1", "max: 2"))) == ()


def test_a_selector_selects_parameters_of_the_namespace() -> None:
    ref = "{selector: {matchLabels: {a: b}}, parameterNotFoundAction: Deny}"
    labels = ", labels: {a: b}"
    compiled = compile_documents(
        ref,
        PARAM % ("one", f", namespace: shop{labels}", ", spec: {max: 1}"),
        PARAM % ("none", f", namespace: far{labels}", ", spec: {max: 0}"),
    )
    assert deny(compiled) == ("max 1",)


@pytest.mark.parametrize(("action", "count"), [("Deny", 1), ("Allow", 0)])
def test_a_missing_parameter_denies_or_allows(action: str, count: int) -> None:
    compiled = compile_documents(f"{{name: nope, parameterNotFoundAction: {action}}}")
    assert len(deny(compiled)) == count


def test_the_definition_sets_defaults() -> None:
    param = PARAM % ("small", ", namespace: shop", "")
    assert deny(compile_documents(NAMED, define("Namespaced"), param)) == ("max 1",)


def test_a_parameter_that_does_not_fit_its_definition_is_an_error() -> None:
    param = PARAM % ("small", ", namespace: shop", ", spec: {max: many, min: 1}")
    with pytest.raises(BundleError) as error:
        compile_documents(NAMED, define("Namespaced"), param)
    assert [str(each) for each in error.value.errors] == [
        (
            "rules.yaml, document 4 /spec/max: expected numeric (int or float), got string; "
            "correct "
            "it by the CustomResourceDefinition of Limit"
        ),
        (
            "rules.yaml, document 4 /spec/min: field not declared in schema; correct it by the "
            "CustomResourceDefinition of Limit"
        ),
    ]


@pytest.mark.parametrize("documents", [(define("Cluster"),), ()])
def test_a_parameter_without_a_namespace_is_cluster_scoped(documents: tuple[str, ...]) -> None:
    compiled = compile_documents(NAMED, *documents, PARAM % ("small", "", ", spec: {max: 1}"))
    assert deny(compiled) == deny(compiled, "Namespace") == ("max 1",)


def test_a_namespaced_parameter_needs_a_namespace() -> None:
    param = PARAM % ("small", ", namespace: shop", ", spec: {max: 1}")
    (message,) = deny(compile_documents(NAMED, param), "Namespace")
    assert message == (
        "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"
    )


def test_a_kind_that_no_policy_names_is_no_parameter() -> None:
    with pytest.raises(BundleError, match=r"unsupported Other of rules\.example\.com/v1"):
        compile_documents(NAMED, (PARAM % ("x", "", "")).replace("Limit", "Other"))


def test_an_unbound_policy_with_parameters_is_an_error() -> None:
    policy: Any = yaml.load_all(VALIDATING % NAMED)[0]
    with pytest.raises(BundleError, match="requires parameters, and no ValidatingAdmissionPolicyB"):
        bundle.compile_({"rules.yaml": yaml.dump(policy).encode()}, Policy())


def test_a_denial_has_the_code_of_its_reason() -> None:
    param = PARAM % ("small", ", namespace: shop", ", spec: {max: 1}")
    (validator,) = compile_documents(NAMED, param).validators
    value: Object = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {},
        "data": {"a": "", "b": ""},
    }
    (denial,) = validator(make_create_request(value, "shop")).denials
    assert denial.code == HTTPStatus.UNPROCESSABLE_ENTITY


def test_a_selector_uses_config_maps_of_the_bundle() -> None:
    """One that nothing selects is an error of its author."""
    rules = VALIDATING.replace("rules.example.com/v1, kind: Limit", "v1, kind: ConfigMap")
    rules = rules.replace("params.spec.max", "int(params.data.max)")
    ref = "{selector: {matchLabels: {a: b}}, parameterNotFoundAction: Deny}"
    used = (
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: one, namespace: shop, labels: {a: b}}, "
    )
    used += "data: {max: '1'}}"
    compiled = bundle.compile_({"rules.yaml": f"{rules % ref}---\n{used}".encode()}, Policy())
    assert deny(compiled) == ("max 1",)
    with pytest.raises(BundleError, match="which serves nothing in this bundle"):
        bundle.compile_(
            {"rules.yaml": f"{rules % ref}---\n{used.replace('a: b', 'a: c')}".encode()}, Policy()
        )
