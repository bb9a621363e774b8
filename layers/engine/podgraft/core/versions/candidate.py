"""Candidates: the second configuration of a policy with a rollout.

A candidate is complete before a review can use it: its bundles are verified and compiled as those
of the stable configuration. Whatever is wrong with it disables it, and never the stable
configuration. Only a policy with a rollout needs this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from podgraft.core.bundle import BundleError
from podgraft.core.policy.rollout import Rollout

from .brake import Fuse, is_stopped
from .errors import StoreError, UnavailableError
from .group_snapshots import MakeCandidate
from .snapshot import BundleCache, Snapshot, SnapshotSet, make_snapshot
from .version_check import VersionCheck

# Loading takes 291 ns per byte, so this is about 1.2 s. The stable configuration has 20 MiB.
MAX_BYTES = 4 * 1024 * 1024


class DisabledReason(StrEnum):
    """Why no review uses a candidate; the last two are for single environments and reviews."""

    REFUSED = "refused"
    UNAVAILABLE = "unavailable"
    BRAKE = "brake"
    STALE = "stale"
    FUSE = "fuse"
    TIME = "time"


class Candidate(Struct, frozen=True, kw_only=True):
    """The candidate for the reviews of one cluster.

    ``rollout`` is None if the rollout of the policy is invalid. ``snapshot`` is None if the
    candidate does not load, and ``problem`` states why. ``disabled`` is the reason, if any, not to
    use it. All clusters share the ``fuse``.
    """

    fuse: Fuse
    rollout: Rollout | None = None
    snapshot: Snapshot | None = None
    disabled: DisabledReason | None = None
    problem: str = ""


def add_candidates(snapshots: SnapshotSet, compiler: BundleCache) -> SnapshotSet:
    """Return the snapshots with the candidate of their policy, for each cluster."""
    policy = snapshots.default.policy
    fuse = Fuse()
    rollout = policy.rollout
    if rollout is None:
        problem = ". ".join(map(str, policy.rollout_errors))
        refused = Candidate(fuse=fuse, disabled=DisabledReason.REFUSED, problem=problem)
        return _attach(
            snapshots,
            dict.fromkeys(_clusters(snapshots), refused),
            lambda _cluster, _groups: refused,
        )
    version = snapshots.default.policy_version
    compiler = compiler.with_limit(MAX_BYTES)
    for snapshot in snapshots.values():
        compiler.add(snapshot.policy, snapshot.bundle)
    if snapshots.groups is not None:
        compiler.retain_files()
    base = Candidate(fuse=fuse, rollout=rollout)

    def load(cluster: str | None, groups: tuple[str, ...]) -> Candidate:
        own = rollout.candidate.for_cluster(cluster)
        if groups:
            own = rollout.candidate.resolve(groups, cluster)
        return replace(base, snapshot=make_snapshot(own, version, compiler))

    try:
        candidates = {cluster: load(cluster, ()) for cluster in _clusters(snapshots)}
        for name in rollout.candidate.groups:  # each group by itself, as the stable configuration
            load(None, (name,))
        return _attach(snapshots, candidates, _make_safe(load, base))
    except Exception as error:  # noqa: BLE001 — nothing in a candidate stops the stable configuration
        disabled = _disable(base, error)
        candidates = dict.fromkeys(_clusters(snapshots), disabled)
    return _attach(snapshots, candidates, lambda _cluster, _groups: disabled)


def _make_safe(load: MakeCandidate, base: Candidate) -> MakeCandidate:
    """Return a function that disables a candidate which does not load, and never fails.

    Groups can be combined for the first time in a review.
    """

    def make(cluster: str | None, groups: tuple[str, ...]) -> Candidate:
        try:
            return load(cluster, groups)
        except Exception as error:  # noqa: BLE001 — nothing in a candidate stops the stable configuration
            return _disable(base, error)

    return make


def check_candidate(
    snapshot: Snapshot, stopped: frozenset[str], denied: Mapping[str, str], *, is_stale: bool
) -> Snapshot:
    """Disable the candidate if a brake stops it, or if its bundle was denied since it loaded.

    Also if the brakes are out of date: *is_stale*.
    """
    candidate = snapshot.candidate
    if candidate is None or candidate.disabled is not None or candidate.rollout is None:
        return snapshot
    problem = None
    if stopped and is_stopped(candidate.rollout.id, stopped):
        reason = DisabledReason.BRAKE
    elif is_stale:
        reason = DisabledReason.STALE
    else:
        digests = [] if candidate.snapshot is None else [candidate.snapshot.bundle.digest]
        problem = VersionCheck(denied=denied).find_denial(digests)
        if problem is None:
            return snapshot
        reason = DisabledReason.REFUSED
    return replace(snapshot, candidate=replace(candidate, disabled=reason, problem=problem or ""))


def reload_candidates(snapshots: SnapshotSet, compiler: BundleCache) -> SnapshotSet:
    """Load a candidate again that could not be read, or return the snapshots unchanged."""
    candidate = snapshots.default.candidate
    if candidate is None or candidate.disabled is not DisabledReason.UNAVAILABLE:
        return snapshots
    return add_candidates(snapshots, compiler)


def _clusters(snapshots: SnapshotSet) -> tuple[str | None, ...]:
    return (None, *snapshots.clusters)


def _attach(
    snapshots: SnapshotSet,
    candidates: dict[str | None, Candidate],
    make_candidate: MakeCandidate,
) -> SnapshotSet:
    return SnapshotSet(
        replace(snapshots.default, candidate=candidates[None]),
        {
            name: replace(snapshot, candidate=candidates[name])
            for name, snapshot in snapshots.clusters.items()
        },
        snapshots.groups and snapshots.groups.with_candidates(make_candidate),
        snapshots.overrides,
    )


def _disable(candidate: Candidate, error: Exception) -> Candidate:
    """Return the candidate without use; the text of an unexpected error can quote anything."""
    is_unavailable = isinstance(error, UnavailableError)
    is_expected = isinstance(error, StoreError | BundleError)
    return replace(
        candidate,
        disabled=DisabledReason.UNAVAILABLE if is_unavailable else DisabledReason.REFUSED,
        problem=str(error) if is_expected else f"internal error: {type(error).__name__}",
    )
