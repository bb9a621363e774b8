"""What one review is answered from: exactly one policy and the bundle that belongs to it."""

from collections.abc import Callable, Mapping
from dataclasses import field, replace

from podgraft import bundle, policy
from podgraft.bundle import Bundle, BundleError
from podgraft.policy import Policy, PolicyError
from podgraft.records import dataclass

from .errors import RefusedError

# The files of the bundle with this digest; without one, of the only bundle there is.
Fetch = Callable[[str | None], Mapping[str, bytes]]

Recheck = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Document:
    """A policy document as it is stored, and the files of every bundle that it names.

    The key of the only bundle there is, which a policy need not name, is ``None``.
    """

    text: str
    version: str
    bundles: Mapping[str | None, Mapping[str, bytes]]


@dataclass(frozen=True, slots=True)
class Stale:
    """Why what is in force may be older than what is stored.

    ``refused``: the newer version was read, and does not load. ``age_seconds`` is how long ago the
    version in force was last found to be the stored one, where the store keeps time.
    """

    why: str
    refused: bool
    age_seconds: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One policy and its bundle, both as one version of the policy document pairs them.

    ``recheck`` compiles a version completely that was loaded deferred, and returns whether the
    store refused it: then the store has another snapshot. Call it when a review fails.
    """

    policy: Policy
    policy_version: str
    bundle: Bundle
    stale: Stale | None = None
    recheck: Recheck | None = None


@dataclass(frozen=True, slots=True)
class Snapshots:
    """The snapshots of one injector: the one for every cluster, and those with overrides."""

    every: Snapshot
    clusters: Mapping[str, Snapshot] = field(default_factory=dict[str, Snapshot])

    def of(self, cluster: str | None, stale: Stale | None = None) -> Snapshot:
        """The snapshot that answers one cluster's reviews."""
        found = self.every if cluster is None else self.clusters.get(cluster, self.every)
        return replace(found, stale=stale) if stale else found

    def with_recheck(self, recheck: Recheck) -> "Snapshots":
        """These snapshots, with a way to check them completely."""
        return Snapshots(
            replace(self.every, recheck=recheck),
            {name: replace(own, recheck=recheck) for name, own in self.clusters.items()},
        )


def load(
    injector: str, document: str, version: str, fetch: Fetch, *, deferred: bool = False
) -> Snapshots:
    """Read a policy document and compile every bundle that it names, for every cluster.

    Raises ``RefusedError`` with all faults of the first document that has any. ``deferred`` is
    for what replaces nothing; ``bundle.compile_`` says what it puts off.
    """
    try:
        read = policy.parse(document)
        compiler = _Compiler(fetch, deferred=deferred)
        return Snapshots(
            _snapshot(read, version, compiler),
            {cluster: _snapshot(own, version, compiler) for cluster, own in read.clusters.items()},
        )
    except (PolicyError, BundleError) as error:
        raise RefusedError(f"injector {injector} does not load: {error}") from error


class _Compiler:
    """Compiles each bundle once for all policies that ask the same of it."""

    def __init__(self, fetch: Fetch, *, deferred: bool) -> None:
        self._fetch = fetch
        self._deferred = deferred
        self._compiled: list[tuple[Policy, Bundle]] = []

    def bundle(self, wanted: Policy) -> Bundle:
        for policy_, compiled in self._compiled:
            if policy_.compiles_as(wanted):
                return compiled.under(wanted)
        files = self._fetch(wanted.bundle)
        compiled = bundle.compile_(files, wanted, deferred=self._deferred)
        self._compiled.append((wanted, compiled))
        return compiled


def _snapshot(policy_: Policy, version: str, compiler: _Compiler) -> Snapshot:
    return Snapshot(policy=policy_, policy_version=version, bundle=compiler.bundle(policy_))
