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
from .snapshot import BundleCache, Pair, Snapshot, SnapshotSet
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
    policy, fuse = snapshots.policy, Fuse()
    rollout = policy.rollout
    if rollout is None:
        problem = ". ".join(map(str, policy.rollout_errors))
        refused = Candidate(fuse=fuse, disabled=DisabledReason.REFUSED, problem=problem)
        return snapshots.with_candidates(lambda _: refused)
    compiled = [(each.policy, each.bundle) for each in snapshots.values()]
    compiler = replace(compiler, max_bytes=MAX_BYTES, compiled=compiled, files=None)
    base = Candidate(fuse=fuse, rollout=rollout)
    try:
        loaded = SnapshotSet(snapshots.injector, rollout.candidate, snapshots.version, compiler)
    except Exception as error:  # noqa: BLE001 — nothing in a candidate stops the stable configuration
        disabled = _disable(base, error)
        return snapshots.with_candidates(lambda _: disabled)

    def make_candidate(pair: Pair) -> Candidate:
        try:  # groups can be combined for the first time in a review
            return replace(base, snapshot=loaded.find(pair))
        except Exception as error:  # noqa: BLE001 — nothing in a candidate stops the stable configuration
            return _disable(base, error)

    return snapshots.with_candidates(make_candidate)


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


def _disable(candidate: Candidate, error: Exception) -> Candidate:
    """Return the candidate without use; the text of an unexpected error can quote anything."""
    is_unavailable = isinstance(error, UnavailableError)
    is_expected = isinstance(error, StoreError | BundleError)
    return replace(
        candidate,
        disabled=DisabledReason.UNAVAILABLE if is_unavailable else DisabledReason.REFUSED,
        problem=str(error) if is_expected else f"internal error: {type(error).__name__}",
    )
