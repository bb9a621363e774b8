"""The health of a rollout: its evidence, and the alarms that stop it.

Missing data is inconclusive: it never counts as success, and it never stops a rollout.
"""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from podgraft.base import system
from podgraft.cli.failure import CommandError, raise_findings
from podgraft.cli.policy.storage import PolicyStorage
from podgraft.cli.policy.versions import StoredPolicy
from podgraft.core.policy.rollout import Rollout, RolloutMode

from .evidence import Evidence, read_log
from .insights import Alarm


class Health(Struct, frozen=True, kw_only=True):
    """What is known about a rollout since its last change.

    ``evidence`` and ``alarms`` are None if the storage has none. ``problems`` are the errors of
    reading them.
    """

    rollout: Rollout
    since: datetime | None
    evidence: Evidence | None
    alarms: tuple[Alarm, ...] | None
    problems: tuple[str, ...] = ()

    @property
    def is_idle(self) -> bool:
        """Whether no workload uses the candidate, so there can be no evidence."""
        rollout = self.rollout
        shares = (rollout.share, *rollout.clusters.values(), *rollout.groups.values())
        return self.rollout.mode is not RolloutMode.SHADOW and not any(shares)

    def find_missing(self) -> list[str]:
        """Return what is missing before the next step."""
        alarms = self.alarms or ()
        if self.is_idle:
            return [alarm.describe() for alarm in alarms if alarm.is_active]
        return [
            *self._find_missing_counts(),
            *self.problems,
            *(alarm.describe() for alarm in alarms if not alarm.is_ok),
        ]

    def _find_missing_counts(self) -> Iterator[str]:
        needs, evidence = self.rollout.needs, self.evidence
        counts = {"reviews": (needs.reviews, 0), "workloads": (needs.workloads, 0)}
        if evidence is not None:
            counts["reviews"] = needs.reviews, evidence.candidate.reviews
            counts["workloads"] = needs.workloads, len(evidence.candidate.workloads)
        for name, (needed, found) in counts.items():
            if found < needed:
                data = "" if evidence is not None or self.problems else " (no log; add --log FILE)"
                yield f"{found:,} of {needed:,} {name}{data}"
        now = system.now()
        minutes = 0 if self.since is None else int((now - self.since).total_seconds() // 60)
        if minutes < needs.minutes:
            yield f"{minutes} of {needs.minutes} minutes since the last change"
        if evidence is not None and evidence.candidate.failures:
            yield f"{evidence.candidate.failures:,} reviews in which the candidate failed"


def collect_health(
    storage: PolicyStorage, rollout: Rollout, stored: StoredPolicy, log: Path | None
) -> Health:
    """Read the evidence and the alarms; an error is a problem, so it is inconclusive."""
    problems: list[str] = []
    evidence: Evidence | None = None
    alarms: tuple[Alarm, ...] | None = None
    if log is not None:
        evidence = read_log(log, storage.injector, rollout.id, stored.date)
    else:
        try:
            evidence = storage.read_evidence(rollout.id, stored.date)
        except CommandError as error:
            problems += error.args
    try:
        alarms = storage.read_alarms()
    except CommandError as error:
        problems += error.args
    return Health(
        rollout=rollout,
        since=stored.date,
        evidence=evidence,
        alarms=alarms,
        problems=tuple(problems),
    )


def check_alarms(storage: PolicyStorage) -> None:
    """Raise ``CommandError`` while an alarm is active: the guard acts only when an alarm starts."""
    raise_findings(
        f"{alarm.describe()}; the guard acts only when an alarm starts, so wait until it ends"
        for alarm in storage.read_alarms() or ()
        if alarm.is_active
    )
