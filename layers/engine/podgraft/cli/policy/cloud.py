"""A deployed injector: its bundles in S3, and the versions of its policy in Parameter Store."""

from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from typing import Any

from podgraft.cli import stacks
from podgraft.cli.config_source import Location
from podgraft.cli.failure import CommandError
from podgraft.cli.parameter_values import STANDARD_BYTES
from podgraft.cli.stacks import AbsentError, ExistsError, Owner, aws_errors, put_parameter
from podgraft.cli.storage.parameters import ParameterDocuments
from podgraft.cli.tokens.storage_factory import open_repository
from podgraft.core import bundle
from podgraft.service.store.caller_document import Callers

from .bundle_bucket import BundleBucket, Report, ignore
from .denied import check_denied
from .document_text import strip_signature
from .large_policy import check_signed_size, split_policy
from .rollout.evidence import Evidence
from .rollout.insights import Alarm, LogGroup, read_alarms
from .rollout.text import read_rollout
from .signing import SignedOrigin, Signer, check_origin, read_signed_bundle, sign_document
from .target import DeploymentTarget, TargetOptions
from .versions import PolicyVersion, StoredPolicy, to_stored

_COMPARE = "compare it with `podgraft diff`, then run the command again"
_MAX_ATTEMPTS = 5  # to sign for the number that Parameter Store returns


class DeployedInjector(BundleBucket):
    """One injector in one AWS account and region, with the credentials of the process."""

    # Environments read the parameters once in this time.
    delay = "within RefreshSeconds (default: 30 s)"

    def __init__(self, target: DeploymentTarget, ssm: Any, s3: Any) -> None:
        super().__init__(target, s3)
        self._ssm = ssm
        self._owner: Owner | None = None
        self.injector = target.injector
        self.documents = ParameterDocuments(ssm, target.parameter_prefix)

    @property
    def options(self) -> str:
        """The options of the target for another command."""
        return self.target.options

    @property
    def all_options(self) -> str:
        """The same, for all regions of this command."""
        return self.target.all_options

    def require_owner(self) -> Owner:
        """As ``find_owner``, for commands that write: also raises if the prefix has no owner."""
        owner, target = self.find_owner(), self.target
        if owner is None:
            raise stacks.no_owner_error(target.parameter_prefix, target.bucket)
        return owner

    def find_owner(self) -> Owner | None:
        """Return the stack that owns the parameter prefix, if any.

        Raises ``CommandError`` for a stack with another bucket.
        """
        target = self.target
        owner = self._owner = stacks.find_owner(self._ssm, target.parameter_prefix)
        if owner is None:
            return None
        if (target.bucket, target.bundle_prefix) != (owner.bucket, owner.bundle_prefix):
            raise CommandError(
                f"stack {target.name}: uses s3://{target.bucket}/{target.bundle_prefix}, but "
                f"stack {owner.stack} reads {target.parameter_prefix} and uses "
                f"s3://{owner.bucket}/{owner.bundle_prefix}; use --config stack:{owner.stack}"
            )
        return owner

    def history(self) -> list[PolicyVersion]:
        """Return all stored versions, the oldest first; none for a new injector."""
        pages = self._ssm.get_paginator("get_parameter_history").paginate(
            Name=self.target.parameter, WithDecryption=True
        )
        with suppress(AbsentError), aws_errors(f"parameter {self.target.parameter}"):
            return [
                PolicyVersion(
                    number=entry.get("Version", 0),
                    stored=entry.get("Value", ""),
                    date=entry.get("LastModifiedDate"),
                    author=entry.get("LastModifiedUser", ""),
                    is_advanced=entry.get("Tier") == "Advanced",
                    message=entry.get("Description", ""),
                    read=self.read_bundle,
                )
                for page in pages
                for entry in page["Parameters"]
            ]
        return []

    @cached_property
    def callers(self) -> Mapping[str, Callers]:
        """The callers of each cluster; read once."""
        prefix = self.target.parameter_prefix
        return open_repository(Location(parameter_prefix=prefix)).read_all()

    def check_denied(self, digests: Iterable[str]) -> None:
        """Raise ``CommandError`` for a bundle that is on the deny list."""
        check_denied(self.documents, digests, f"--parameter-prefix {self.target.parameter_prefix}")

    def existing_versions(self) -> list[PolicyVersion]:
        """Return all stored versions; raises ``CommandError`` if there are none."""
        versions = self.history()
        if not versions:
            raise CommandError(
                f"injector {self.target.injector} has no policy: parameter "
                f"{self.target.parameter} not found; check --injector, or create it with "
                "`podgraft push`"
            )
        return versions

    def current_version(self) -> PolicyVersion:
        """Return the newest version; raises ``CommandError`` if there is none."""
        return self.existing_versions()[-1]

    def check_version(self, expected: int) -> None:
        """Raise ``CommandError`` if another version than *expected* is in force; 0 means none."""
        self._check_newest(self.history(), expected)

    def check_unchanged(self, expected: PolicyVersion | None) -> None:
        """Raise ``CommandError`` unless *expected* is in force, and not only its number.

        A parameter that was deleted and created again counts from 1.
        """
        versions = self.history()
        self._check_newest(versions, expected.number if expected else 0)
        if expected is not None and versions[-1].date != expected.date:
            raise CommandError(
                f"parameter {self.target.parameter}: was deleted, and created again by "
                f"{versions[-1].person}; {_COMPARE}"
            )

    def _check_newest(self, versions: Sequence[PolicyVersion], expected: int) -> None:
        newest = versions[-1].number if versions else 0
        if newest != expected:
            by = f" by {versions[-1].person}" if versions else ""
            raise CommandError(
                f"parameter {self.target.parameter}: expected version {expected}, got version "
                f"{newest}{by}; {_COMPARE}"
            )

    def put_policy(
        self,
        document: str,
        replaced: PolicyVersion | None,
        message: str = "",
        signer: Signer | None = None,
    ) -> int:
        """Store a new version of the policy and return its number. This switch is atomic.

        With a signer, the version has a signature for its number. Raises ``CommandError`` if
        another version than *replaced* is in force. Parameter Store cannot change an advanced
        parameter to a standard one, so its tier remains.
        """
        expected = replaced.number if replaced else 0
        self.check_unchanged(replaced)
        stored = self.upload_overrides(document)
        if signer is None:
            numbers = [self.put_parameter(stored, replaced, message)]
        else:
            digest = read_signed_bundle(document) or ""
            numbers = self._put_signed_version(signer, stored, digest, replaced, message)
        number = numbers[-1]
        others = [each for each in range(expected + 1, number) if each not in numbers]
        if others:
            self._report_replaced(others, number)
        return number

    def _put_signed_version(
        self,
        signer: Signer,
        document: str,
        digest: str,
        replaced: PolicyVersion | None,
        message: str,
    ) -> list[int]:
        """Store a version until its signature is for its number; return the numbers.

        A push at the same time can take the number. Then the stored version is not valid, and the
        version in force of the function does not change, until the document is signed again.
        """
        number = replaced.number + 1 if replaced else 1
        numbers: list[int] = []
        while not numbers or numbers[-1] != number:
            if len(numbers) == _MAX_ATTEMPTS:
                raise CommandError(
                    f"parameter {self.target.parameter}: other versions are written at the same "
                    f"time; version {numbers[-1]} has a signature for another version; push again"
                )
            number = numbers[-1] + 1 if numbers else number
            signed = sign_document(signer, document, self.target.parameter, number, digest)
            check_signed_size(signed, self.target.parameter)
            numbers.append(self.put_parameter(signed, replaced, message))
        return numbers

    def upload_overrides(self, document: str) -> str:
        """Return the document to store; its overrides are in the bucket already."""
        split = split_policy(document)
        if split.files:
            self.upload_bundle(split.digest, split.files)
        return split.document

    def put_parameter(
        self, document: str, replaced: PolicyVersion | None, message: str = ""
    ) -> int:
        """Store a version without a check of its number, and return the number.

        The description of a version contains its message. Without one, Parameter Store would copy
        the description of the earlier version.
        """
        if self._owner is not None:
            stacks.check_reader(self._owner, document)
        advanced = (
            bool(replaced and replaced.is_advanced) or len(document.encode()) > STANDARD_BYTES
        )
        try:
            response = put_parameter(
                self._ssm,
                self.target.parameter,
                document,
                Description=message,
                Type="String",
                Tier="Advanced" if advanced else "Standard",
                Overwrite=replaced is not None,
            )
        except ExistsError:
            self.check_version(0)
            raise
        return response["Version"]

    def _report_replaced(self, numbers: Container[int], number: int) -> None:
        """Raise ``CommandError`` with the versions that were written since the last check.

        Parameter Store has no conditional update, so podgraft detects this afterwards.
        """
        replaced = [each for each in self.history() if each.number in numbers]
        raise CommandError(
            f"parameter {self.target.parameter}: version {number} is in force, but replaced "
            + ", ".join(f"version {each.number} by {each.person}" for each in replaced)
            + ", written at the same time; compare them, or restore the other: "
            f"podgraft rollback {number - 1} {self.target.options}"
        )

    def delete_policy(self) -> None:
        """Delete the policy parameter with all its versions."""
        with aws_errors(f"parameter {self.target.parameter}"):
            self._ssm.delete_parameter(Name=self.target.parameter)

    def check_origin(self, signer: Signer | None, stored: StoredPolicy) -> None:
        """Raise ``CommandError`` if a command must not sign what it makes of a stored policy."""
        version = stored.version
        origin = SignedOrigin(
            text=stored.text if version is None else version.stored,
            label=stored.label,
            subject=self.target.parameter,
            number=stored.number,
        )
        check_origin(signer, origin, self.target.verifier)

    def read(self) -> StoredPolicy:
        """Return the newest version."""
        return to_stored(self.current_version())

    def write(
        self, document: str, replaced: StoredPolicy, signer: Signer | None, message: str = ""
    ) -> str:
        """Put a document in force if *replaced* still is, and return its label.

        Reports versions that were written at the same time.
        """
        self.check_origin(signer, replaced)
        number = self.put_policy(document, replaced.version, message, signer)
        return f"version {number} of {self.target.parameter}"

    def upload(
        self, digest: str | None, files: Mapping[str, bytes], report: Report = ignore
    ) -> None:
        """Upload missing and damaged files, and report each."""
        self.upload_bundle(digest or bundle.digest(files), files, report)

    @property
    def _stack(self) -> Owner:
        return self._owner or self.require_owner()

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


def connect(options: TargetOptions, *, writes: bool = False) -> DeployedInjector:
    """Connect to the injector; raises ``CommandError`` if the options belong to two stacks."""
    ssm, s3 = map(stacks.make_client, ("ssm", "s3"))
    cloud = DeployedInjector(options.resolve(), ssm, s3)
    _ = cloud.require_owner() if writes else cloud.find_owner()
    return cloud
