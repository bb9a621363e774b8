"""The snapshots of clusters in groups: one for each distinct pair of groups and cluster override.

The number of pairs counts, and not the number of clusters. At the load of a version, the bundle of
each group compiles, so a version with a missing one is not in force. A combination of groups is
resolved at the first review that needs it. Only a policy with groups needs this module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from podgraft.core.bundle import BundleError
from podgraft.core.policy import Policy

from .errors import InvalidVersionError
from .snapshot import BundleCache, Recheck, Snapshot, make_snapshot

if TYPE_CHECKING:
    from .candidate import Candidate

# The groups of a cluster, and its name if it has an override.
Pair: TypeAlias = "tuple[tuple[str, ...], str | None]"
MakeCandidate: TypeAlias = "Callable[[str | None, tuple[str, ...]], Candidate]"


class GroupSnapshots(Struct, eq=False):
    """The snapshots by pair. Threads can share it: at worst, two of them compile the same one."""

    policy: Policy
    version: str
    compiler: BundleCache
    make_candidate: MakeCandidate | None = None
    recheck: Recheck | None = None
    snapshots: dict[Pair, Snapshot] = field(default_factory=dict[Pair, Snapshot])

    def __post_init__(self) -> None:
        """Compile the bundle of each group."""
        for name in self.policy.groups:
            self._find(((name,), None))

    def find(self, cluster: str, registered: tuple[str, ...]) -> Snapshot | None:
        """Return the snapshot of a cluster; ``None`` if it is in no group."""
        groups = self.policy.find_groups(cluster, registered)
        if not groups:
            return None
        return self._find((groups, cluster if cluster in self.policy.overrides else None))

    def _find(self, pair: Pair) -> Snapshot:
        found = self.snapshots.get(pair)
        if found is None:
            found = self.snapshots[pair] = self._make(pair)
        return found

    def _make(self, pair: Pair) -> Snapshot:
        groups, cluster = pair
        policy = self.policy.resolve(groups, cluster)
        try:
            snapshot = make_snapshot(policy, self.version, self.compiler)
        except BundleError as error:
            names = ", ".join(groups)
            raise InvalidVersionError(f"/groups: with the groups {names}: {error}") from error
        snapshot = replace(snapshot, groups=groups, recheck=self.recheck)
        if self.make_candidate is None:
            return snapshot
        return replace(snapshot, candidate=self.make_candidate(cluster, groups))

    def values(self) -> Iterator[Snapshot]:
        """Return the snapshots that were made, at least one for each group."""
        return iter([*self.snapshots.values()])

    def with_recheck(self, recheck: Recheck) -> GroupSnapshots:
        """Return a copy whose snapshots check the version completely."""
        return self._copy(replace(self, recheck=recheck, snapshots={}))

    def with_candidates(self, make_candidate: MakeCandidate) -> GroupSnapshots:
        """Return a copy whose snapshots have a candidate."""
        return self._copy(replace(self, make_candidate=make_candidate, snapshots={}))

    def _copy(self, empty: GroupSnapshots) -> GroupSnapshots:
        for pair in self.snapshots:
            empty._find(pair)
        return empty
