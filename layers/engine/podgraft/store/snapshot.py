"""What one review is answered from: exactly one policy and the bundle that belongs to it."""

from collections.abc import Callable, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from podgraft import bundle, policy
from podgraft.bundle import Bundle, BundleError
from podgraft.policy import Policy, PolicyError
from podgraft.review_context import Staleness

from .errors import InvalidVersionError

# The files of the bundle with this digest; without one, of the only bundle there is.
Fetch = Callable[[str | None], Mapping[str, bytes]]

Recheck = Callable[[], bool]


class Document(Struct, frozen=True):
    """A policy document as it is stored, and the files of every bundle that it names.

    The key of the only bundle there is, which a policy need not name, is ``None``.
    """

    text: str
    version: str
    bundles: Mapping[str | None, Mapping[str, bytes]]


class Snapshot(Struct, frozen=True, kw_only=True):
    """One policy and its bundle, both as one version of the policy document pairs them.

    ``recheck`` compiles a version completely that was loaded deferred, and returns whether the
    store refused it: then the store has another snapshot. Call it when a review fails.
    """

    policy: Policy
    policy_version: str
    bundle: Bundle
    stale: Staleness | None = None
    recheck: Recheck | None = None


class SnapshotSet(Struct, frozen=True):
    """The snapshots of one injector: the one for every cluster, and those with overrides."""

    default: Snapshot
    clusters: Mapping[str, Snapshot] = field(default_factory=dict[str, Snapshot])

    def for_cluster(self, cluster: str | None, stale: Staleness | None = None) -> Snapshot:
        """The snapshot that answers one cluster's reviews."""
        found = self.default if cluster is None else self.clusters.get(cluster, self.default)
        return replace(found, stale=stale) if stale else found

    def with_recheck(self, recheck: Recheck) -> "SnapshotSet":
        """These snapshots, with a way to check them completely."""
        return SnapshotSet(
            replace(self.default, recheck=recheck),
            {name: replace(own, recheck=recheck) for name, own in self.clusters.items()},
        )


def load_snapshots(
    injector: str, document: str, version: str, fetch: Fetch, *, parse_lazily: bool = False
) -> SnapshotSet:
    """Read a policy document and compile every bundle that it names, for every cluster.

    Raises ``RefusedError`` with all faults of the first document that has any. ``deferred`` is
    for what replaces nothing; ``bundle.compile_`` says what it puts off.
    """
    try:
        read = policy.parse(document)
        compiler = _BundleCache(fetch, deferred=parse_lazily)
        return SnapshotSet(
            _make_snapshot(read, version, compiler),
            {
                cluster: _make_snapshot(own, version, compiler)
                for cluster, own in read.clusters.items()
            },
        )
    except (PolicyError, BundleError) as error:
        raise InvalidVersionError(f"injector {injector} does not load: {error}") from error


class _BundleCache:
    """Compiles each bundle once for all policies that ask the same of it."""

    def __init__(self, fetch: Fetch, *, deferred: bool) -> None:
        self._fetch = fetch
        self._deferred = deferred
        self._compiled: list[tuple[Policy, Bundle]] = []

    def bundle(self, wanted: Policy) -> Bundle:
        for policy_, compiled in self._compiled:
            if policy_.shares_bundle_with(wanted):
                return compiled.with_policy(wanted)
        files = self._fetch(wanted.bundle)
        compiled = bundle.compile_(files, wanted, parse_lazily=self._deferred)
        self._compiled.append((wanted, compiled))
        return compiled


def _make_snapshot(policy_: Policy, version: str, compiler: _BundleCache) -> Snapshot:
    return Snapshot(policy=policy_, policy_version=version, bundle=compiler.bundle(policy_))
