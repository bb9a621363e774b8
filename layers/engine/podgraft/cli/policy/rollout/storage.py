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
from podgraft.cli.stacks import AbsentError, aws_errors, put_parameter
from podgraft.service.store.aws.ssm import BRAKE

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
    """The policy, the bundles, and the brakes of one injector."""

    @property
    def injector(self) -> str:
        """The name of the injector."""
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

    def brake_name(self, *, for_all: bool) -> str:
        """Return the name of a brake: of all injectors, or of this one."""
        ...

    def read_brake(self, *, for_all: bool) -> str | None:
        """Return the text of a brake, or None."""
        ...

    def write_brake(self, text: str, *, for_all: bool) -> None:
        """Replace a brake."""
        ...

    def delete_brake(self, *, for_all: bool) -> None:
        """Delete a brake."""
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

    def brake_name(self, *, for_all: bool) -> str:
        """The name of the parameter."""
        prefix = self._target.parameter_prefix
        return f"{prefix}/{BRAKE}" if for_all else f"{prefix}/{self.injector}/{BRAKE}"

    def read_brake(self, *, for_all: bool) -> str | None:
        """Read the parameter."""
        name = self.brake_name(for_all=for_all)
        try:
            with aws_errors(f"parameter {name}"):
                response = self._ssm.get_parameter(Name=name, WithDecryption=True)
        except AbsentError:
            return None
        return response["Parameter"].get("Value", "")

    def write_brake(self, text: str, *, for_all: bool) -> None:
        """Replace the parameter."""
        name = self.brake_name(for_all=for_all)
        put_parameter(self._ssm, name, text, Type="String", Overwrite=True)

    def delete_brake(self, *, for_all: bool) -> None:
        """Delete the parameter."""
        name = self.brake_name(for_all=for_all)
        with aws_errors(f"parameter {name}"):
            self._ssm.delete_parameter(Name=name)

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
