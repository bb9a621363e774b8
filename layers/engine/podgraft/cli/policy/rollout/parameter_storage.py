"""The rollouts of a stack: the policy, the bundles, and the brakes in AWS."""

from collections.abc import Mapping
from datetime import datetime

from podgraft.cli import stacks
from podgraft.cli.failure import CommandError
from podgraft.cli.policy.cloud import DeployedInjector
from podgraft.cli.policy.document_text import strip_signature
from podgraft.cli.policy.signing import Signer, check_signer
from podgraft.cli.policy.target import DeploymentTarget
from podgraft.core import bundle

from .alarms import Alarm, read_alarms
from .evidence import Evidence
from .insights import LogGroup
from .stored_policy import StoredPolicy
from .text import read_rollout


class ParameterRolloutStorage(DeployedInjector):
    """The parameters and the bucket of a stack."""

    # Environments read the parameters once in this time.
    delay = "within RefreshSeconds (default: 30 s)"

    def __init__(self, target: DeploymentTarget) -> None:
        super().__init__(target, stacks.make_client("ssm"), stacks.make_client("s3"))
        self._stack = self.require_owner()

    def read(self) -> StoredPolicy:
        """Return the newest version."""
        live = self.current_version()
        return StoredPolicy(text=live.document, label=live.label, date=live.date, version=live)

    def write(
        self, document: str, replaced: StoredPolicy, signer: Signer | None, message: str = ""
    ) -> str:
        """Put a document in force if *replaced* still is, and return its label.

        Reports versions that were written at the same time.
        """
        check_signer(signer, replaced.text, replaced.label)
        number = self.put_policy(document, replaced.version, message, signer)
        return f"version {number} of {self.target.parameter}"

    def upload(self, digest: str | None, files: Mapping[str, bytes]) -> list[str]:
        """Upload missing and damaged files; return a line for each.

        The bundle is read again to verify it.
        """
        missing = self.upload_bundle(digest or bundle.digest(files), files)
        return [
            f"upload     {number}/{len(missing)} {path}, {len(content)} bytes"
            for number, (path, content) in enumerate(missing.items(), start=1)
        ]

    @property
    def has_log(self) -> bool:
        """Whether ``read_evidence`` has a log to read: the owner of the prefix names one."""
        return bool(self._stack.log_group)

    def read_evidence(self, rollout: str, since: datetime | None) -> Evidence | None:
        """Return the evidence since a moment, or since the start; None without a log."""
        if not self._stack.log_group:
            return None
        group = LogGroup(stacks.make_client("logs"), self._stack.log_group)
        return group.read_evidence(self.injector, rollout, since or self._find_start(rollout))

    def _find_start(self, rollout: str) -> datetime | None:
        """Return when the oldest stored version with a rollout was stored."""
        for version in self.history():
            try:
                fields = read_rollout(strip_signature(version.document))
            except CommandError:
                continue
            if fields is not None and fields.get("id") == rollout:
                return version.date
        return None

    def read_alarms(self) -> tuple[Alarm, ...] | None:
        """Return the alarms that invoke the guard; None without a guard."""
        if not self._stack.guard:
            return None
        return read_alarms(stacks.make_client("cloudwatch"), self._stack.guard)

    def check_alias(self) -> None:
        """Raise ``CommandError`` while the function serves reviews with two versions of its code.

        The alias selects one at random for each review, so a difference has two possible causes.
        """
        alias = stacks.find_alias(self._stack.stack)
        if alias is not None:
            stacks.check_alias(stacks.make_client("lambda"), alias)
