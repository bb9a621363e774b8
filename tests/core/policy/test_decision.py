"""Every row of the promise: policy, never, always, mark → injected; then the safety rules."""

from dataclasses import dataclass
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from podgraft.base.jsonvalue import Object
from podgraft.core import policy
from podgraft.core.policy import InjectionRules, InjectValueSyntax, Reason, StepName, Verdict
from podgraft.core.policy.decision import describe
from podgraft.kube import selectors

MATCH, NO = True, False
MATCHING = selectors.compile_({"matchLabels": {"app": "web"}})
OTHER = selectors.compile_({"matchLabels": {"app": "other"}})
EMPTY = selectors.compile_({})


@dataclass(frozen=True, slots=True)
class Row:
    policy: str
    never: bool
    always: bool
    mark: str | None
    injected: bool

    def __str__(self) -> str:
        return f"{self.policy}-never:{self.never}-always:{self.always}-mark:{self.mark}"


FOUR = tuple(product((MATCH, NO), repeat=2))
ROWS = (
    *(Row("enabled", never, always, "true", True) for never, always in FOUR),
    *(Row("enabled", never, always, "false", False) for never, always in FOUR),
    Row("enabled", MATCH, MATCH, None, False),
    Row("enabled", MATCH, NO, None, False),
    Row("enabled", NO, MATCH, None, True),
    Row("enabled", NO, NO, None, True),
    *(Row("disabled", never, always, "true", True) for never, always in FOUR),
    *(Row("disabled", never, always, "false", False) for never, always in FOUR),
    Row("disabled", MATCH, MATCH, None, False),
    Row("disabled", MATCH, NO, None, False),
    Row("disabled", NO, MATCH, None, True),
    Row("disabled", NO, NO, None, False),
    # Any other policy injects nothing, whatever the pod asks for.
    *(Row("", never, always, mark, False) for never, always in FOUR for mark in ("true", None)),
    *(Row("Enabled", never, always, "true", False) for never, always in FOUR),
)


def pod(label: str | None = None, annotation: str | None = None) -> Object:
    labels: Object = {"app": "web"}
    annotations: Object = {}
    if label is not None:
        labels[policy.INJECT_KEY] = label
    if annotation is not None:
        annotations[policy.INJECT_KEY] = annotation
    metadata: Object = {"namespace": "shop", "labels": labels, "annotations": annotations}
    return {"metadata": metadata, "spec": {"containers": []}}


def rules_of(row: Row) -> InjectionRules:
    return InjectionRules(
        policy=row.policy,
        never=(MATCHING if row.never else OTHER,),
        always=(MATCHING if row.always else OTHER,),
    )


@pytest.mark.parametrize("values", InjectValueSyntax)
@pytest.mark.parametrize("place", ["label", "annotation"])
@pytest.mark.parametrize("row", ROWS, ids=str)
def test_policy_selectors_and_mark_decide_as_promised(
    row: Row, place: str, values: InjectValueSyntax
) -> None:
    marked = pod(label=row.mark) if place == "label" else pod(annotation=row.mark)
    decision = policy.decide(replace(rules_of(row), inject_values=values), marked, "")
    assert decision.injects is row.injected


# What a mark's text means: yaml, strict. None leaves it to selectors and policy.
TEXTS = (
    ("true", True, True),
    ("false", False, False),
    ("", None, None),
    ("y", True, None),
    ("yes", True, None),
    ("on", True, None),
    ("Y", True, None),
    ("YES", True, None),
    ("True", True, None),
    ("TRUE", True, None),
    ("On", True, None),
    ("n", False, None),
    ("no", False, None),
    ("off", False, None),
    ("False", False, None),
    ("FALSE", False, None),
    ("1", False, None),
    ("0", False, None),
    ("enabled", False, None),
    (" true", False, None),
    ("true ", False, None),
    ("ｙ", False, None),  # a full-width letter is another letter
)
ENABLED, DISABLED = InjectionRules(policy="enabled"), InjectionRules(policy="disabled")


@pytest.mark.parametrize("place", ["label", "annotation"])
@pytest.mark.parametrize(("text", "yaml", "strict"), TEXTS)
def test_the_text_of_a_mark(text: str, yaml: bool | None, strict: bool | None, place: str) -> None:
    marked = pod(label=text) if place == "label" else pod(annotation=text)
    for values, meaning in ((InjectValueSyntax.YAML, yaml), (InjectValueSyntax.STRICT, strict)):
        injected = [
            policy.decide(replace(rules, inject_values=values), marked, "").injects
            for rules in (ENABLED, DISABLED)
        ]
        assert injected == ([True, False] if meaning is None else [meaning, meaning])


@pytest.mark.parametrize(("text", "strict"), [(text, strict) for text, _, strict in TEXTS])
def test_a_strange_mark_warns_if_values_are_strict(text: str, strict: bool | None) -> None:
    assert policy.decide(ENABLED, pod(label=text), "").warnings == ()
    strictly = policy.decide(
        replace(ENABLED, inject_values=InjectValueSyntax.STRICT), pod(text), ""
    )
    wanted = f'label sidecar.istio.io/inject: {text!r} has no effect; use "true" or "false"'
    assert strictly.warnings == ((wanted,) if strict is None and text else ())


@dataclass(frozen=True, slots=True)
class LabelPrecedenceCase:
    label: str | None
    annotation: str | None
    injected: bool


# Policy enabled; the label wins wherever there is one, even an empty one.
PRECEDENCE = (
    LabelPrecedenceCase("true", "false", True),
    LabelPrecedenceCase("false", "true", False),
    LabelPrecedenceCase("", "false", True),
    LabelPrecedenceCase(None, "false", False),
    LabelPrecedenceCase(None, "", True),
    LabelPrecedenceCase("false", None, False),
)


@pytest.mark.parametrize("case", PRECEDENCE, ids=str)
def test_the_label_hides_the_annotation(case: LabelPrecedenceCase) -> None:
    decision = policy.decide(ENABLED, pod(case.label, case.annotation), "")
    assert decision.injects is case.injected


def test_releases_before_1_12_look_at_the_annotation_alone() -> None:
    old = replace(ENABLED, honors_label=False)
    assert policy.decide(old, pod(label="false"), "").injects
    assert not policy.decide(old, pod(label="true", annotation="false"), "").injects


def host_network_pod(of: Object, value: bool = True) -> Object:
    return {**of, "spec": {"hostNetwork": value}}


def namespaced_pod(of: Object, namespace: str | None) -> Object:
    return {**of, "metadata": {"labels": {policy.INJECT_KEY: "true"}, "namespace": namespace}}


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_nothing_overrides_the_host_network(row: Row) -> None:
    decision = policy.decide(rules_of(row), host_network_pod(pod(row.mark)), "")
    assert not decision.injects
    assert decision.deciding_step.reason is Reason.HOST_NETWORK


def test_host_network_false_is_no_host_network() -> None:
    assert policy.decide(ENABLED, host_network_pod(pod(), value=False), "").injects


# The pod's own namespace counts, else the request's.
NAMESPACES = (
    ("kube-system", "shop", False),
    ("kube-public", "shop", False),
    ("kube-node-lease", "shop", False),
    ("local-path-storage", "shop", False),
    ("shop", "kube-system", True),
    (None, "kube-system", False),
    ("", "kube-system", False),
    (None, "shop", True),
    ("istio-system", "shop", True),
)


@pytest.mark.parametrize(("own", "requests", "injected"), NAMESPACES)
def test_ignored_namespaces_are_never_injected(
    own: str | None, requests: str, injected: bool
) -> None:
    decision = policy.decide(ENABLED, namespaced_pod(pod(), own), requests)
    assert decision.injects is injected


def test_ignored_namespaces_are_those_of_the_rules() -> None:
    rules = replace(ENABLED, ignored_namespaces=frozenset({"shop"}))
    assert not policy.decide(rules, pod("true"), "").injects
    assert policy.decide(rules, namespaced_pod(pod(), "kube-system"), "").injects


def test_an_empty_selector_matches_nothing() -> None:
    assert policy.decide(replace(ENABLED, never=(EMPTY,)), pod(), "").injects
    assert not policy.decide(replace(DISABLED, always=(EMPTY,)), pod(), "").injects


def test_selectors_are_ored_and_the_first_match_is_named() -> None:
    decision = policy.decide(replace(ENABLED, never=(OTHER, EMPTY, MATCHING)), pod(), "")
    assert not decision.injects
    assert decision.deciding_step.observed == "number 3 of 3 matches"


@dataclass(frozen=True, slots=True)
class ReasonCase:
    name: str
    rules: InjectionRules
    pod: Object
    reasons: tuple[Reason, ...]


NEVER = replace(DISABLED, never=(MATCHING,))
BECAUSE = (
    ReasonCase("policy alone", ENABLED, pod(), (Reason.POLICY_ENABLED,)),
    ReasonCase(
        "mark and policy", ENABLED, pod("true"), (Reason.INJECT_TRUE, Reason.POLICY_ENABLED)
    ),
    ReasonCase("mark against policy", DISABLED, pod("true"), (Reason.INJECT_TRUE,)),
    ReasonCase(
        "a selector and policy",
        replace(ENABLED, always=(MATCHING,)),
        pod(),
        (Reason.ALWAYS_SELECTOR, Reason.POLICY_ENABLED),
    ),
    ReasonCase(
        "everything against it",
        NEVER,
        host_network_pod(pod("false")),
        (
            Reason.HOST_NETWORK,
            Reason.INJECT_FALSE,
            Reason.NEVER_SELECTOR,
            Reason.POLICY_DISABLED,
        ),
    ),
    # Without the host network, the mark would inject: what is behind it is no reason.
    ReasonCase("host network alone", NEVER, host_network_pod(pod("true")), (Reason.HOST_NETWORK,)),
    ReasonCase(
        "an unknown policy beats the mark",
        replace(NEVER, policy="maybe"),
        pod("true"),
        (Reason.POLICY_UNKNOWN,),
    ),
)


def test_an_unknown_policy_warns_and_a_known_one_does_not() -> None:
    told = 'policy: got "ena", which injects no pod; use enabled or disabled'
    for word, warnings in (("ena", (told,)), ("enabled", ()), ("disabled", ())):
        assert policy.decide(replace(NEVER, policy=word), pod("true"), "").warnings == warnings


@pytest.mark.parametrize("case", BECAUSE, ids=lambda case: case.name)
def test_all_reasons_that_hold_are_given_the_deciding_one_first(case: ReasonCase) -> None:
    decision = policy.decide(case.rules, case.pod, "")
    assert decision.reasons == case.reasons
    assert decision.deciding_step.reason is decision.reasons[0]


def test_every_step_is_reported_with_its_observation() -> None:
    decision = policy.decide(NEVER, pod("true"), "")
    assert [(step.name, step.observed, step.verdict) for step in decision.steps] == [
        (StepName.HOST_NETWORK, "false, or not set", Verdict.UNDECIDED),
        (StepName.NAMESPACE, "shop is not in ignoredNamespaces", Verdict.UNDECIDED),
        (StepName.INJECT_SETTING, "label sidecar.istio.io/inject: 'true'", Verdict.INJECT),
        (StepName.NEVER, "number 1 of 1 matches", Verdict.SKIP),
        (StepName.ALWAYS, "none configured", Verdict.UNDECIDED),
        (StepName.POLICY, "disabled", Verdict.SKIP),
    ]
    assert decision.deciding_step is decision.steps[2]


def test_a_decision_reads_as_a_sentence() -> None:
    assert describe(policy.decide(NEVER, pod("false"), "")) == (
        "not injected: the pod declines it by sidecar.istio.io/inject, and a neverInjectSelector"
        " matches the pod's labels, and the policy is disabled"
    )
    assert describe(policy.decide(ENABLED, pod(), "")) == "injected: the policy is enabled"


def test_every_reason_has_its_sentence() -> None:
    assert policy.SENTENCES.keys() == set(Reason)


MARKS = st.none() | st.sampled_from([text for text, _, _ in TEXTS]) | st.text(max_size=5)
SELECTORS = st.lists(st.sampled_from([MATCHING, OTHER, EMPTY]), max_size=3).map(tuple)


@given(
    rules=st.builds(
        InjectionRules,
        policy=st.sampled_from(["enabled", "disabled", ""]),
        never=SELECTORS,
        always=SELECTORS,
        inject_values=st.sampled_from(InjectValueSyntax),
        honors_label=st.booleans(),
    ),
    label=MARKS,
    annotation=MARKS,
    host=st.booleans(),
    namespace=st.sampled_from(["shop", "kube-system", ""]),
)
def test_the_decision_follows_from_its_steps(
    rules: InjectionRules, label: str | None, annotation: str | None, host: bool, namespace: str
) -> None:
    """A decision is what its deciding step says, and all its reasons are steps' reasons."""
    decided = policy.decide(rules, host_network_pod(pod(label, annotation), host), namespace)
    wanted = Verdict.INJECT if decided.injects else Verdict.SKIP
    assert decided.deciding_step in decided.steps
    assert decided.deciding_step.verdict is wanted
    agreeing = {step.reason for step in decided.steps if step.verdict is wanted}
    assert set(decided.reasons) <= agreeing
