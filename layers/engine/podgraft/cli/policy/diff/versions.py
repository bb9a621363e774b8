"""A version to compare: a policy, the files of its bundle, and the snapshots of the clusters."""

from collections.abc import Mapping

from msgspec import Struct

from podgraft.cli.failure import convert_errors
from podgraft.cli.policy.document_text import strip_signature
from podgraft.core.versions.errors import StoreError
from podgraft.core.versions.snapshot import Fetch, Snapshot, SnapshotSet
from podgraft.core.versions.snapshot_loader import load_snapshots


class Version(Struct, frozen=True, kw_only=True):
    """A version. ``snapshots`` is ``None`` if there is no policy, as before the first push.

    ``fetch`` returns the files of a bundle by the digest that the policy names.
    """

    name: str
    document: str | None = None
    fetch: Fetch = lambda _: {}
    snapshots: SnapshotSet | None = None

    @classmethod
    def load(cls, name: str, injector: str, document: str, fetch: Fetch) -> "Version":
        """Compile a version; raises ``CommandError`` if it does not load."""
        with convert_errors(StoreError, place=name):
            snapshots = load_snapshots(injector, document, name, fetch)
        return cls(name=name, document=strip_signature(document), fetch=fetch, snapshots=snapshots)

    @property
    def clusters(self) -> frozenset[str]:
        """The clusters with overrides."""
        return frozenset(self.snapshots.policy.overrides if self.snapshots else ())

    @property
    def groups(self) -> frozenset[str]:
        """The groups of clusters."""
        return frozenset(self.snapshots.policy.groups if self.snapshots else ())

    def files(self, cluster: str | None, registered: tuple[str, ...] = ()) -> Mapping[str, bytes]:
        """The files of the bundle for one cluster."""
        snapshot = self.snapshot(cluster, registered)
        return {} if snapshot is None else self.fetch(snapshot.policy.bundle)

    def snapshot(self, cluster: str | None, registered: tuple[str, ...] = ()) -> Snapshot | None:
        """The configuration for one cluster, if there is a policy.

        *registered* are its groups in the registry.
        """
        if self.snapshots is None:
            return None
        return self.snapshots.for_cluster(cluster, registered=registered)


NO_POLICY = Version(name="no policy")
