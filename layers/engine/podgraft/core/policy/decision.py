"""The decision whether a pod receives sidecars, with all reasons.

Istio's order (pkg/kube/inject/inject.go, injectRequired): host network, namespace, inject value,
neverInjectSelector, alwaysInjectSelector, policy. All steps are looked at, also behind the one
that decides, so that an explanation can show what would come next.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from itertools import takewhile

from msgspec import Struct
from msgspec.structs import replace

from podgraft.base.jsonvalue import JSON, Object, object_at, strings_at
from podgraft.kube.admission import AdmissionRequest, Operation
from podgraft.kube.document_reader import format_value
from podgraft.kube.selectors import Selector

from .rules import (
    INJECT_KEY,
    DefaultPolicy,
    InjectionRules,
    InjectValueSyntax,
    find_inject_setting,
    parse_inject_value,
)


class Reason(StrEnum):
    """A reason; the value is a stable identifier for metrics, audit annotations, and logs."""

    NOT_CREATE = "not-create"
    NOT_PODS = "not-pods"
    SUBRESOURCE = "subresource"
    HOST_NETWORK = "host-network"
    IGNORED_NAMESPACE = "ignored-namespace"
    INJECT_TRUE = "inject-true"
    INJECT_FALSE = "inject-false"
    NEVER_SELECTOR = "never-selector"
    ALWAYS_SELECTOR = "always-selector"
    POLICY_ENABLED = "policy-enabled"
    POLICY_DISABLED = "policy-disabled"
    POLICY_UNKNOWN = "policy-unknown"


SENTENCES: Mapping[Reason, str] = {
    Reason.NOT_CREATE: "only the creation of a pod can add containers",
    Reason.NOT_PODS: "only pods are injected",
    Reason.SUBRESOURCE: "a subresource of a pod is not the pod",
    Reason.HOST_NETWORK: "the pod uses the host's network, which a sidecar would capture",
    Reason.IGNORED_NAMESPACE: "the namespace is one of ignoredNamespaces",
    Reason.INJECT_TRUE: f"the pod asks for it by {INJECT_KEY}",
    Reason.INJECT_FALSE: f"the pod declines it by {INJECT_KEY}",
    Reason.NEVER_SELECTOR: "a neverInjectSelector matches the pod's labels",
    Reason.ALWAYS_SELECTOR: "an alwaysInjectSelector matches the pod's labels",
    Reason.POLICY_ENABLED: "the policy is enabled",
    Reason.POLICY_DISABLED: "the policy is disabled",
    Reason.POLICY_UNKNOWN: "the policy is neither enabled nor disabled",
}


class StepName(StrEnum):
    """The steps, by the names in the configuration."""

    REQUEST = "request"
    HOST_NETWORK = "hostNetwork"
    NAMESPACE = "ignoredNamespaces"
    INJECT_SETTING = "inject label or annotation"
    NEVER = "neverInjectSelector"
    ALWAYS = "alwaysInjectSelector"
    POLICY = "policy"


class Verdict(StrEnum):
    """The result of one step."""

    INJECT = "inject"
    SKIP = "skip"
    UNDECIDED = "undecided"


class Step(Struct, frozen=True):
    """One step: the observed value and the verdict. No other step overrides a ``final`` step."""

    name: StepName
    observed: str
    verdict: Verdict = Verdict.UNDECIDED
    reason: Reason | None = None
    final: bool = False


class Decision(Struct, frozen=True, kw_only=True):
    """The decision about a pod. ``deciding_step`` gives the first of the reasons."""

    reasons: tuple[Reason, ...]
    deciding_step: Step
    steps: tuple[Step, ...]
    warnings: tuple[str, ...] = ()

    @property
    def injects(self) -> bool:
        """Whether the pod receives sidecars. Otherwise, it is not changed."""
        return self.deciding_step.verdict is Verdict.INJECT


def decide(rules: InjectionRules, pod: Object, namespace: str) -> Decision:
    """Decide about a pod; *namespace* of the request applies if the pod has no namespace.

    ``pod`` must decode as a pod: its labels and annotations are strings.
    """
    metadata, spec = object_at(pod, "metadata"), object_at(pod, "spec")
    labels, annotations = strings_at(metadata, "labels"), strings_at(metadata, "annotations")
    inject_step, warnings = _check_inject_setting(rules, labels, annotations)
    decision = conclude(
        (
            _HOST_NETWORK if spec.get("hostNetwork") is True else _NO_HOST_NETWORK,
            _namespace(rules, metadata.get("namespace") or namespace),
            inject_step,
            _match_selectors(
                StepName.NEVER, rules.never, labels, Verdict.SKIP, Reason.NEVER_SELECTOR
            ),
            _match_selectors(
                StepName.ALWAYS, rules.always, labels, Verdict.INJECT, Reason.ALWAYS_SELECTOR
            ),
            _policy(rules.policy),
        ),
        warnings,
    )
    if Reason.POLICY_UNKNOWN not in decision.reasons:
        return decision
    warning = (
        f"policy: got {format_value(rules.policy)}, which injects no pod; use enabled or disabled"
    )
    return replace(decision, warnings=(*decision.warnings, warning))


def conclude(steps: Sequence[Step], warnings: tuple[str, ...] = ()) -> Decision:
    """The decision from the steps.

    The first final step decides, or else the first step that is not undecided. The reasons are its
    reason and those of the following steps with the same verdict.
    """
    verdicts = [step for step in steps if step.verdict is not Verdict.UNDECIDED]
    verdicts.sort(key=lambda step: not step.final)
    deciding = verdicts[0]
    agreeing = takewhile(lambda step: step.verdict is deciding.verdict, verdicts)
    reasons = tuple(step.reason for step in agreeing if step.reason is not None)
    return Decision(reasons=reasons, deciding_step=deciding, steps=tuple(steps), warnings=warnings)


def describe(decision: Decision) -> str:
    """Describe the decision with all reasons: «not injected: …, and …»."""
    outcome = "injected" if decision.injects else "not injected"
    return f"{outcome}: {', and '.join(SENTENCES[reason] for reason in decision.reasons)}"


_NO_HOST_NETWORK = Step(StepName.HOST_NETWORK, "false, or not set")
_HOST_NETWORK = Step(StepName.HOST_NETWORK, "true", Verdict.SKIP, Reason.HOST_NETWORK, final=True)


def _namespace(rules: InjectionRules, namespace: JSON) -> Step:
    if namespace in rules.ignored_namespaces:
        verdict, reason = Verdict.SKIP, Reason.IGNORED_NAMESPACE
        observed = f"{namespace} is in ignoredNamespaces"
        return Step(StepName.NAMESPACE, observed, verdict, reason, final=True)
    return Step(StepName.NAMESPACE, f"{namespace} is not in ignoredNamespaces")


_NO_INJECT_SETTING = Step(StepName.INJECT_SETTING, "the pod has neither")


def _check_inject_setting(
    rules: InjectionRules, labels: Mapping[str, str], annotations: Mapping[str, str]
) -> tuple[Step, tuple[str, ...]]:
    setting = find_inject_setting(rules, labels, annotations)
    if setting is None:
        return _NO_INJECT_SETTING, ()
    observed = str(setting)
    match parse_inject_value(rules.inject_values, setting.text):
        case True:
            return Step(StepName.INJECT_SETTING, observed, Verdict.INJECT, Reason.INJECT_TRUE), ()
        case False:
            return Step(StepName.INJECT_SETTING, observed, Verdict.SKIP, Reason.INJECT_FALSE), ()
        case None:
            is_invalid = setting.text and rules.inject_values is InjectValueSyntax.STRICT
            warning = f'{observed} has no effect; use "true" or "false"'
            return Step(StepName.INJECT_SETTING, observed), (warning,) if is_invalid else ()


def _match_selectors(
    name: StepName,
    selectors: Sequence[Selector],
    labels: Mapping[str, str],
    verdict: Verdict,
    reason: Reason,
) -> Step:
    """The step for the first selector that matches; an empty selector matches nothing."""
    for index, selector in enumerate(selectors):
        if not selector.is_empty and selector.matches(labels):
            return Step(name, f"number {index + 1} of {len(selectors)} matches", verdict, reason)
    return Step(name, f"none of {len(selectors)} matches" if selectors else "none configured")


_POLICIES: Mapping[str, Step] = {
    DefaultPolicy.ENABLED: Step(StepName.POLICY, "enabled", Verdict.INJECT, Reason.POLICY_ENABLED),
    DefaultPolicy.DISABLED: Step(StepName.POLICY, "disabled", Verdict.SKIP, Reason.POLICY_DISABLED),
}


def _policy(policy: str) -> Step:
    return _POLICIES.get(policy) or Step(
        StepName.POLICY, repr(policy), Verdict.SKIP, Reason.POLICY_UNKNOWN, final=True
    )


# Updates of these accept only new resources of containers, and only new ephemeral containers. Any
# other change fails the request, so kubectl could neither resize nor debug the pod.
PROTECTED_SUBRESOURCES = frozenset({"ephemeralcontainers", "resize"})


def decide_applicability(request: AdmissionRequest) -> Decision | None:
    """The decision to skip the object, or ``None`` for the creation of a pod.

    A request without ``resource`` and ``kind`` counts as a request for pods, because test clients,
    including Istio's, send only a pod and its namespace.
    """
    reason = _skip_reason(request)
    if reason is None:
        return None
    observed = _describe_request(request)
    step = Step(StepName.REQUEST, observed, Verdict.SKIP, reason, final=True)
    warning = f"/inject is for CREATE of pods; narrow the webhook registration that sent {observed}"
    return conclude((step,), (warning,))


def warn_of_subresource(request: AdmissionRequest) -> str:
    """The warning for a protected subresource; an empty string for other requests."""
    name, resource = request.sub_resource, request.resource
    if name not in PROTECTED_SUBRESOURCES or (resource.group, resource.resource) != ("", "pods"):
        return ""
    return f"podgraft does not change pods/{name}; remove it from the webhook registration"


def _skip_reason(request: AdmissionRequest) -> Reason | None:
    resource = request.resource
    if (resource.group, resource.resource or "pods") != ("", "pods"):
        return Reason.NOT_PODS
    if request.sub_resource:
        return Reason.SUBRESOURCE
    if request.kind.kind not in {"", "Pod"}:
        return Reason.NOT_PODS
    return None if request.operation is Operation.CREATE else Reason.NOT_CREATE


def _describe_request(request: AdmissionRequest) -> str:
    """«UPDATE of pods/ephemeralcontainers», «CREATE of deployments.apps»."""
    resource = request.resource.resource or request.kind.kind or "pods"
    if request.resource.group:
        resource = f"{resource}.{request.resource.group}"
    if request.sub_resource:
        resource = f"{resource}/{request.sub_resource}"
    return f"{request.operation} of {resource}"
