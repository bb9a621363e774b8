"""The use case: a request of kube-apiserver's and a store in, the answer out, with its facts.

The only module that knows the whole way. An outcome is either an answer (allowed, patched or
denied) or a failure that is not the user's: then nothing is answered, so that the webhook's
failurePolicy decides and not we.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from podgraft import admission, kube, patch, policy
from podgraft.admission import AdmissionRequest, AdmissionResponse
from podgraft.bundle import Bundle, Mutation, MutationContext, Mutator
from podgraft.injectors import OperatorError, UserError, object_check, redact
from podgraft.jsonvalue import JSON, Object
from podgraft.kube import workload_owner
from podgraft.lazy_dataclass import dataclass
from podgraft.lru import LRUCache
from podgraft.policy import Decision, Skip, Verdict
from podgraft.store import Deadline, Snapshot, Staleness, Store, StoreError

if TYPE_CHECKING:
    from podgraft.trace import Effect, Trace


class ReviewOutcome(StrEnum):
    """What came of a review, as metrics, audit annotations and logs call it."""

    INJECT = "inject"
    SKIP = "skip"
    MUTATE = "mutate"
    ALLOW = "allow"
    DENY = "deny"
    FAIL = "fail"


class ReviewReason(StrEnum):
    """Reasons beside those of ``policy.Reason``."""

    OVERLAYS = "overlays"
    NOTHING_MATCHES = "nothing-matches"
    RULES = "rules"
    USER = "user"
    OPERATOR = "operator"
    STORE = "store"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewContext:
    """Who asks for what: injector and cluster, and the URL's path behind ``/inject/``.

    ``stale`` is why what is known of the caller may be older than what is stored.
    """

    injector: str
    cluster: str | None = None
    url_path: str = ""
    deadline: Deadline | None = None
    stale: Staleness | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRecord:
    """What is worth a line in the log: names and words, never a value from the object."""

    uid: str
    injector: str
    cluster: str
    namespace: str
    owner: str
    decision: str = ""
    reason: str = ""
    policy_version: str = ""
    bundle: str = ""
    patch_bytes: int = 0
    stale: str = ""
    refused: bool = False
    age_seconds: int = 0


@dataclass(frozen=True, slots=True)
class ReviewResponse:
    """A review that kube-apiserver gets an answer to."""

    response: AdmissionResponse
    facts: ReviewRecord


@dataclass(frozen=True, slots=True)
class ReviewFailure:
    """A review that failed by the operator's fault or the world's."""

    error: OperatorError | StoreError
    facts: ReviewRecord


ReviewResult: TypeAlias = ReviewResponse | ReviewFailure


def inject(
    request: AdmissionRequest, store: Store, caller: ReviewContext, trace: Trace | None = None
) -> ReviewResult:
    """Sidecars for a pod, where policy and pod want them; ``trace`` records the steps."""
    return _run_review(request, store, caller, _review_inject, trace)


def mutate(
    request: AdmissionRequest, store: Store, caller: ReviewContext, trace: Trace | None = None
) -> ReviewResult:
    """Overlays on an object of any kind; ``trace`` records the steps."""
    return _run_review(request, store, caller, _review_mutate, trace)


def validate(
    request: AdmissionRequest, store: Store, caller: ReviewContext, trace: Trace | None = None
) -> ReviewResult:
    """Rules for an object of any kind; ``trace`` records the steps."""
    return _run_review(request, store, caller, _review_validate, trace)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Review:
    """One review, who asks for it, and from which versions it is answered, where they load."""

    request: AdmissionRequest
    caller: ReviewContext
    owner: str
    stale: tuple[Staleness, ...]
    policy_version: str = ""
    bundle: str = ""
    trace: Trace | None = None

    @property
    def mutation_context(self) -> MutationContext:
        """What injections know beside the object."""
        namespace, path = self.request.namespace, self.caller.url_path
        return MutationContext(
            namespace=namespace, path=path, request=self.request, trace=self.trace
        )

    def make_record(
        self, decision: ReviewOutcome, reason: str, patch_bytes: int = 0
    ) -> ReviewRecord:
        """What came of the review, for the log."""
        return ReviewRecord(
            uid=self.request.uid,
            injector=self.caller.injector,
            cluster=self.caller.cluster or "",
            namespace=self.request.namespace,
            owner=self.owner,
            decision=decision,
            reason=reason,
            policy_version=self.policy_version,
            bundle=self.bundle,
            patch_bytes=patch_bytes,
            stale=self.staleness,
            refused=any(each.is_invalid for each in self.stale),
            age_seconds=max((each.age_seconds for each in self.stale), default=0),
        )

    def audit_annotations(self, decision: ReviewOutcome, reason: str) -> Mapping[str, str]:
        """The audit annotations, which say the same."""
        annotations = {
            "decision": decision,
            "reason": reason,
            "policy-version": self.policy_version,
            "bundle": self.bundle,
        }
        return {**annotations, "stale": self.staleness} if self.stale else annotations

    @property
    def staleness(self) -> str:
        """Why the policy or the callers may be older than what is stored; empty if they are not."""
        return "; ".join(each.reason for each in self.stale)

    def warnings(self, *more: str) -> Iterable[str]:
        for stale in self.stale:
            yield f"podgraft used an older configuration: {stale.reason}"
        yield from more


_Answer: TypeAlias = Callable[[_Review, Bundle], ReviewResponse]


def _run_review(
    request: AdmissionRequest,
    store: Store,
    caller: ReviewContext,
    handler: _Answer,
    trace: Trace | None,
) -> ReviewResult:
    """The outcome by the version in force, or by the one before, if that one is found invalid.

    A cold start does not parse what it may never need. If a review fails, the store therefore
    checks the version completely, once. Each turn of the loop refuses one version.
    """
    outcome, snapshot = _reviewed(request, store, caller, handler, trace)
    while (
        isinstance(outcome, ReviewFailure) and snapshot and snapshot.recheck and snapshot.recheck()
    ):
        again, earlier = _reviewed(request, store, caller, handler, trace)
        if earlier is None or earlier.policy_version == snapshot.policy_version:
            return outcome
        outcome, snapshot = again, earlier
    return outcome


def _reviewed(
    request: AdmissionRequest,
    store: Store,
    caller: ReviewContext,
    answer: _Answer,
    trace: Trace | None,
) -> tuple[ReviewResult, Snapshot | None]:
    """The outcome by the snapshot in force, and that snapshot."""
    owner = _object_name(request)
    try:
        snapshot = store.snapshot(caller.injector, caller.cluster, caller.deadline)
    except StoreError as error:
        case = _Review(request=request, caller=caller, owner=owner, stale=_drop_none(caller.stale))
        return ReviewFailure(error, case.make_record(ReviewOutcome.FAIL, ReviewReason.STORE)), None
    case = _Review(
        request=request,
        caller=caller,
        owner=owner,
        stale=_drop_none(caller.stale, snapshot.stale),
        policy_version=snapshot.policy_version,
        bundle=snapshot.bundle.digest,
        trace=trace,
    )
    try:
        return answer(case, snapshot.bundle), snapshot
    except UserError as error:
        if trace is not None:
            trace.error = str(error)
        return _respond_denied(case, redact(error), ReviewReason.USER), snapshot
    except OperatorError as error:
        if trace is not None:
            trace.error = str(error)
        return ReviewFailure(
            error, case.make_record(ReviewOutcome.FAIL, ReviewReason.OPERATOR)
        ), snapshot


def _drop_none(*stale: Staleness | None) -> tuple[Staleness, ...]:
    return tuple(each for each in stale if each is not None)


def _review_inject(case: _Review, bundle: Bundle) -> ReviewResponse:
    decision = policy.decide_applicability(case.request)
    if decision is None:
        pod = object_check.check_pod(case.request.object)
        case = replace(case, owner=_workload_name(pod))
        decision = policy.decide(bundle.rules, pod, case.request.namespace)
        if not isinstance(decision, Skip):
            return _inject_pod(case, bundle, pod, decision)
    if case.trace is not None:
        _add_decision(case.trace, decision)
    reasons = ",".join(decision.reasons)
    return _respond_allowed(case, ReviewOutcome.SKIP, reasons, decision.warnings)


def _inject_pod(case: _Review, bundle: Bundle, pod: Object, decision: Decision) -> ReviewResponse:
    if case.trace is not None:
        _add_decision(case.trace, decision)
    grafted = _apply_mutators(bundle.pod_mutators, pod, case.mutation_context)
    warnings = (*decision.warnings, *grafted.warnings)
    if grafted.object is pod:
        return _respond_allowed(case, ReviewOutcome.SKIP, ReviewReason.NOTHING_MATCHES, warnings)
    answered = _respond_patched(
        case, ReviewOutcome.INJECT, ",".join(decision.reasons), grafted, warnings
    )
    _check_patched_pod(pod, grafted.object, answered.response.patch)
    return answered


_EFFECTS: Mapping[Verdict, Effect] = {
    Verdict.INJECT: "injects",
    Verdict.SKIP: "stops",
    Verdict.UNDECIDED: "passes",
}


def _add_decision(trace: Trace, decision: Decision) -> None:
    """Record the steps of a decision, those after the deciding one as well."""
    for step in decision.steps:
        reason = "" if step.reason is None else policy.SENTENCES[step.reason]
        trace.add(
            step.name, step.observed, _EFFECTS[step.verdict], reason, step is decision.deciding_step
        )


def _review_mutate(case: _Review, bundle: Bundle) -> ReviewResponse:
    if case.request.object is None or not bundle.object_mutators:
        return _respond_allowed(case, ReviewOutcome.SKIP, ReviewReason.NOTHING_MATCHES)
    before = object_check.check_object(case.request)
    grafted = _apply_mutators(bundle.object_mutators, before, case.mutation_context)
    if grafted.object is before:
        return _respond_allowed(
            case, ReviewOutcome.SKIP, ReviewReason.NOTHING_MATCHES, grafted.warnings
        )
    return _respond_patched(
        case, ReviewOutcome.MUTATE, ReviewReason.OVERLAYS, grafted, grafted.warnings
    )


def _review_validate(case: _Review, bundle: Bundle) -> ReviewResponse:
    judgements = [judge(case.request, case.trace) for judge in bundle.validators]
    denials = [denial for judgement in judgements for denial in judgement.denials]
    warnings = [warning for judgement in judgements for warning in judgement.warnings]
    word = ReviewOutcome.DENY if denials else ReviewOutcome.ALLOW
    facts, audit = (
        case.make_record(word, ReviewReason.RULES),
        case.audit_annotations(word, ReviewReason.RULES),
    )
    for judgement in judgements:
        audit = {**judgement.audit, **audit}
    told = tuple(case.warnings(*warnings))
    if not denials:
        return ReviewResponse(admission.allowed(case.request, warnings=told, audit=audit), facts)
    message = "; ".join(denial.message for denial in denials)
    code = denials[0].code
    response = admission.denied(case.request, message, code=code, warnings=told, audit=audit)
    return ReviewResponse(response, facts)


def _apply_mutators(mutators: Sequence[Mutator], before: Object, call: MutationContext) -> Mutation:
    """All grafts in order: base and operations are the first one's, the object the last one's."""
    if not mutators:
        return Mutation(patch_base=before, object=before)
    whole = mutators[0](before, call)
    for graft in mutators[1:]:
        grafted = graft(whole.object, call)
        warnings = (*whole.warnings, *grafted.warnings)
        whole = replace(whole, object=grafted.object, warnings=warnings)
    return whole


def _check_patched_pod(before: Object, after: Object, changes: bytes) -> None:
    """Refuse to send what kube-apiserver could not decode: not even Ignore helps against that.

    ``before`` decodes: only what is new in ``after`` has to be looked at, and that not again where
    the same patch was found sound before.
    """
    if _VALID_PATCHES.get(changes):
        return
    try:
        kube.check(kube.POD, {key: _added_values(before.get(key), after[key]) for key in after})
    except kube.DecodeError as error:
        raise OperatorError(f"the injected pod does not decode: {error}") from error
    if len(changes) <= _MAX_CACHED_BYTES:
        _VALID_PATCHES[changes] = True


_VALID_PATCHES: LRUCache[bytes, bool] = LRUCache(
    limit=256
)  # patches whose values fit where they lead
_MAX_CACHED_BYTES = 65_536  # bytes of a patch that is kept


def _added_values(before: JSON, after: JSON) -> JSON:
    """``after`` without what it shares with ``before``: members, and the elements of those."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return after
    new: Object = {}
    for key, value in after.items():
        old = before.get(key)
        if isinstance(value, list) and isinstance(old, list):
            known = set(map(id, old))
            new[key] = [element for element in value if id(element) not in known]
        elif value is not old:
            new[key] = value
    return new


def _respond_patched(
    case: _Review, decision: ReviewOutcome, reason: str, grafted: Mutation, warnings: Iterable[str]
) -> ReviewResponse:
    operations = (*grafted.operations, *patch.diff(grafted.patch_base, grafted.object))
    warnings, audit = case.warnings(*warnings), case.audit_annotations(decision, reason)
    response = admission.patched(case.request, operations, warnings=warnings, audit=audit)
    return ReviewResponse(response, case.make_record(decision, reason, len(response.patch)))


def _respond_allowed(
    case: _Review, decision: ReviewOutcome, reason: str, warnings: Iterable[str] = ()
) -> ReviewResponse:
    warnings, audit = case.warnings(*warnings), case.audit_annotations(decision, reason)
    response = admission.allowed(case.request, warnings=warnings, audit=audit)
    return ReviewResponse(response, case.make_record(decision, reason))


def _respond_denied(
    case: _Review, message: str, reason: str, warnings: Iterable[str] = ()
) -> ReviewResponse:
    warnings, audit = case.warnings(*warnings), case.audit_annotations(ReviewOutcome.DENY, reason)
    response = admission.denied(case.request, message, warnings=warnings, audit=audit)
    return ReviewResponse(response, case.make_record(ReviewOutcome.DENY, reason))


def _object_name(request: AdmissionRequest) -> str:
    """«Deployment/web»: the object's kind and name; names are no secret."""
    value = request.object if request.object is not None else request.old_object
    metadata = value.get("metadata") if isinstance(value, dict) else None
    own = metadata if isinstance(metadata, dict) else {}
    name = request.name or own.get("name") or own.get("generateName") or ""
    return f"{request.kind.kind or 'Pod'}/{name}"


def _workload_name(pod: Object) -> str:
    """«Deployment/web»: the workload that a pod belongs to."""
    metadata = pod["metadata"]
    owner = workload_owner.workload_of_pod(metadata if isinstance(metadata, dict) else {})
    return f"{owner.kind}/{owner.name}"
