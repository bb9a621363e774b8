"""The versions to compare: the one in force, and the local one that would replace it."""

from collections.abc import Mapping

import click
from msgspec import Struct
from msgspec.structs import replace

from podgraft.cli import documents
from podgraft.cli.config_source import ConfigFolder
from podgraft.cli.failure import CommandError, print_warnings
from podgraft.core import policy
from podgraft.core.review_context import ReviewContext
from podgraft.core.versions.snapshot import Snapshot

from .cloud import DeployedInjector
from .diff.comparison import Comparison, compare
from .diff.formats import OutputFormat, format_comparison
from .diff.objects import SampleOptions, load_objects
from .diff.versions import NO_POLICY, Version
from .document_text import strip_signature
from .in_force import find_in_force
from .local import CheckedBundle
from .storage import PolicyStorage
from .version_loading import find_registered_groups


class StoredInjector(Struct, frozen=True):
    """The version in force of an injector, and the storage of its bundles."""

    current: Version
    storage: PolicyStorage

    def find_snapshot(self, version: Version, cluster: str | None) -> Snapshot:
        """Return a version's configuration for a cluster, with its groups in the registry."""
        groups = find_registered_groups(self.storage, version.groups, cluster)
        snapshot = version.snapshot(cluster, groups)
        if snapshot is None:
            raise CommandError(f"{version.name}: has no policy")
        return snapshot

    def compare_with(
        self, after: Version, samples: SampleOptions, caller: ReviewContext
    ) -> Comparison:
        """Compare another version; a calling cluster has its groups in the registry."""
        known = self.current.groups | after.groups
        groups = find_registered_groups(self.storage, known, caller.cluster)
        objects = load_objects(samples, (self.current.snapshots, after.snapshots))
        return compare(self.current, after, objects, replace(caller, groups=groups))

    def confirm_change(
        self,
        checked: CheckedBundle,
        document: str,
        samples: SampleOptions,
        cluster: str | None = None,
        *,
        yes: bool = False,
    ) -> None:
        """Print the diff, and ask unless *yes*; raises ``CommandError`` without a confirmation."""
        caller = ReviewContext(injector=self.storage.injector, cluster=cluster)
        comparison = self.compare_with(self.load_local(checked, document), samples, caller)
        click.echo(format_comparison(comparison, OutputFormat.TEXT), nl=False)
        if not yes and not click.confirm("Put this version in force?"):
            raise CommandError("not confirmed; nothing is changed")

    def load_local(self, checked: CheckedBundle, document: str) -> Version:
        """Compile a local version; bundles of other digests are in the storage."""

        def fetch(digest: str | None) -> Mapping[str, bytes]:
            if digest in {None, checked.digest}:
                return checked.files
            return self.storage.read_bundle(digest)

        return Version.load("local policy", self.storage.injector, document, fetch)


def load_injector(storage: PolicyStorage) -> StoredInjector:
    """Load the version in force; ``NO_POLICY`` before the first push."""
    if isinstance(storage, DeployedInjector):
        return StoredInjector(_load_newest(storage), storage)
    current = NO_POLICY
    if storage.exists:
        document = storage.read_document()
        place = str(storage.path)
        current = Version.load(place, storage.injector, document, storage.read_bundle)
    return StoredInjector(current, storage)


def _load_newest(cloud: DeployedInjector) -> Version:
    """Load the version in force; with a warning if it is not the newest one."""
    versions = cloud.history()
    if not versions:
        return NO_POLICY
    in_force = find_in_force(cloud, versions)
    findings = [f"version {n} does not load: {text}" for n, text in in_force.errors.items()]
    version = in_force.version
    if version is None:
        raise CommandError(*findings, f"parameter {cloud.target.parameter}: no version loads")
    print_warnings(findings)
    name = f"version {version.number} of {cloud.target.parameter}"
    return Version.load(name, cloud.injector, version.document, cloud.read_bundle)


def read_local_document(checked: CheckedBundle, folder: ConfigFolder, current: Version) -> str:
    """Return the document to compare.

    A push adds the digest of the bundle. The policy of a folder does not have to name it.
    """
    names_bundle = current.document is None or policy.parse(current.document).bundle is not None
    if names_bundle:
        return checked.document
    return strip_signature(documents.read_text(folder.policy)) if folder.policy else ""
