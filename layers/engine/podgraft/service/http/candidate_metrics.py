"""The metrics of a candidate; only a policy with a rollout needs them.

They have the dimension ``reason`` of the candidate, not that of the review, so they are written
apart from the metrics of the review.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum

from podgraft.base.jsonvalue import JSON
from podgraft.core.policy.rollout import RolloutMode
from podgraft.core.review.results import CandidateOutcome

from .metrics import Measure, MetricWriter, Unit


class CandidateMetric(StrEnum):
    """Every metric of a candidate."""

    REVIEWS = "candidate_total"
    CHANGED = "candidate_changed_total"
    FAILURE = "candidate_failure_total"
    FALLBACK = "candidate_fallback_total"
    DISABLED = "candidate_disabled_total"
    TIME = "candidate_time_milliseconds"


_RESULTS: Mapping[str, tuple[CandidateMetric, ...]] = {
    CandidateOutcome.SAME: (CandidateMetric.REVIEWS,),
    CandidateOutcome.CHANGED: (CandidateMetric.REVIEWS, CandidateMetric.CHANGED),
    CandidateOutcome.FAILED: (CandidateMetric.REVIEWS, CandidateMetric.FAILURE),
    CandidateOutcome.FALLBACK: (
        CandidateMetric.REVIEWS,
        CandidateMetric.FAILURE,
        CandidateMetric.FALLBACK,
    ),
    CandidateOutcome.DISABLED: (CandidateMetric.DISABLED,),
}


def candidate_measures(record: Mapping[str, JSON]) -> Iterator[Measure]:
    """Return the measures of a record; none outside the share."""
    metrics = _RESULTS.get(str(record.get("candidate")), ())
    for metric in metrics:
        yield Measure(metric)
    if CandidateMetric.REVIEWS in metrics and CandidateMetric.FAILURE not in metrics:
        # An alarm must tell success from missing data.
        yield Measure(CandidateMetric.FAILURE, 0.0)
    milliseconds = record.get("candidate_milliseconds")
    if isinstance(milliseconds, int | float):
        yield Measure(CandidateMetric.TIME, milliseconds, Unit.MILLISECONDS)


def find_track(record: Mapping[str, JSON]) -> Iterator[Mapping[str, str]]:
    """Return the dimensions that the metrics of a review have only in mode share."""
    if record.get("rollout_mode") == RolloutMode.SHARE:
        yield {"track": str(record["track"])}


def write_candidate(write: MetricWriter, record: Mapping[str, JSON]) -> None:
    """Write the metrics of the candidate with *write*, after those of the review."""
    measures = tuple(candidate_measures(record))
    reason = str(record.get("candidate_reason") or "")
    if measures:
        write(measures, [{"reason": reason}] if reason else [])
