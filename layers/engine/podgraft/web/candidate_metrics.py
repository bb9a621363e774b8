"""The metrics of a candidate; only a policy with a rollout needs them.

They have the dimension ``reason`` of the candidate, not that of the review, so they are written
apart from the metrics of the review.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum

from aws_lambda_powertools.metrics import Metrics

from podgraft.jsonvalue import JSON

from .metrics import Unit


class CandidateMetric(StrEnum):
    """Every metric of a candidate."""

    REVIEWS = "candidate_total"
    CHANGED = "candidate_changed_total"
    FAILURE = "candidate_failure_total"
    FALLBACK = "candidate_fallback_total"
    DISABLED = "candidate_disabled_total"
    TIME = "candidate_time_milliseconds"


# In mode share, the metrics of the review have the dimension track, to compare both.
SHARE = "share"

_RESULTS: Mapping[str, tuple[CandidateMetric, ...]] = {
    "same": (CandidateMetric.REVIEWS,),
    "changed": (CandidateMetric.REVIEWS, CandidateMetric.CHANGED),
    "failed": (CandidateMetric.REVIEWS, CandidateMetric.FAILURE),
    "fallback": (CandidateMetric.REVIEWS, CandidateMetric.FAILURE, CandidateMetric.FALLBACK),
    "disabled": (CandidateMetric.DISABLED,),
}


def candidate_measures(
    record: Mapping[str, JSON],
) -> Iterator[tuple[CandidateMetric, Unit, float]]:
    """Return the measures of a record: metric, unit, and value; none outside the share."""
    metrics = _RESULTS.get(str(record.get("candidate")), ())
    for metric in metrics:
        yield metric, Unit.COUNT, 1.0
    if CandidateMetric.REVIEWS in metrics and CandidateMetric.FAILURE not in metrics:
        # An alarm must tell success from missing data.
        yield CandidateMetric.FAILURE, Unit.COUNT, 0.0
    milliseconds = record.get("candidate_milliseconds")
    if isinstance(milliseconds, int | float):
        yield CandidateMetric.TIME, Unit.MILLISECONDS, milliseconds


def add_track(metrics: Metrics, stack: str, record: Mapping[str, JSON]) -> None:
    """Add the dimension ``track`` to the metrics of a review in mode share."""
    if record.get("rollout_mode") == SHARE:
        metrics.add_dimensions(service=stack, track=str(record["track"]))


def write_candidate(metrics: Metrics, stack: str, record: Mapping[str, JSON]) -> None:
    """Write the metrics of the candidate, after those of the review."""
    measures = tuple(candidate_measures(record))
    for metric, unit, value in measures:
        metrics.add_metric(metric, unit, value)
    reason = str(record.get("candidate_reason") or "")
    if reason:
        metrics.add_dimensions(service=stack, reason=reason)
    if measures:
        metrics.flush_metrics()
