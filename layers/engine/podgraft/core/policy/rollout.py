"""The rollout of a candidate: which workloads get it, as a pure function of names.

``compute_bucket`` assigns each workload to one of 10,000 buckets. A percentage selects the lowest
buckets. So the selection needs no state: it is equal in every environment, an operator can list it
in advance, and a higher percentage only adds workloads. The formula is part of the contract:
another one would assign all workloads again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING

from msgspec import Struct, field

from podgraft.base.jsonvalue import Object, object_at
from podgraft.kube.document_reader import Cursor

if TYPE_CHECKING:
    from .document import Policy

BUCKETS = 10_000
# In mode share, each patched pod has this annotation, so a second pass uses the same track.
ANNOTATION = "podgraft.dev/rollout"


class RolloutMode(StrEnum):
    """What happens to the workloads that a percentage selects."""

    SHADOW = "shadow"
    SHARE = "share"
    PAUSED = "paused"


class BucketUnit(StrEnum):
    """What is assigned to a bucket."""

    WORKLOAD = "workload"
    NAMESPACE = "namespace"


class Track(StrEnum):
    """The configuration that produced a response."""

    STABLE = "stable"
    CANDIDATE = "candidate"


class Needs(Struct, frozen=True, kw_only=True):
    """The minimum evidence for ``step`` and ``promote``. The function ignores it."""

    reviews: int = 0
    workloads: int = 0
    minutes: int = 0


class Rollout(Struct, frozen=True, kw_only=True):
    """A valid rollout. ``candidate`` is the policy that promotion would put in force.

    ``share`` and the values of ``clusters`` and ``groups`` are percentages with at most two
    decimals.
    """

    id: str
    mode: RolloutMode
    candidate: Policy
    share: float = 0
    clusters: Mapping[str, float] = field(default_factory=dict[str, float])
    groups: Mapping[str, float] = field(default_factory=dict[str, float])
    by: BucketUnit = BucketUnit.WORKLOAD
    needs: Needs = Needs()
    reason: str = ""

    def percentage(self, cluster: str | None, groups: Sequence[str] = ()) -> float:
        """The percentage of workloads that get the candidate in one cluster.

        *groups* are those of the cluster, in their order. The share of the cluster wins, and then
        that of the last group.
        """
        shares = (self.groups[name] for name in reversed(groups) if name in self.groups)
        share = next(shares, self.share)
        return share if cluster is None else self.clusters.get(cluster, share)

    def find_bucket(self, cluster: str | None, namespace: str, workload: str) -> int:
        """Return the bucket of a workload, or of its namespace."""
        unit = workload if self.by is BucketUnit.WORKLOAD else ""
        return compute_bucket(self.id, cluster or "", namespace, unit)

    def selects(self, bucket: int, cluster: str | None, groups: Sequence[str] = ()) -> bool:
        """Whether the percentage of the cluster includes the bucket."""
        return bucket < count_buckets(self.percentage(cluster, groups))

    def make_annotation(self, track: Track) -> str:
        """The value of the annotation of a patched pod."""
        return f"{self.id}/{track}"

    def find_track(
        self, metadata: Object, cluster: str | None, groups: Sequence[str] = ()
    ) -> Track | None:
        """Return the track of an earlier pass over the same pod; None for a new pod.

        An annotation of another rollout, or with another content, has no effect. Neither has any
        annotation in a cluster without the candidate.
        """
        if self.mode is RolloutMode.SHADOW or self.percentage(cluster, groups) <= 0:
            return None
        value = object_at(metadata, "annotations").get(ANNOTATION)
        return next((track for track in Track if value == self.make_annotation(track)), None)


def compute_bucket(rollout: str, cluster: str, namespace: str, workload: str) -> int:
    """Return the bucket of a workload in one rollout, from 0 to 9999.

    The id of the rollout is a salt: different rollouts start with different workloads.

    >>> compute_bucket("2026-11-22-hotfix-probes", "prod-eu", "shop", "Deployment/web")
    223
    """
    text = f"{rollout}\0{cluster}\0{namespace}\0{workload}"
    digest = sha256(text.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") % BUCKETS


def count_buckets(percentage: float) -> int:
    """Return how many buckets a percentage selects.

    >>> count_buckets(0.29)
    29
    """
    return round(percentage * BUCKETS / 100)


def parse_percentage(cursor: Cursor) -> float | None:
    """A percentage with at most two decimals."""
    value = cursor.value
    if (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and 0 <= value <= 100  # noqa: PLR2004 — a percentage
        and round(value, 2) == value
    ):
        return value
    return cursor.refuse("use a number from 0 to 100 with at most two decimals")
