"""The versions to compare: the one in force, and the local one that would replace it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from podgraft.cli import documents
from podgraft.cli.failure import CommandError, print_warnings
from podgraft.core import policy
from podgraft.service.store import Snapshot
from podgraft.service.store.caller_document import Callers

from .cloud import DeployedInjector, connect
from .diff import NO_POLICY, Version
from .document_text import strip_signature
from .folder_injector import FolderInjector
from .in_force import find_in_force
from .local import CheckedBundle
from .target import TargetOptions
from .version_loading import Injector


@dataclass(frozen=True)
class StoredInjector:
    """The version in force of an injector, and the storage of its bundles."""

    current: Version
    storage: Injector

    @cached_property
    def callers(self) -> Mapping[str, Callers]:
        """The callers by cluster; read once."""
        return self.storage.read_callers()

    def find_snapshot(self, version: Version, cluster: str | None) -> Snapshot | None:
        """Return a version's configuration for a cluster, with its groups in the registry."""
        has_groups = version.snapshots is not None and version.snapshots.groups is not None
        own = self.callers.get(cluster) if has_groups and cluster is not None else None
        return version.snapshot(cluster, () if own is None else own.groups)

    def load_local(self, checked: CheckedBundle, document: str) -> Version:
        """Compile a local version; bundles of other digests are in the storage."""

        def fetch(digest: str | None) -> Mapping[str, bytes]:
            if digest in {None, checked.digest}:
                return checked.files
            return self.storage.read_bundle(digest)

        return Version.load("local policy", self.storage.injector, document, fetch)


def open_injector(options: TargetOptions) -> StoredInjector:
    """Load the version in force; ``NO_POLICY`` before the first push."""
    if options.folder is not None:
        folder = FolderInjector(options.folder, options.injector)
        return StoredInjector(_load_folder(folder), folder)
    cloud = connect(options)
    return StoredInjector(load_current(cloud), cloud)


def load_current(cloud: DeployedInjector) -> Version:
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


def read_local_document(checked: CheckedBundle, path: Path | None, current: Version) -> str:
    """Return the document to compare.

    A push adds the digest of the bundle. The policy of a folder does not have to name it.
    """
    names_bundle = current.document is None or policy.parse(current.document).bundle is not None
    if names_bundle:
        return checked.document
    return strip_signature(documents.read_text(path)) if path else ""


def _load_folder(folder: FolderInjector) -> Version:
    if not folder.exists:
        return NO_POLICY
    document = folder.read_document()
    return Version.load(str(folder.path), folder.injector, document, folder.read_bundle)
