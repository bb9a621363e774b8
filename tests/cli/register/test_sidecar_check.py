"""The sidecar check takes podgraft's own decision once more, in the API server's language."""

from collections.abc import Mapping
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import support.kube_schemas
from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli.register import endpoint, selectors, sidecar_check
from podgraft.cli.register.webhooks import FailurePolicy, Registration, name_expression
from podgraft.core.policy import INJECT_KEY, InjectionRules, InjectValueSyntax, decide
from podgraft.kube.cel import POLICY_BUDGET, Environment, Meter, Program
from podgraft.kube.selectors import Operator, Requirement, Selector

REGISTRATION = Registration(
    endpoint=endpoint.parse_endpoint("https://webhook.example.com"),
    ca_bundle=None,
    injector="istio",
    failure_policy=FailurePolicy.IGNORE,
    conditions=(name_expression("no-jobs", "!has(object.metadata.labels.job)"),),
)
ENVIRONMENT = Environment({"object": "dyn", "request": "dyn", "variables": "dyn"})


def _is_rejected(rules: InjectionRules, pod: Object, namespace: str) -> bool:
    """Whether the policy's own expressions refuse *pod*, which carries no sidecar."""
    spec = sidecar_check.make_check_policy(
        replace(REGISTRATION, conditions=()), rules, "istio-proxy"
    )["spec"]
    assert isinstance(spec, dict)
    values: dict[str, JSON] = {"object": pod, "request": {"namespace": namespace}}
    if not all(_evaluate(one, values) for one in _expressions_by_name(spec["matchConditions"])):
        return False
    for variable in _expressions_by_name(spec["variables"]):
        known = values.setdefault("variables", {})
        assert isinstance(known, dict)
        known[variable["name"]] = _evaluate(variable, values)
    return not all(_evaluate(one, values) for one in _expressions_by_name(spec["validations"]))


def _expressions_by_name(listed: JSON) -> list[dict[str, str]]:
    assert isinstance(listed, list)
    return [dict(one) for one in listed if isinstance(one, dict)]  # pyright: ignore[reportReturnType]


def _evaluate(named: Mapping[str, str], values: Mapping[str, JSON]) -> JSON:
    return _compile_expression(named["expression"]).evaluate(values, Meter(POLICY_BUDGET))


@cache
def _compile_expression(expression: str) -> Program:
    return ENVIRONMENT.compile_(expression)


KEYS = ("app", "tier")
LABELS = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(("", "a", "b")))
MARKS = st.sampled_from(("true", "false", "", "Yes", "on", "off", "n", "TRUE"))
REQUIREMENTS = st.one_of(
    st.builds(
        Requirement,
        st.sampled_from(KEYS),
        st.sampled_from((Operator.IN, Operator.NOT_IN)),
        st.frozensets(st.sampled_from(("", "a", "b")), min_size=1),
    ),
    st.builds(
        Requirement,
        st.sampled_from(KEYS),
        st.sampled_from((Operator.EXISTS, Operator.DOES_NOT_EXIST)),
    ),
)
SELECTORS = st.lists(
    st.lists(REQUIREMENTS, max_size=2).map(lambda some: Selector(tuple(some))), max_size=2
).map(tuple)
RULES = st.builds(
    InjectionRules,
    policy=st.sampled_from(("enabled", "disabled", "perhaps")),
    never=SELECTORS,
    always=SELECTORS,
    inject_values=st.sampled_from(InjectValueSyntax),
    honors_label=st.booleans(),
)


@st.composite
def _pods(draw: st.DrawFn) -> Object:
    labels: Object = {**draw(LABELS)}
    annotations: Object = {}
    for place in (labels, annotations):
        if draw(st.booleans()):
            place[INJECT_KEY] = draw(MARKS)
    metadata: Object = {}
    if labels or draw(st.booleans()):
        metadata["labels"] = labels
    if annotations or draw(st.booleans()):
        metadata["annotations"] = annotations
    spec: Object = {"containers": [{"name": "app"}]}
    if draw(st.booleans()):
        spec["hostNetwork"] = draw(st.booleans())
    return {"metadata": metadata, "spec": spec}


@settings(deadline=None)  # the first expressions load the compiler
@given(rules=RULES, pod=_pods(), namespace=st.sampled_from(("shop", "kube-system")))
def test_the_check_expects_a_sidecar_exactly_if_podgraft_injects(
    rules: InjectionRules, pod: Object, namespace: str
) -> None:
    assert _is_rejected(rules, pod, namespace) is decide(rules, pod, namespace).injects


@pytest.mark.parametrize("place", ["containers", "initContainers"])
def test_a_sidecar_is_seen_as_container_and_as_native_one(place: str) -> None:
    spec: Object = {"containers": [{"name": "app"}]}
    listed = spec.setdefault(place, [])
    assert isinstance(listed, list)
    listed.append({"name": "istio-proxy"})
    assert not _is_rejected(InjectionRules(), {"metadata": {}, "spec": spec}, "shop")


def test_a_binding_for_each_webhook_has_that_webhooks_selectors() -> None:
    registration = replace(REGISTRATION, revision="canary", excluded_namespaces=("podgraft",))
    made = sidecar_check.make_check_bindings(registration)
    assert [one["metadata"] for one in made] == [
        {"labels": registration.labels, "name": f"podgraft-istio-canary-guard.{name}"}
        for name in ("rev.namespace", "rev.object")
    ]
    for binding, scope in zip(made, registration.scopes(), strict=True):
        spec = binding["spec"]
        assert isinstance(spec, dict)
        assert spec["policyName"] == "podgraft-istio-canary-guard"
        assert spec["matchResources"] == {
            "matchPolicy": "Equivalent",
            "namespaceSelector": selectors.selector_to_manifest(scope.namespaces),
            "objectSelector": selectors.selector_to_manifest(scope.objects),
        }


def test_the_webhooks_match_conditions_hold_for_the_check_too() -> None:
    spec = sidecar_check.make_check_policy(REGISTRATION, InjectionRules(), "istio-proxy")["spec"]
    assert isinstance(spec, dict)
    assert [one["name"] for one in _expressions_by_name(spec["matchConditions"])] == [
        "no-jobs",
        "own-network",
        "not-ignored",
    ]


@pytest.mark.parametrize(
    "release", [release for release in support.kube_schemas.RELEASES if release >= "1.30"]
)
def test_the_schemas_of_kubernetes_accept_the_check(release: str) -> None:
    support.kube_schemas.validate(
        sidecar_check.make_check_policy(REGISTRATION, InjectionRules(), "istio-proxy"), release
    )
    for binding in sidecar_check.make_check_bindings(REGISTRATION):
        support.kube_schemas.validate(binding, release)
