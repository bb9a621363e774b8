"""The review: a context and a store in, a result out.

Only this module connects store, policy, injectors, patch, and admission response. A result is
either a response (allowed, patched, or denied) or a failure that the user did not cause. A failure
has no response, so the webhook's failurePolicy decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from http import HTTPStatus
from typing import TypeAlias

from msgspec.structs import replace

from podgraft import kube
from podgraft.base.jsonvalue import Object, object_at
from podgraft.base.trace import Effect, Trace
from podgraft.core import policy
from podgraft.core.bundle import Bundle, Mutation, PolicyMutator, apply_mutators, privilege_check
from podgraft.core.injectors import object_check
from podgraft.core.injectors.errors import (
    OperatorError,
    PolicyDenialError,
    UndecodableError,
    UserError,
    redact,
)
from podgraft.core.policy import Decision, Verdict
from podgraft.core.policy.rollout import ANNOTATION
from podgraft.core.review_context import ReviewContext
from podgraft.core.versions.errors import StoreError
from podgraft.core.versions.snapshot import Snapshot, Store
from podgraft.kube import admission, workload_owner
from podgraft.kube.admission import AdmissionRequest, Status

from .results import (
    Review,
    ReviewFailure,
    ReviewOutcome,
    ReviewReason,
    ReviewResponse,
    ReviewResult,
)

Handler: TypeAlias = Callable[[Review, Bundle], ReviewResponse]


def _run_review(handler: Handler, context: ReviewContext, store: Store) -> ReviewResult:
    """The result with the current version, or with an earlier one if the store rejects that.

    A cold start parses only what a review needs. If a review fails, the store therefore checks the
    version completely, once. Each iteration of the loop rejects one version.
    """
    result, snapshot = _review_snapshot(context, store, handler)
    while (
        isinstance(result, ReviewFailure) and snapshot and snapshot.recheck and snapshot.recheck()
    ):
        earlier_result, earlier = _review_snapshot(context, store, handler)
        if earlier is None or earlier.policy_version == snapshot.policy_version:
            return result
        result, snapshot = earlier_result, earlier
    return result


def _review_snapshot(
    context: ReviewContext, store: Store, handler: Handler
) -> tuple[ReviewResult, Snapshot | None]:
    """The result with the current snapshot, and that snapshot."""
    request = context.request
    if request is None:
        raise ValueError("a review needs an admission request")
    owner = _object_name(request)
    try:
        snapshot = store.snapshot(
            context.injector, context.cluster, context.deadline, context.groups
        )
    except StoreError as error:
        staleness = filter(None, (context.staleness,))
        review = Review(context=context, request=request, owner=owner, staleness=(*staleness,))
        return _fail(review, error, ReviewReason.STORE), None
    if context.groups != snapshot.groups:
        context = replace(context, groups=snapshot.groups)
    review = Review(
        context=context,
        request=request,
        owner=owner,
        staleness=tuple(filter(None, (context.staleness, snapshot.stale))),
        policy_version=snapshot.policy_version,
        bundle=snapshot.bundle.digest,
    )
    return run_tracks(review, snapshot, handler), snapshot


def run_tracks(review: Review, snapshot: Snapshot, handler: Handler) -> ReviewResult:
    """The result of stable, and of a candidate if the policy has one."""
    if snapshot.candidate is None:
        return run_handler(handler, review, snapshot.bundle)
    from .candidate import review_tracks  # only a policy with a rollout needs it

    return review_tracks(review, snapshot, partial(run_handler, handler))


def run_handler(handler: Handler, review: Review, bundle: Bundle) -> ReviewResult:
    """The result of a handler; its errors are a denial or a failure."""
    try:
        return handler(review, bundle)
    except UserError as error:
        _record_error(review.context.trace, error)
        return _deny(review, redact(error), ReviewReason.USER)
    except PolicyDenialError as error:
        _record_error(review.context.trace, error)
        return _deny(review, str(error), ReviewReason.POLICIES, HTTPStatus(error.code))
    except OperatorError as error:
        _record_error(review.context.trace, error)
        return _fail(review, error, ReviewReason.OPERATOR)


def _fail(review: Review, error: OperatorError | StoreError, reason: str) -> ReviewFailure:
    return ReviewFailure(error, review.make_record(ReviewOutcome.FAIL, reason))


def _record_error(trace: Trace | None, error: Exception) -> None:
    if trace is not None:
        trace.error = str(error)


def _review_inject(review: Review, bundle: Bundle) -> ReviewResponse:
    decision = policy.decide_applicability(review.request)
    if decision is None:
        pod = object_check.check_pod(review.request.object)
        owner = workload_owner.workload_of_pod(object_at(pod, "metadata"))
        review = replace(review, owner=f"{owner.kind}/{owner.name}")
        decision = policy.decide(bundle.rules, pod, review.context.namespace)
        if decision.injects:
            return _inject_pod(review, bundle, pod, decision)
    _record_decision(review.context.trace, decision)
    reasons = ",".join(decision.reasons)
    return _respond(review, ReviewOutcome.SKIP, reasons, decision.warnings)


def _inject_pod(review: Review, bundle: Bundle, pod: Object, decision: Decision) -> ReviewResponse:
    _record_decision(review.context.trace, decision)
    context = bundle.parse_environment(review.context)
    mutation = apply_mutators(bundle.pod_mutators, pod, context)
    mutation = replace(mutation, warnings=(*decision.warnings, *mutation.warnings))
    if not mutation.is_changed:
        return _respond(review, ReviewOutcome.SKIP, ReviewReason.NOTHING_MATCHES, mutation.warnings)
    if review.annotation:
        mutation = _annotate(mutation, review.annotation)
    try:
        kube.check_patched(kube.POD, pod, mutation.object)
    except kube.DecodeError as error:
        # kube-apiserver fails such a request, and failurePolicy Ignore does not apply.
        raise UndecodableError(f"the injected pod does not decode: {error}") from error
    if bundle.allows is not None:
        privilege_check.check_privileges(bundle, pod, mutation.object, review.context.trace)
    reasons = ",".join(decision.reasons)
    return _respond(review, ReviewOutcome.INJECT, reasons, mutation.warnings, mutation)


def _annotate(mutation: Mutation, value: str) -> Mutation:
    """Return the mutation that also adds the annotation of the rollout."""
    metadata = object_at(mutation.object, "metadata")
    annotations: Object = {**object_at(metadata, "annotations"), ANNOTATION: value}
    after: Object = {**mutation.object, "metadata": {**metadata, "annotations": annotations}}
    return replace(mutation, object=after)


_EFFECTS: Mapping[Verdict, Effect] = {
    Verdict.INJECT: "injects",
    Verdict.SKIP: "stops",
    Verdict.UNDECIDED: "passes",
}


def _record_decision(trace: Trace | None, decision: Decision) -> None:
    """Record the steps of a decision, including those after the deciding one."""
    if trace is None:
        return
    for step in decision.steps:
        reason = "" if step.reason is None else policy.SENTENCES[step.reason]
        is_deciding = step is decision.deciding_step
        trace.add(step.name, step.observed, _EFFECTS[step.verdict], reason, is_deciding)


def _review_mutate(review: Review, bundle: Bundle) -> ReviewResponse:
    warning = policy.warn_of_subresource(review.request)
    if warning:
        return _respond(review, ReviewOutcome.SKIP, policy.Reason.SUBRESOURCE, [warning])
    if review.request.object is None or not bundle.object_mutators:
        return _respond(review, ReviewOutcome.SKIP, ReviewReason.NOTHING_MATCHES)
    before = object_check.check_object(review.request)
    mutation = apply_mutators(bundle.object_mutators, before, review.context)
    if not mutation.is_changed:
        return _respond(review, ReviewOutcome.SKIP, ReviewReason.NOTHING_MATCHES, mutation.warnings)
    if bundle.allows is not None:
        privilege_check.check_privileges(bundle, before, mutation.object, review.context.trace)
    only_policies = all(isinstance(each, PolicyMutator) for each in bundle.object_mutators)
    reason = ReviewReason.POLICIES if only_policies else ReviewReason.OVERLAYS
    return _respond(review, ReviewOutcome.MUTATE, reason, mutation.warnings, mutation)


def _review_validate(review: Review, bundle: Bundle) -> ReviewResponse:
    trace = review.context.trace
    results = [validator(review.request, trace) for validator in bundle.validators]
    denials = [denial for result in results for denial in result.denials]
    warnings = [warning for result in results for warning in result.warnings]
    outcome = ReviewOutcome.DENY if denials else ReviewOutcome.ALLOW
    audit = {key: text for result in results for key, text in result.audit.items()}
    message = "; ".join(denial.message for denial in denials)
    denial = admission.errored(denials[0].code, message) if denials else None
    review = replace(review, audit=audit)
    return _respond(review, outcome, ReviewReason.RULES, warnings, denial=denial)


def inject(context: ReviewContext, store: Store) -> ReviewResult:
    """Add sidecars to a pod, if the policy and the pod require them."""
    return _run_review(_review_inject, context, store)


def mutate(context: ReviewContext, store: Store) -> ReviewResult:
    """Apply overlays to an object of any kind."""
    return _run_review(_review_mutate, context, store)


def validate(context: ReviewContext, store: Store) -> ReviewResult:
    """Evaluate rules for an object of any kind."""
    return _run_review(_review_validate, context, store)


# By the route of a request.
REVIEWS: Mapping[str, Callable[[ReviewContext, Store], ReviewResult]] = {
    "inject": inject,
    "mutate": mutate,
    "validate": validate,
}


def _deny(
    review: Review, message: str, reason: str, code: HTTPStatus = HTTPStatus.FORBIDDEN
) -> ReviewResponse:
    return _respond(review, ReviewOutcome.DENY, reason, denial=admission.errored(code, message))


def _respond(
    review: Review,
    outcome: ReviewOutcome,
    reason: str,
    warnings: Iterable[str] = (),
    mutation: Mutation | None = None,
    *,
    denial: Status | None = None,
) -> ReviewResponse:
    """The response of a review, with its audit annotations and its record.

    Raises ``UserError`` for a patch that no response can contain.
    """
    response = admission.respond(
        review.request,
        mutation.patch if mutation is not None else (),
        denial=denial,
        warnings=review.warnings(*warnings),
        audit=review.audit_annotations(outcome, reason),
    )
    if len(response.patch) > admission.MAX_PATCH_BYTES:
        raise UserError(
            f"the patch of the object would have {len(response.patch)} bytes, and at most "
            f"{admission.MAX_PATCH_BYTES} are possible; shorten the object"
        )
    record = review.make_record(outcome, reason, len(response.patch))
    return ReviewResponse(response, record, None if mutation is None else mutation.object)


def _object_name(request: AdmissionRequest) -> str:
    """Kind and name of the object, such as ``Deployment/web``; names are not secret."""
    value = request.object if request.object is not None else request.old_object
    metadata = object_at(value, "metadata") if isinstance(value, dict) else {}
    name = request.name or metadata.get("name") or metadata.get("generateName") or ""
    return f"{request.kind.kind or 'Pod'}/{name}"
