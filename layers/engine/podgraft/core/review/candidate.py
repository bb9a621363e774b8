"""The candidate of a rollout in a review: computed after stable, and never instead of it.

Stable runs first. Then its response exists whatever happens in the candidate, so a candidate that
fails costs a fallback within the same review, and never a response. Shadow and share use the same
code, and differ only in the response that is returned.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from podgraft.base.jsonvalue import JSON, object_at, without_keys
from podgraft.core.bundle import Bundle
from podgraft.core.injectors.errors import UndecodableError
from podgraft.core.policy.rollout import ANNOTATION, Rollout, RolloutMode, Track
from podgraft.core.review_context import ReviewContext
from podgraft.core.versions.candidate import Candidate, DisabledReason
from podgraft.core.versions.snapshot import Snapshot
from podgraft.golang.texttemplate import DEFAULT_LIMITS, LimitError
from podgraft.kube.admission import AdmissionRequest
from podgraft.kube.patch.kinds import compute_kind, find_changes
from podgraft.kube.workload_owner import root_workload

from .results import (
    CandidateOutcome,
    CandidateRecord,
    Review,
    ReviewFailure,
    ReviewOutcome,
    ReviewReason,
    ReviewResponse,
    ReviewResult,
)

# Runs the handler of the route with one bundle; returns its errors as results.
Runner: TypeAlias = Callable[[Review, Bundle], ReviewResult]

# Istio's largest template uses less than a tenth of them.
LIMITS = DEFAULT_LIMITS.reduce()
# The candidate starts only with this much time left, and with this multiple of stable's duration.
MIN_SECONDS = 1.0
MIN_RATIO = 10
# A comparison must not delay a response: in mode shadow, this share of the timeout must be left.
SHADOW_SHARE = 0.8
_MAX_LINES = 20
_MAX_CHARACTERS = 1000
# The lines of changes that podgraft itself causes in mode share.
_OWN_CHANGES = frozenset(
    f"{operation} metadata.annotations[{ANNOTATION}]" for operation in ("add", "remove", "replace")
)


class FailureReason(StrEnum):
    """Why a candidate failed."""

    CONFIGURATION = "configuration"
    LIMIT = "limit"
    DENIED = "denied"
    DECODE = "decode"
    INTERNAL = "internal"


class Verdict(Struct, frozen=True, kw_only=True):
    """The comparison of both results."""

    outcome: CandidateOutcome
    reason: str = ""
    lines: tuple[str, ...] = ()


def review_tracks(review: Review, snapshot: Snapshot, run: Runner) -> ReviewResult:
    """Review an object with stable, and with the candidate if the rollout selects the workload."""
    candidate = snapshot.candidate
    if candidate is None or candidate.rollout is None:
        return _add_record(run(review, snapshot.bundle), candidate, None)
    bucket, is_selected = select_workload(candidate.rollout, review.context, review.request)
    review = _mark(review, candidate.rollout, Track.STABLE)
    clock = review.context.deadline.clock if review.context.deadline else None
    started = clock() if clock else 0.0
    stable = run(review, snapshot.bundle)
    seconds = clock() - started if clock else 0.0
    record = CandidateRecord(
        rollout=candidate.rollout.id,
        rollout_mode=candidate.rollout.mode,
        bucket=bucket,
        candidate=CandidateOutcome.OUTSIDE,
    )
    if not is_selected:
        return _add_record(stable, candidate, record)
    reason = _find_disabled_reason(review, candidate, seconds)
    if reason is not None:
        record = replace(record, candidate=CandidateOutcome.DISABLED, candidate_reason=reason)
        return _add_record(stable, candidate, record)
    started = clock() if clock else 0.0
    result, verdict = _try_candidate(review, stable, candidate, run)
    if clock:
        record = replace(record, candidate_milliseconds=round((clock() - started) * 1000, 3))
    return _choose(stable, result, candidate, record, verdict)


def select_workload(
    rollout: Rollout, context: ReviewContext, request: AdmissionRequest
) -> tuple[int, bool]:
    """Return the bucket of the object, and whether its review uses the candidate."""
    value = request.object if request.object is not None else request.old_object
    metadata = object_at(value, "metadata") if isinstance(value, dict) else {}
    kind = request.kind.kind or "Pod"
    if request.name and not metadata.get("name"):
        metadata = {**metadata, "name": request.name}
    cluster, namespace = context.cluster, context.namespace
    bucket = rollout.find_bucket(cluster, namespace, root_workload(kind, metadata))
    earlier = rollout.find_track(metadata, cluster, context.groups) if kind == "Pod" else None
    if earlier is not None:
        return bucket, earlier is Track.CANDIDATE
    is_paused = rollout.mode is RolloutMode.PAUSED
    return bucket, not is_paused and rollout.selects(bucket, cluster, context.groups)


def _mark(review: Review, rollout: Rollout, track: Track) -> Review:
    annotation = rollout.make_annotation(track) if rollout.mode is RolloutMode.SHARE else ""
    return replace(review, rollout=rollout.id, track=track, annotation=annotation)


def _find_disabled_reason(
    review: Review, candidate: Candidate, stable_seconds: float
) -> DisabledReason | None:
    if candidate.disabled is not None:
        return candidate.disabled
    if candidate.fuse.is_open:
        return DisabledReason.FUSE
    deadline = review.context.deadline
    if deadline is None or candidate.rollout is None:
        return None
    required = max(MIN_SECONDS, MIN_RATIO * stable_seconds)
    if candidate.rollout.mode is RolloutMode.SHADOW:
        required = max(required, SHADOW_SHARE * deadline.timeout_seconds)
    return None if deadline.review_seconds >= required else DisabledReason.TIME


def _try_candidate(
    review: Review, stable: ReviewResult, candidate: Candidate, run: Runner
) -> tuple[ReviewResult | None, Verdict]:
    """Return the result of the candidate with its comparison. It never raises."""
    snapshot, rollout = candidate.snapshot, candidate.rollout
    if snapshot is None or rollout is None:
        return None, _fail(FailureReason.INTERNAL)
    try:
        marked = replace(
            _mark(review, rollout, Track.CANDIDATE),
            context=replace(review.context, limits=LIMITS, trace=None),
            bundle=snapshot.bundle.digest,
        )
        result = run(marked, snapshot.bundle)
        return result, compare_results(review.request.object, stable, result)
    except Exception:  # noqa: BLE001 — a new configuration executes code that never ran before
        return None, _fail(FailureReason.INTERNAL)


def _fail(reason: FailureReason) -> Verdict:
    return Verdict(outcome=CandidateOutcome.FAILED, reason=reason)


def compare_results(original: JSON, stable: ReviewResult, result: ReviewResult) -> Verdict:
    """Compare the results of both tracks for an object; the table of docs/rollouts.md."""
    is_validation = _is_validation(stable) or _is_validation(result)
    is_denied = isinstance(stable, ReviewResponse) and not stable.response.allowed
    if is_denied and not is_validation and not _allows(result):
        # Stable denies the object: the candidate shows nothing, whether it denies or fails.
        return Verdict(outcome=CandidateOutcome.SAME)
    if isinstance(result, ReviewFailure):
        return _fail(_classify(result.error))
    if not is_validation and not result.response.allowed:
        return _fail(FailureReason.DENIED)
    lines = (*_compare_responses(stable, result), *_compare_objects(original, stable, result))
    outcome = CandidateOutcome.CHANGED if lines else CandidateOutcome.SAME
    return Verdict(outcome=outcome, lines=tuple(sorted(lines)))


def _is_validation(result: ReviewResult) -> bool:
    return isinstance(result, ReviewResponse) and result.record.reason == ReviewReason.RULES


def _allows(result: ReviewResult) -> bool:
    return isinstance(result, ReviewResponse) and result.response.allowed


def _classify(error: Exception) -> FailureReason:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, LimitError):
            return FailureReason.LIMIT
        cause = cause.__cause__
    return (
        FailureReason.DECODE if isinstance(error, UndecodableError) else FailureReason.CONFIGURATION
    )


def _compare_responses(stable: ReviewResult, result: ReviewResponse) -> tuple[str, ...]:
    """Lines for what differs apart from the object."""
    if isinstance(stable, ReviewFailure):
        return (f"decision {ReviewOutcome.FAIL} {result.record.decision}",)
    if stable.record.decision != result.record.decision:
        return (f"decision {stable.record.decision} {result.record.decision}",)
    if not _is_validation(result):
        return ()
    before, after = stable.response, result.response
    old_audit, audit = (without_keys(each.audit, "bundle", "track") for each in (before, after))
    parts = {
        "status": before.status != after.status,
        "warnings": before.warnings != after.warnings,
        "audit": old_audit != audit,
    }
    return tuple(f"replace {part}" for part, differs in parts.items() if differs)


def _compare_objects(
    original: JSON, stable: ReviewResult, result: ReviewResponse
) -> tuple[str, ...]:
    if isinstance(stable, ReviewResponse) and stable.response.patch == result.response.patch:
        return ()
    before: JSON = stable.object if isinstance(stable, ReviewResponse) else None
    before = original if before is None else before
    after = original if result.object is None else result.object
    return find_changes(original, before, after, _OWN_CHANGES)


def _choose(
    stable: ReviewResult,
    result: ReviewResult | None,
    candidate: Candidate,
    record: CandidateRecord,
    verdict: Verdict,
) -> ReviewResult:
    """Return the result of one track, with the record of the comparison."""
    is_shadow = candidate.rollout is None or candidate.rollout.mode is RolloutMode.SHADOW
    outcome = verdict.outcome
    if outcome is CandidateOutcome.FAILED:
        candidate.fuse.record_failure()
        outcome = CandidateOutcome.FAILED if is_shadow else CandidateOutcome.FALLBACK
    record = replace(
        record,
        candidate=outcome,
        candidate_reason=verdict.reason,
        candidate_kind=compute_kind(verdict.lines) if verdict.lines else "",
        candidate_paths="; ".join(verdict.lines[:_MAX_LINES])[:_MAX_CHARACTERS],
    )
    # A candidate denies objects only on /validate.
    if is_shadow or result is None or not (_allows(result) or _is_validation(result)):
        return _add_record(stable, candidate, record)
    return _add_record(result, candidate, replace(record, track=Track.CANDIDATE))


def _add_record(
    result: ReviewResult, candidate: Candidate | None, record: CandidateRecord | None
) -> ReviewResult:
    if candidate is None:
        return result
    if record is None:
        record = CandidateRecord(
            candidate=CandidateOutcome.DISABLED, candidate_reason=candidate.disabled or ""
        )
    if candidate.disabled is not None and candidate.problem:
        record = replace(record, candidate_problem=candidate.problem)
    is_refused = result.record.refused or candidate.disabled is DisabledReason.REFUSED
    return replace(result, record=replace(result.record, candidate=record, refused=is_refused))
