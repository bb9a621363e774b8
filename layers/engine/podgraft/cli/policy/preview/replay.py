"""The review of a recorded workload with two configurations, and what the result depends on."""

import json
from enum import StrEnum
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from podgraft.base.jsonvalue import Object
from podgraft.base.trace import Trace
from podgraft.cli.offline import FixedStore, read_message
from podgraft.core.census.record import Record
from podgraft.core.review import REVIEWS
from podgraft.core.review.candidate import LIMITS, compare_results
from podgraft.core.review.results import (
    ReviewFailure,
    ReviewOutcome,
    ReviewReason,
    ReviewResponse,
    ReviewResult,
)
from podgraft.core.review_context import ReviewContext
from podgraft.core.versions.snapshot import Snapshot
from podgraft.kube import admission
from podgraft.kube.patch.kinds import compute_kind

from .dependence import find_dependence


class PreviewOutcome(StrEnum):
    """The result of a preview for one workload."""

    SAME = "same"
    CHANGED = "changed"
    FAILED = "failed"
    UNKNOWN = "unknown"


class PreviewResult(Struct, frozen=True, kw_only=True):
    """What the candidate does with one workload.

    ``lines`` and ``kind`` describe a change without values. ``reason`` is why the candidate fails,
    or which read makes the result unknown. ``groups`` are those of the cluster in the policies.
    """

    record: Record
    outcome: PreviewOutcome
    lines: tuple[str, ...] = ()
    reason: str = ""
    groups: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """The digest of the change; empty without one."""
        return compute_kind(self.lines) if self.lines else ""


class Replay(Struct, frozen=True):
    """The result of one configuration, with the object after it and the steps of the review."""

    result: ReviewResult
    object: Object
    trace: Trace


def replay(record: Record, snapshot: Snapshot, *, is_candidate: bool = False) -> Replay:
    """Review a workload with a configuration; a candidate has the limits of a rollout."""
    request: Object = {
        "uid": "preview",
        "namespace": record.namespace,
        **record.request,
        "object": record.object,
    }
    body: Object = {
        "kind": "AdmissionReview",
        "apiVersion": "admission.k8s.io/v1",
        "request": request,
    }
    trace = Trace()
    context = ReviewContext(
        injector=record.injector,
        cluster=record.cluster or None,
        namespace=record.namespace,
        environment={key: str(value) for key, value in record.environment.items()},
        request=admission.decode(json.dumps(body).encode()),
        trace=trace,
    )
    if is_candidate:
        context = replace(context, limits=LIMITS)
    own = replace(snapshot, candidate=None, recheck=None, stale=None)
    result = REVIEWS[record.route](context, FixedStore(own))
    changed = result.object if isinstance(result, ReviewResponse) else None
    return Replay(result, record.object if changed is None else changed, trace)


def preview_record(record: Record, stable: Snapshot, candidate: Snapshot) -> PreviewResult:
    """Compare both configurations for one workload."""
    conclude = partial(PreviewResult, record=record, groups=find_groups(stable, candidate))
    try:
        before = replay(record, stable)
        after = replay(record, candidate, is_candidate=True)
    except admission.ReviewError:
        return conclude(outcome=PreviewOutcome.UNKNOWN, reason="the record is not a review")
    verdict = compare_results(record.object, before.result, after.result)
    outcome = PreviewOutcome(verdict.outcome)  # same, changed, or failed
    reason = _find_unknown(record, (stable, before), (candidate, after), outcome)
    if reason:
        return conclude(outcome=PreviewOutcome.UNKNOWN, reason=reason)
    is_failed = outcome is PreviewOutcome.FAILED
    return conclude(
        outcome=outcome,
        lines=verdict.lines,
        reason=_describe_failure(after.result, verdict.reason) if is_failed else "",
    )


def find_groups(*snapshots: Snapshot) -> tuple[str, ...]:
    """Return the groups of a cluster in either policy, in the order in which they apply."""
    return tuple(dict.fromkeys(name for each in snapshots for name in each.groups))


def _find_unknown(
    record: Record,
    stable: tuple[Snapshot, Replay],
    candidate: tuple[Snapshot, Replay],
    outcome: PreviewOutcome,
) -> str:
    """Return why the result depends on a value that was not recorded; empty if it does not."""
    (before, old), (after, new) = stable, candidate
    decided = {
        each.result.record.decision == ReviewOutcome.SKIP
        and each.result.record.reason != ReviewReason.NOTHING_MATCHES
        for each in (old, new)
    }
    if reason := find_dependence(
        record,
        (before.bundle, old.trace),
        (after.bundle, new.trace),
        # A pod that both rules skip reaches no template, and equal bundles have equal templates.
        is_rendered=decided != {True} and not _share_templates(before, after),
        is_same=outcome is PreviewOutcome.SAME,
    ):
        return reason
    if isinstance(old.result, ReviewFailure) and record.decision != ReviewOutcome.FAIL:
        return "stable fails for the record, and responded to the review"
    version = before.bundle.digest, before.policy_version
    is_equal_version = version == (record.bundle, record.policy)
    if is_equal_version and old.result.record.decision != record.decision:
        return "stable decides differently for the record and for the review"
    return ""


def _share_templates(before: Snapshot, after: Snapshot) -> bool:
    """Whether both configurations render alike. A policy does not have to name its bundle."""
    is_equal = before.bundle.digest == after.bundle.digest
    return is_equal and before.policy.renders_like(after.policy)


def _describe_failure(result: ReviewResult, reason: str) -> str:
    """Return a text for people. Objects contain tokens instead of values, so it quotes none."""
    message = read_message(result)
    return f"{reason}: {message}" if message else reason
