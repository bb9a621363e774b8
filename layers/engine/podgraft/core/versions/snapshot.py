"""Snapshots: one policy and its bundle, the input of every review."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from podgraft.base.deadline import Deadline
from podgraft.core import bundle
from podgraft.core.bundle import Bundle, BundleError
from podgraft.core.policy import Policy
from podgraft.core.review_context import Staleness

from .errors import InvalidVersionError
from .version_check import VersionCheck

if TYPE_CHECKING:
    from podgraft.core.signing.signature import Signature

    from .candidate import Candidate

# Returns the files of the bundle with this digest; with ``None``, those of the only bundle.
Fetch = Callable[[str | None], Mapping[str, bytes]]

Recheck = Callable[[], bool]

# The groups of a cluster, and its name if it has an override.
Pair: TypeAlias = tuple[tuple[str, ...], str | None]
_COMMON: Pair = ((), None)
MakeCandidate: TypeAlias = "Callable[[Pair], Candidate]"


class Document(Struct, frozen=True):
    """A stored policy document, and the files of every bundle that it names.

    The key is ``None`` for the only bundle, which a policy does not have to name.
    """

    text: str
    version: str
    bundles: Mapping[str | None, Mapping[str, bytes]]


class Snapshot(Struct, frozen=True, kw_only=True):
    """One policy and its bundle, from one version of the policy document.

    ``recheck`` compiles a lazily loaded version completely. It returns whether the store rejected
    the version, and then the store has another snapshot. Call it when a review fails. ``candidate``
    is the second configuration of a policy with a rollout. ``groups`` are those of the cluster, in
    the order in which they apply.
    """

    policy: Policy
    policy_version: str
    bundle: Bundle
    stale: Staleness | None = None
    recheck: Recheck | None = None
    candidate: "Candidate | None" = None
    groups: tuple[str, ...] = ()


class SnapshotSet(Struct, eq=False):
    """The snapshots of one version: one for each pair of groups and cluster override.

    The number of pairs counts, and not the number of clusters. At the load of a version, the
    bundles of each override and of each group compile, so a version with a missing one is not in
    force. A combination of groups is resolved at the first review that needs it. Threads can share
    a set: at worst, two of them compile the same pair. ``overrides`` is the digest of the groups
    and clusters of a large policy. ``compiler`` is None if no further pair can be needed.
    """

    injector: str
    policy: Policy
    version: str
    compiler: "BundleCache | None"
    overrides: str | None = None
    recheck: Recheck | None = None
    make_candidate: "MakeCandidate | None" = None
    snapshots: dict[Pair, Snapshot] = field(default_factory=dict[Pair, Snapshot])

    def __post_init__(self) -> None:
        """Compile the bundles of the common configuration, of each override, and of each group."""
        if self.compiler is None:
            return
        if self.policy.groups and self.compiler.files is None:  # for combinations of groups
            self.compiler.files = {}
        self.find(_COMMON)
        for cluster in self.policy.overrides:
            self.find((self.policy.find_groups(cluster), cluster))
        for name in self.policy.groups:
            self.find(((name,), None))
        if not self.policy.groups:
            self.compiler = None  # releases the memory of the files

    @property
    def default(self) -> Snapshot:
        """The snapshot of each cluster without a group and an override."""
        return self.snapshots[_COMMON]

    def for_cluster(
        self,
        cluster: str | None,
        stale: Staleness | None = None,
        registered: tuple[str, ...] = (),
    ) -> Snapshot:
        """Return the snapshot for the reviews of one cluster.

        *registered* are its groups in the registry. Raises ``StoreError`` if they do not compile
        together.
        """
        pair = _COMMON
        if cluster is not None:
            groups = self.policy.find_groups(cluster, registered) if self.policy.groups else ()
            pair = groups, cluster if cluster in self.policy.overrides else None
        snapshot = self.find(pair)
        return replace(snapshot, stale=stale) if stale else snapshot

    def find(self, pair: Pair) -> Snapshot:
        """Return the snapshot of a pair; raises ``StoreError`` and ``BundleError``."""
        found = self.snapshots.get(pair)
        if found is None:
            found = self.snapshots[pair] = self._make(pair)
        return found

    def _make(self, pair: Pair) -> Snapshot:
        groups, cluster = pair
        policy = self.policy if pair == _COMMON else self.policy.resolve(groups, cluster)
        assert self.compiler is not None  # noqa: S101 - without groups, the set has all pairs
        try:
            compiled = self.compiler.bundle(policy)
        except BundleError as error:
            if not groups:
                raise
            place = f"/groups: with the groups {', '.join(groups)}"
            raise InvalidVersionError(
                f"injector {self.injector} does not load: {place}: {error}"
            ) from error
        return Snapshot(
            policy=policy,
            policy_version=self.version,
            bundle=compiled,
            recheck=self.recheck,
            candidate=None if self.make_candidate is None else self.make_candidate(pair),
            groups=groups,
        )

    def values(self) -> tuple[Snapshot, ...]:
        """Return the snapshots that were made, the common one first."""
        return (*self.snapshots.values(),)

    @property
    def digests(self) -> frozenset[str]:
        """The digests of all bundles."""
        own = () if self.overrides is None else (self.overrides,)
        return frozenset((*own, *(snapshot.bundle.digest for snapshot in self.values())))

    def with_recheck(self, recheck: Recheck) -> "SnapshotSet":
        """Return a copy with a function that checks the snapshots completely."""
        snapshots = {
            pair: replace(each, recheck=recheck) for pair, each in [*self.snapshots.items()]
        }
        return replace(self, recheck=recheck, snapshots=snapshots)

    def with_candidates(self, make_candidate: "MakeCandidate") -> "SnapshotSet":
        """Return a copy whose snapshots have a candidate."""
        snapshots = {
            pair: replace(each, candidate=make_candidate(pair))
            for pair, each in [*self.snapshots.items()]
        }
        return replace(self, make_candidate=make_candidate, snapshots=snapshots)


class BundleCache(Struct, eq=False):
    """Compiles each bundle once for all policies that compile it equally.

    With ``max_bytes``, it compiles no larger one. ``files`` retains those of each bundle, if it is
    set.
    """

    fetch: Fetch
    check: VersionCheck
    signature: "Signature | None" = None
    deferred: bool = False
    max_bytes: int | None = None
    compiled: list[tuple[Policy, Bundle]] = field(default_factory=list[tuple[Policy, Bundle]])
    files: dict[str | None, Mapping[str, bytes]] | None = None

    def bundle(self, requested: Policy) -> Bundle:
        """Return the bundle that a policy names; raises ``StoreError`` and ``BundleError``."""
        for policy_, compiled in self.compiled:
            if policy_.shares_bundle_with(requested):
                return compiled.with_policy(requested)
        if requested.bundle is not None:
            self.check.check_digest(requested.bundle)
        files = self._read_files(requested.bundle)
        if requested.bundle is None and (self.signature or self.check.denied):
            # The policy does not name the only bundle of a folder, so the signature must.
            self.check.check_digest(bundle.digest(files), self.signature)
        self._check_size(files)
        compiled = bundle.compile_(files, requested, parse_lazily=self.deferred)
        self.compiled.append((requested, compiled))
        return compiled

    def _read_files(self, digest: str | None) -> Mapping[str, bytes]:
        if self.files is None:
            return self.fetch(digest)
        if digest not in self.files:
            self.files[digest] = self.fetch(digest)
        return self.files[digest]

    def _check_size(self, files: Mapping[str, bytes]) -> None:
        """Raise ``InvalidVersionError`` for a bundle that would take too long to compile."""
        size = sum(map(len, files.values()))
        if self.max_bytes is not None and size > self.max_bytes:
            raise InvalidVersionError(
                f"/rollout/candidate/bundle: got {size:,} bytes; "
                f"reduce it to at most {self.max_bytes:,}"
            )


class Store(Protocol):
    """A store of policies and bundles."""

    def snapshot(
        self,
        injector: str,
        cluster: str | None,
        deadline: Deadline | None = None,
        groups: tuple[str, ...] = (),
    ) -> Snapshot:
        """Return the snapshot in force, within the deadline; raises ``StoreError``.

        *groups* are those of the cluster in the registry of callers.
        """
        ...

    def injectors(self, deadline: Deadline | None = None) -> tuple[str, ...]:
        """Return the names of all stored injectors, within the deadline; raises ``StoreError``."""
        ...
