"""Where a rollout is stored. This module has the parameters of a stack."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from podgraft.cli import stacks
from podgraft.cli.failure import CommandError
from podgraft.cli.policy.cloud import DeployedInjector, PolicyVersion
from podgraft.cli.policy.signing import Signer, signed_version, strip_signature
from podgraft.cli.policy.target import DeploymentTarget
from podgraft.cli.storage import Documents
from podgraft.cli.storage.parameters import ParameterDocuments

from .alarms import Alarm, read_alarms
from .evidence import Evidence
from .insights import LogGroup
from .text import read_rollout


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPolicy:
    """The policy in force: its text, its version, and when it was stored."""

    text: str
    label: str
    date: datetime | None
    version: PolicyVersion | None = None

    @property
    def document(self) -> str:
        """The text without its signature."""
        return strip_signature(self.text)


class RolloutStorage(Protocol):
    """The policy, the bundles, and the documents of one injector."""

    @property
    def injector(self) -> str:
        """The name of the injector."""
        ...

    @property
    def documents(self) -> Documents:
        """The documents of the store."""
        ...

    @property
    def options(self) -> str:
        """The options of this storage for another command."""
        ...

    @property
    def delay(self) -> str:
        """How long until a change is in force everywhere."""
        ...

    def read(self) -> StoredPolicy:
        """Return the policy in force; raises ``CommandError`` without one."""
        ...

    def write(self, document: str, replaced: StoredPolicy, signer: Signer | None) -> str:
        """Put a document in force if *replaced* still is, and return its label."""
        ...

    def check_denied(self, digests: Iterable[str]) -> None:
        """Raise ``CommandError`` for a denied bundle."""
        ...

    def upload(self, digest: str, files: Mapping[str, bytes]) -> list[str]:
        """Store a bundle; return a line for each new file."""
        ...

    def read_bundle(self, digest: str | None) -> Mapping[str, bytes]:
        """Return a bundle, or the only one; raises ``CommandError``."""
        ...

    @property
    def has_log(self) -> bool:
        """Whether ``read_evidence`` has a log to read."""
        ...

    def read_evidence(self, rollout: str, since: datetime | None) -> Evidence | None:
        """Return the evidence since a moment, or since the start; None without a log."""
        ...

    def read_alarms(self) -> tuple[Alarm, ...] | None:
        """Return the alarms that invoke the guard; None without a guard."""
        ...

    def check_alias(self) -> None:
        """Raise ``CommandError`` while the function serves reviews with two versions of its code.

        The alias selects one at random for each review, so a difference has two possible causes.
        """
        ...


def check_signer(replaced: StoredPolicy, signer: Signer | None) -> None:
    """Raise ``CommandError`` if an unsigned document would replace a signed one."""
    if signer is None and signed_version(replaced.text) is not None:
        raise CommandError(
            f"{replaced.label} is signed; sign the new version with --sign KEY or --sign-key FILE"
        )


class ParameterRolloutStorage:
    """The parameters and the bucket of a stack."""

    def __init__(self, target: DeploymentTarget) -> None:
        self._target = target
        self._ssm: Any = stacks.make_client("ssm")
        self._cloud = DeployedInjector(target, self._ssm, stacks.make_client("s3"))
        self._cloud.check_owner(is_required=True)
        owner = stacks.find_owner(self._ssm, target.parameter_prefix)
        if owner is None:
            raise stacks.no_owner_error(target.parameter_prefix, target.bucket)
        self._owner = owner

    @property
    def injector(self) -> str:
        """The name of the injector."""
        return self._target.injector

    @property
    def documents(self) -> Documents:
        """The parameters of the prefix."""
        return ParameterDocuments(self._ssm, self._target.parameter_prefix)

    @property
    def options(self) -> str:
        """The options of the target."""
        return self._target.options

    @property
    def delay(self) -> str:
        """Environments read the parameters once in this time."""
        return "within RefreshSeconds (default: 30 s)"

    def read(self) -> StoredPolicy:
        """Read the newest version."""
        live = self._cloud.current_version()
        return StoredPolicy(
            text=live.document, label=f"version {live.number}", date=live.date, version=live
        )

    def write(self, document: str, replaced: StoredPolicy, signer: Signer | None) -> str:
        """Store a version; reports versions that were written at the same time."""
        check_signer(replaced, signer)
        if signer is None:
            number = self._cloud.put_policy(document, replaced.version)
        else:
            number = self._cloud.put_signed_policy(signer, document, replaced.version)
        return f"version {number} of {self._target.parameter}"

    def check_denied(self, digests: Iterable[str]) -> None:
        """Compare with the deny list of the prefix."""
        self._cloud.check_denied(digests)

    def upload(self, digest: str, files: Mapping[str, bytes]) -> list[str]:
        """Upload missing and damaged files; read the bundle again to verify it."""
        stored = self._cloud.list_objects(digest)
        missing = {
            path: content
            for path, content in files.items()
            if stored.get(path) != len(content) or self._cloud.read_file(digest, path) != content
        }
        for path, content in missing.items():
            self._cloud.upload_file(digest, path, content)
        self._cloud.read_bundle(digest)
        return [
            f"upload     {number}/{len(missing)} {path}, {len(content)} bytes"
            for number, (path, content) in enumerate(missing.items(), start=1)
        ]

    def read_bundle(self, digest: str | None) -> Mapping[str, bytes]:
        """Download a bundle."""
        if digest is None:
            raise CommandError("the policy names no bundle; push one with podgraft push")
        return self._cloud.read_bundle(digest)

    @property
    def has_log(self) -> bool:
        """Whether the owner of the prefix names the log group of its function."""
        return bool(self._owner.log_group)

    def read_evidence(self, rollout: str, since: datetime | None) -> Evidence | None:
        """Query the log group of the function."""
        if not self._owner.log_group:
            return None
        group = LogGroup(stacks.make_client("logs"), self._owner.log_group)
        return group.read_evidence(self.injector, rollout, since or self._find_start(rollout))

    def _find_start(self, rollout: str) -> datetime | None:
        """Return when the oldest stored version with a rollout was stored."""
        for version in self._cloud.history():
            try:
                fields = read_rollout(strip_signature(version.document))
            except CommandError:
                continue
            if fields is not None and fields.get("id") == rollout:
                return version.date
        return None

    def read_alarms(self) -> tuple[Alarm, ...] | None:
        """Read the alarms of the guard that the owner of the prefix names."""
        if not self._owner.guard:
            return None
        return read_alarms(stacks.make_client("cloudwatch"), self._owner.guard)

    def check_alias(self) -> None:
        """Read the routing of the alias that the stack has as an output."""
        alias = stacks.find_alias(self._owner.stack)
        if alias is not None:
            stacks.check_alias(stacks.make_client("lambda"), alias)
