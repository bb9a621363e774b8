"""The evidence for a rollout: what the request log contains about both tracks."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias, cast

from podgraft.cli.failure import CommandError
from podgraft.policy.rollout import Needs

# Cluster, namespace, and name of a workload.
Workload: TypeAlias = tuple[str, str, str]

# The candidate ran in these reviews.
_RAN = frozenset({"same", "changed", "fallback", "failed"})
_FAILED = frozenset({"fallback", "failed"})
_PERCENTILE = 0.99


@dataclass(slots=True)
class TrackEvidence:
    """The reviews of one track."""

    reviews: int = 0
    failures: int = 0
    workloads: set[Workload] = field(default_factory=set[Workload])
    milliseconds: list[float] = field(default_factory=list[float])

    def add(self, record: dict[str, Any], milliseconds: object, *, has_failed: bool) -> None:
        """Count one review."""
        self.reviews += 1
        self.failures += has_failed
        self.workloads.add(read_workload(record))
        if isinstance(milliseconds, int | float):
            self.milliseconds.append(milliseconds)

    @property
    def p99_milliseconds(self) -> float | None:
        """The 99th percentile of the durations."""
        ordered = sorted(self.milliseconds)
        return ordered[int(len(ordered) * _PERCENTILE)] if ordered else None


@dataclass(slots=True)
class Evidence:
    """The reviews of one rollout in a log."""

    stable: TrackEvidence = field(default_factory=TrackEvidence)
    candidate: TrackEvidence = field(default_factory=TrackEvidence)
    kinds: dict[str, set[Workload]] = field(default_factory=dict[str, set[Workload]])
    paths: dict[str, str] = field(default_factory=dict[str, str])
    reasons: Counter[str] = field(default_factory=Counter[str])
    received: set[Workload] = field(default_factory=set[Workload])


def read_workload(record: dict[str, Any]) -> Workload:
    """The workload of a log line."""
    return (
        str(record.get("cluster", "")),
        str(record.get("namespace", "")),
        str(record.get("owner", "")),
    )


def read_log(path: Path, rollout: str) -> Evidence:
    """Collect the evidence of a rollout from a file of log lines; other lines are skipped."""
    evidence = Evidence()
    for record in _read_records(path):
        if record.get("rollout") == rollout:
            _add(evidence, record)
    return evidence


def _read_records(path: Path) -> Iterator[dict[str, Any]]:
    try:
        lines: Iterable[str] = path.read_text(errors="replace").splitlines()
    except OSError as error:
        raise CommandError(f"{path}: cannot read: {error.strerror}; check --log") from error
    for line in lines:
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield cast("dict[str, Any]", record)


def _add(evidence: Evidence, record: dict[str, Any]) -> None:
    outcome = str(record.get("candidate"))
    if record.get("track") == "candidate":
        evidence.received.add(read_workload(record))
    else:
        has_failed = record.get("decision") == "fail"
        evidence.stable.add(record, record.get("milliseconds"), has_failed=has_failed)
    if outcome in _RAN:
        milliseconds = record.get("candidate_milliseconds")
        evidence.candidate.add(record, milliseconds, has_failed=outcome in _FAILED)
    reason = str(record.get("candidate_reason") or "")
    if reason:
        evidence.reasons[f"{outcome} ({reason})"] += 1
    kind = str(record.get("candidate_kind") or "")
    if kind:
        evidence.kinds.setdefault(kind, set()).add(read_workload(record))
        evidence.paths[kind] = str(record.get("candidate_paths") or "")


def find_missing(needs: Needs, evidence: Evidence | None, since: datetime | None) -> list[str]:
    """Return what is missing before the next step; missing data never counts as success."""
    missing: list[str] = []
    counts = {"reviews": (needs.reviews, 0), "workloads": (needs.workloads, 0)}
    if evidence is not None:
        counts["reviews"] = needs.reviews, evidence.candidate.reviews
        counts["workloads"] = needs.workloads, len(evidence.candidate.workloads)
    for name, (needed, found) in counts.items():
        if found < needed:
            data = "" if evidence is not None else " (no log; add --log FILE)"
            missing.append(f"{found:,} of {needed:,} {name}{data}")
    minutes = 0 if since is None else int((datetime.now(UTC) - since).total_seconds() // 60)
    if minutes < needs.minutes:
        missing.append(f"{minutes} of {needs.minutes} minutes since the last change")
    if evidence is not None and evidence.candidate.failures:
        missing.append(f"{evidence.candidate.failures:,} reviews in which the candidate failed")
    return missing
