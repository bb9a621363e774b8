"""kube-apiserver's part: whether a registered webhook receives a request.

Source: k8s.io/apiserver pkg/admission/plugin/webhook: rules, namespaceSelector, objectSelector,
matchConditions. Each part is evaluated separately, to report all results.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from podgraft.base.jsonvalue import Object
from podgraft.base.trace import TraceStep
from podgraft.cli.failure import CommandError
from podgraft.cli.live.registrations import Webhook
from podgraft.core.policy import Cursor, Diagnostics, MappingReader
from podgraft.kube.admission import AdmissionRequest
from podgraft.kube.matching import constraints

from .decision_trace import Stage, Verdict

if TYPE_CHECKING:
    from podgraft.kube.cel import Budget
    from podgraft.kube.matching.conditions import Condition

_SELECTORS = ("rules", "namespaceSelector", "objectSelector")


def evaluate(
    webhook: Webhook, request: AdmissionRequest, namespaces: Mapping[str, Object]
) -> Stage:
    """Return the steps of one webhook; raises ``CommandError``.

    kube-apiserver sends the request if the stage has no verdict. The first step is that of the
    rules.
    """
    selectors = [_selector_step(webhook, key, request, namespaces) for key in _SELECTORS]
    conditions = [*_condition_steps(webhook, request)]
    # A false condition decides before one that fails (webhook/matchconditions/matcher.go).
    ordered = (*selectors, *sorted(conditions, key=lambda step: step.observed != "false"))
    deciding = next((step for step in ordered if step.outcome != "passes"), None)
    verdicts = {"stops": Verdict.SKIPPED, "denies": Verdict.DENIED}
    return Stage(
        name=f"kube-apiserver, webhook {webhook.name}",
        steps=tuple(_mark_steps((*selectors, *conditions), deciding)),
        verdict=verdicts[deciding.outcome] if deciding else None,
    )


def _mark_steps(steps: Iterable[TraceStep], deciding: TraceStep | None) -> Iterator[TraceStep]:
    """Mark the deciding step, and the steps after it as not reached."""
    reached = True
    for step in steps:
        yield replace(step, is_deciding=step is deciding, reached=reached)
        reached = reached and step is not deciding


def _selector_step(
    webhook: Webhook, key: str, request: AdmissionRequest, namespaces: Mapping[str, Object]
) -> TraceStep:
    mismatch = _find_mismatch(webhook, key, request, namespaces)
    if mismatch is not None:
        reason = f"the webhook's {key} does not match, so kube-apiserver does not call podgraft"
        return TraceStep(key, f"does not match: {mismatch}", "stops", reason=reason)
    is_set = webhook.manifest.get(key)
    return TraceStep(key, "matches" if is_set else "not set, so it matches every object", "passes")


def _find_mismatch(
    webhook: Webhook, key: str, request: AdmissionRequest, namespaces: Mapping[str, Object]
) -> str | None:
    """Return why one part of the registration does not match; ``None`` if it matches."""
    manifest = webhook.manifest
    condition = manifest.get(key)
    if not condition:
        return "the webhook has no rules" if key == "rules" else None
    form: Object = {"resourceRules" if key == "rules" else key: condition}
    if "matchPolicy" in manifest:
        form["matchPolicy"] = manifest["matchPolicy"]
    notes = Diagnostics()
    read = constraints.parse_constraints(Cursor(form, f"/webhooks/{webhook.name}", notes))
    if notes.errors or read is None:
        raise CommandError(*(f"--webhook-config {fault}" for fault in notes.errors))
    mismatch = read.mismatch(request, namespaces)
    return None if mismatch is None else constraints.Mismatch(key, mismatch.observed).describe()


def _condition_steps(webhook: Webhook, request: AdmissionRequest) -> Iterator[TraceStep]:
    """A step for each match condition; CEL is loaded only where there are any."""
    match_conditions = webhook.manifest.get("matchConditions")
    if not isinstance(match_conditions, list) or not match_conditions:
        yield TraceStep("matchConditions", "not set", "passes")
        return
    from podgraft.kube.cel import CONDITIONS_BUDGET, Budget
    from podgraft.kube.matching import conditions

    notes = Diagnostics()
    keys = MappingReader(Cursor(webhook.manifest, f"/webhooks/{webhook.name}", notes))
    read = conditions.read_conditions(keys, conditions.ExpressionCompiler(params=False))
    if notes.errors:
        raise CommandError(*(f"--webhook-config {fault}" for fault in notes.errors))
    budget = Budget(CONDITIONS_BUDGET)
    # kube-apiserver gives match conditions no Namespace.
    values = {**conditions.condition_variables(request, {}, None), "namespaceObject": None}
    yield from (_condition_step(webhook, condition, values, budget) for condition in read)


def _condition_step(
    webhook: Webhook, condition: "Condition", values: Mapping[str, object], budget: "Budget"
) -> TraceStep:
    from podgraft.kube.cel import CostExceededError, EvaluationError, ReviewLimitError

    name = f"matchConditions: {condition.name}"
    try:
        holds = budget.evaluate(condition.program, values) is True
    except (EvaluationError, CostExceededError, ReviewLimitError) as error:
        if webhook.ignores_failure:
            reason = "the match condition fails, and failurePolicy Ignore skips the webhook"
            return TraceStep(name, str(error), "stops", reason=reason)
        reason = "the match condition fails, and failurePolicy Fail rejects the request"
        return TraceStep(name, str(error), "denies", reason=reason)
    if holds:
        return TraceStep(name, "true", "passes")
    reason = "the match condition is false, so kube-apiserver does not call podgraft"
    return TraceStep(name, "false", "stops", reason=reason)
