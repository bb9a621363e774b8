"""The snapshots of a test file: its bundle and policy, for each calling cluster and release."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from msgspec.structs import replace

from podgraft.cli import documents, folders
from podgraft.cli.config_source import ConfigFolder
from podgraft.cli.failure import CommandError
from podgraft.core import bundle, policy
from podgraft.core.bundle import BundleError
from podgraft.core.injectors.istio import releases
from podgraft.core.policy import Policy, PolicyError
from podgraft.core.versions.snapshot import Snapshot

VERSION = "local"


@dataclass(slots=True)
class SnapshotCache:
    """Compiles each bundle once for all policies that compile it equally."""

    folder: ConfigFolder
    files: Mapping[str, bytes] = field(init=False)
    policy: Policy = field(init=False)
    _compiled: list[Snapshot] = field(default_factory=list[Snapshot])

    def __post_init__(self) -> None:
        """Read the files; raises ``CommandError``."""
        self.files = folders.read_manifests(self.folder.bundle)
        text = documents.read_text(self.folder.policy) if self.folder.policy else ""
        try:
            self.policy = policy.parse(text)
        except PolicyError as error:
            raise CommandError(
                *(str(replace(each, document=str(self.folder.policy))) for each in error.errors)
            ) from error

    @property
    def has_istio(self) -> bool:
        """Whether the bundle contains an Istio configuration; raises ``CommandError``."""
        return self.load(None, None).bundle.istio is not None

    def load(self, cluster: str | None, release: str | None) -> Snapshot:
        """The snapshot for one cluster and release; raises ``CommandError``."""
        own = self.policy.for_cluster(cluster)
        self._check_bundle(own, cluster)
        # The bundle on disk is meant: a local policy names no digest, or that of a push.
        own = replace(own, bundle=None, istio_release=release or own.istio_release)
        for snapshot in self._compiled:
            if snapshot.policy.shares_bundle_with(own):
                compiled = snapshot.bundle.with_policy(own)
                return replace(snapshot, policy=own, bundle=compiled)
        try:
            compiled = bundle.compile_(self.files, own)
        except BundleError as error:
            raise CommandError(*map(str, error.errors)) from error
        unsupported = [each for each in compiled.warnings if each.pointer == "/istioRelease"]
        if release is not None and releases.is_newer(release):
            raise CommandError(
                *(f"releases: {each.problem}; {each.remedy}" for each in unsupported)
            )
        if release is not None and compiled.istio is None:
            raise CommandError(
                f"{self.folder.bundle}: contains no Istio configuration, so a release has no "
                "effect; remove releases from the test"
            )
        snapshot = Snapshot(policy=own, policy_version=VERSION, bundle=compiled)
        self._compiled.append(snapshot)
        return snapshot

    def _check_bundle(self, own: Policy, cluster: str | None) -> None:
        """A cluster can have another bundle than the policy, which is not in this folder."""
        if own.bundle in {None, self.policy.bundle, bundle.digest(self.files)}:
            return
        raise CommandError(
            f"{self.folder.policy} /clusters/{cluster}/bundle: names another bundle than the "
            "policy; test the files of that bundle in a separate test file, with its path in bundle"
        )
