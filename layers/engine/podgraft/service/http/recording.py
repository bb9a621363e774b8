"""The recording of a reviewed workload for the census, and its fields of the request log."""

from podgraft.base import system
from podgraft.base.deadline import Deadline
from podgraft.base.jsonvalue import Object
from podgraft.core.review.results import ReviewResult
from podgraft.core.review_context import ReviewContext
from podgraft.core.versions.errors import StoreError
from podgraft.core.versions.snapshot import Store
from podgraft.service.store.census import CensusWriter, RecordOutcome, ReviewedDecision


def record_workload(
    writer: CensusWriter, store: Store, context: ReviewContext, route: str, result: ReviewResult
) -> Object:
    """Record the workload of a review, and return fields for the log.

    The deadline is over, so the store returns the cached version and does not refresh it.
    """
    try:
        over = Deadline.from_timeout(0)
        snapshot = store.snapshot(context.injector, context.cluster, over, context.groups)
    except StoreError:
        return {}
    if snapshot.policy.census is None:
        return {}
    record = result.record
    decision = ReviewedDecision(
        route=route,
        decision=record.decision,
        reason=record.reason,
        policy_version=record.policy_version,
        bundle=record.bundle,
    )
    started = system.monotonic()
    outcome = writer.record(context, snapshot, decision)
    if outcome is None or outcome is RecordOutcome.KNOWN:
        return {}
    milliseconds = round((system.monotonic() - started) * 1000, 3)
    return {"census": str(outcome), "census_milliseconds": milliseconds}
