"""The evidence for a rollout: what the request log contains about both tracks.

``read_log`` reads a file. insights.py reads the log group of a stack, with the same result.
"""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias, cast

from msgspec import Struct, field

from podgraft.core.policy.rollout import Track
from podgraft.core.review.results import CandidateOutcome, ReviewOutcome

# Cluster, namespace, and name of a workload.
Workload: TypeAlias = tuple[str, str, str]
# The fields of a log line.
Record: TypeAlias = dict[str, Any]

# The candidate ran in these reviews.
_FAILED = frozenset({CandidateOutcome.FALLBACK, CandidateOutcome.FAILED})
RAN = frozenset({CandidateOutcome.SAME, CandidateOutcome.CHANGED, *_FAILED})
_PERCENTILE = 0.99
# The format of Powertools, in UTC.
_TIMESTAMP = "%Y-%m-%d %H:%M:%S,%f%z"


class TrackEvidence(Struct):
    """The reviews of one track."""

    reviews: int = 0
    failures: int = 0
    workloads: set[Workload] = set()
    p99_milliseconds: float | None = None

    def add(self, record: Record, reviews: int, *, has_failed: bool) -> None:
        """Count reviews of one workload."""
        self.reviews += reviews
        self.failures += reviews if has_failed else 0
        self.workloads.add(read_workload(record))


class Evidence(Struct):
    """The reviews of one rollout in a log.

    ``received`` are the workloads with pods of the candidate. Without ``is_complete``, a limit of
    the log omitted workloads.
    """

    stable: TrackEvidence = field(default_factory=TrackEvidence)
    candidate: TrackEvidence = field(default_factory=TrackEvidence)
    kinds: dict[str, set[Workload]] = {}
    paths: dict[str, str] = {}
    reasons: Counter[str] = field(default_factory=Counter[str])
    received: set[Workload] = set()
    is_complete: bool = True

    def add(self, record: Record, reviews: int = 1) -> None:
        """Count reviews with these fields of their log lines."""
        outcome = str(record.get("candidate"))
        if record.get("track") == Track.CANDIDATE:
            self.received.add(read_workload(record))
        else:
            self.stable.add(
                record, reviews, has_failed=record.get("decision") == ReviewOutcome.FAIL
            )
        if outcome in RAN:
            self.candidate.add(record, reviews, has_failed=outcome in _FAILED)
        reason = str(record.get("candidate_reason") or "")
        if reason:
            self.reasons[f"{outcome} ({reason})"] += reviews
        kind = str(record.get("candidate_kind") or "")
        if kind:
            self.kinds.setdefault(kind, set()).add(read_workload(record))
            self.paths[kind] = str(record.get("candidate_paths") or "")


def read_workload(record: Record) -> Workload:
    """The workload of a log line."""
    return (
        str(record.get("cluster", "")),
        str(record.get("namespace", "")),
        str(record.get("owner", "")),
    )


def read_log(path: Path, injector: str, rollout: str, since: datetime | None = None) -> Evidence:
    """Collect the evidence of a rollout from a file of log lines; other lines are skipped.

    With *since*, earlier lines are skipped too.
    """
    evidence = Evidence()
    durations: dict[Track, list[float]] = {track: [] for track in Track}
    for record in _read_records(path):
        is_other = (
            record.get("injector", injector) != injector
            or record.get("message", "review") != "review"  # as a synthetic review
        )
        if record.get("rollout") != rollout or is_other or not _is_after(record, since):
            continue
        evidence.add(record)
        for track, name in (
            (Track.STABLE, "milliseconds"),
            (Track.CANDIDATE, "candidate_milliseconds"),
        ):
            milliseconds = record.get(name)
            if isinstance(milliseconds, int | float) and _counts(record, track):
                durations[track].append(milliseconds)
    evidence.stable.p99_milliseconds = _find_percentile(durations[Track.STABLE])
    evidence.candidate.p99_milliseconds = _find_percentile(durations[Track.CANDIDATE])
    return evidence


def _counts(record: Record, track: Track) -> bool:
    """Whether a review is one of the track: a review of the candidate can respond with stable."""
    if track is Track.CANDIDATE:
        return record.get("candidate") in RAN
    return record.get("track") != Track.CANDIDATE


def _find_percentile(values: list[float]) -> float | None:
    ordered = sorted(values)
    return ordered[int(len(ordered) * _PERCENTILE)] if ordered else None


def _is_after(record: Record, since: datetime | None) -> bool:
    """Whether a line is later; a line without a valid time is no evidence."""
    if since is None:
        return True
    try:
        return datetime.strptime(str(record.get("timestamp")), _TIMESTAMP) >= since  # noqa: DTZ007
    except ValueError:
        return False


def _read_records(path: Path) -> Iterator[Record]:
    for line in path.read_text(errors="replace").splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield cast("Record", record)
