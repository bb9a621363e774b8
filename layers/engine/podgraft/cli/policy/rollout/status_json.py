"""The status of a rollout as JSON, with stable keys."""

from collections.abc import Sequence

from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli.policy.versions import StoredPolicy
from podgraft.core.policy.rollout import Rollout, RolloutMode

from .brakes import Brake
from .evidence import Evidence, TrackEvidence
from .health import Health


def is_complete(rollout: Rollout) -> bool:
    """Whether the candidate serves all workloads, so the next step is the promotion."""
    return rollout.mode is RolloutMode.SHARE and rollout.share == 100  # noqa: PLR2004


def encode_status(stored: StoredPolicy, brakes: Sequence[Brake], health: Health | None) -> Object:
    """Encode a rollout, its brakes, and its evidence; the health is None without a rollout."""
    rollout = None if health is None else health.rollout
    missing: list[JSON] = [] if health is None else [*health.find_missing()]
    is_stopped = rollout is not None and any(each.stops(rollout.id) for each in brakes)
    result = "stopped" if is_stopped else "inconclusive" if missing else "complete"
    evidence = None if health is None else health.evidence
    alarms = None if health is None else health.alarms
    return {
        "version": stored.number,
        "since": None if stored.date is None else stored.date.isoformat(),
        "rollout": None if rollout is None else _encode_rollout(rollout),
        "result": "none" if rollout is None else result,
        "missing": missing,
        "brakes": [_encode_brake(each) for each in brakes],
        "alarms": None
        if alarms is None
        else [{"name": each.name, "state": each.state, "reason": each.reason} for each in alarms],
        "evidence": None if evidence is None else _encode_evidence(evidence),
    }


def _encode_rollout(rollout: Rollout) -> Object:
    needs = rollout.needs
    return {
        "id": rollout.id,
        "mode": str(rollout.mode),
        "share": rollout.share,
        "groups": dict(rollout.groups),
        "clusters": dict(rollout.clusters),
        "needs": {
            "reviews": needs.reviews,
            "workloads": needs.workloads,
            "minutes": needs.minutes,
        },
    }


def _encode_brake(brake: Brake) -> Object:
    fields = brake.fields if isinstance(brake.fields, dict) else {}
    return {
        "location": brake.location,
        "forAll": brake.for_all,
        "stops": [*sorted(brake.ids)],
        **{key: fields.get(key) for key in ("by", "at", "reason")},
    }


def _encode_evidence(evidence: Evidence) -> Object:
    kinds: list[JSON] = []
    for kind, workloads in sorted(evidence.kinds.items()):
        paths: list[JSON] = [*evidence.paths[kind].split("; ")]
        kinds.append({"kind": kind, "workloads": len(workloads), "paths": paths})
    return {
        "stable": _encode_track(evidence.stable),
        "candidate": _encode_track(evidence.candidate),
        "reasons": dict(evidence.reasons),
        "kinds": kinds,
        "isComplete": evidence.is_complete,
    }


def _encode_track(track: TrackEvidence) -> Object:
    return {
        "reviews": track.reviews,
        "workloads": len(track.workloads),
        "failures": track.failures,
        "p99Milliseconds": track.p99_milliseconds,
    }
