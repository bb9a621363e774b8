"""A deployed injector: its bundles in S3, and the versions of its policy in Parameter Store."""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from podgraft.cli import stacks
from podgraft.cli.config_source import Location
from podgraft.cli.failure import CommandError
from podgraft.cli.parameter_values import STANDARD_BYTES
from podgraft.cli.stacks import AbsentError, ExistsError, Owner, aws_errors, put_parameter
from podgraft.cli.storage.parameters import ParameterDocuments
from podgraft.cli.tokens.storage_factory import open_repository
from podgraft.core import bundle, policy
from podgraft.core.signing import DenyList
from podgraft.service.store.caller_document import Callers

from .denied import check_denied, load_deny_list
from .large_policy import check_signed_size, split_policy
from .signing import Signer, sign_document
from .target import DeploymentTarget, TargetOptions
from .versions import PolicyVersion

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_ssm import SSMClient


_DIGEST = re.compile(r"[0-9a-f]{64}")
_COMPARE = "compare it with `podgraft diff`, then run the command again"
_MAX_ATTEMPTS = 5  # to sign for the number that Parameter Store returns


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object in S3, with its size in bytes."""

    key: str
    size: int
    modified: datetime


def list_objects(s3: Any, bucket: str, prefix: str, remedy: str = "") -> list[StoredObject]:
    """Return the objects below a prefix; *s3* is boto3's client."""
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
    with aws_errors(f"bucket {bucket}", remedy=remedy):
        return [
            StoredObject(each["Key"], each["Size"], each["LastModified"])
            for page in pages
            for each in page.get("Contents", [])
        ]


class DeployedInjector:
    """One injector in one AWS account and region, with the credentials of the process."""

    def __init__(self, target: DeploymentTarget, ssm: "SSMClient", s3: "S3Client") -> None:
        self.target = target
        self._ssm = ssm
        self._s3 = s3
        self._bundles: dict[str, Mapping[str, bytes]] = {}
        self._owner: Owner | None = None
        self.documents = ParameterDocuments(ssm, target.parameter_prefix)

    @classmethod
    def connect(cls, target: DeploymentTarget) -> "DeployedInjector":
        """Connect with the region and the credentials of the environment, as aws-cli does."""
        return cls(target, stacks.make_client("ssm"), stacks.make_client("s3"))

    @property
    def injector(self) -> str:
        """The name of the injector."""
        return self.target.injector

    @property
    def options(self) -> str:
        """The options of the target for another command."""
        return self.target.options

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
                f"stack {target.stack}: uses s3://{target.bucket}/{target.bundle_prefix}, but "
                f"stack {owner.stack} reads {target.parameter_prefix} and uses "
                f"s3://{owner.bucket}/{owner.bundle_prefix}; use --config stack:{owner.stack}"
            )
        return owner

    def history(self) -> list[PolicyVersion]:
        """Return all stored versions, the oldest first; none for a new injector."""
        pages = self._ssm.get_paginator("get_parameter_history").paginate(
            Name=self.target.parameter, WithDecryption=True
        )
        try:
            with aws_errors(f"parameter {self.target.parameter}"):
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
        except AbsentError:
            return []

    @cached_property
    def callers(self) -> Mapping[str, Callers]:
        """The callers of each cluster; read once."""
        prefix = self.target.parameter_prefix
        return open_repository(Location(parameter_prefix=prefix)).read_all()

    def check_denied(self, digests: Iterable[str]) -> None:
        """Raise ``CommandError`` for a bundle that is on the deny list."""
        check_denied(self.documents, digests, f"--parameter-prefix {self.target.parameter_prefix}")

    def read_deny_list(self) -> DenyList:
        """Return the deny list of the stack."""
        return load_deny_list(self.documents)

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
            digest = policy.parse(document).bundle or ""
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

    def list_bundles(self) -> dict[str, list[StoredObject]]:
        """Return the objects of all bundles of the injector, by digest.

        Objects outside the folder of a bundle are not listed.
        """
        folder = f"{self.target.bundle_prefix}{self.target.injector}/"
        bundles: dict[str, list[StoredObject]] = {}
        for stored in list_objects(self._s3, self.target.bucket, folder):
            name, slash, _ = stored.key.removeprefix(folder).partition("/")
            if slash and _DIGEST.fullmatch(name):
                bundles.setdefault(f"sha256:{name}", []).append(stored)
        return bundles

    def delete_objects(self, objects: Iterable[StoredObject]) -> None:
        """Delete objects; the versioning of the bucket retains their content for some time."""
        for each in objects:
            with aws_errors(f"s3://{self.target.bucket}/{each.key}"):
                self._s3.delete_object(Bucket=self.target.bucket, Key=each.key)

    def delete_policy(self) -> None:
        """Delete the policy parameter with all its versions."""
        with aws_errors(f"parameter {self.target.parameter}"):
            self._ssm.delete_parameter(Name=self.target.parameter)

    def list_objects(self, digest: str) -> dict[str, int]:
        """Return the sizes in bytes of the objects of a bundle, by relative path."""
        folder = self.target.folder(digest)
        found = list_objects(self._s3, self.target.bucket, folder)
        return {each.key.removeprefix(folder): each.size for each in found}

    def upload_file(self, digest: str, path: str, content: bytes) -> None:
        """Store one file of a bundle."""
        key = self.target.object_key(digest, path)
        with aws_errors(f"s3://{self.target.bucket}/{key}"):
            self._s3.put_object(Bucket=self.target.bucket, Key=key, Body=content)

    def upload_bundle(self, digest: str, files: Mapping[str, bytes]) -> Mapping[str, bytes]:
        """Upload missing and damaged files, and verify the bundle; return what was uploaded."""
        missing = self.find_missing(digest, files)
        for path, content in missing.items():
            self.upload_file(digest, path, content)
        self.read_bundle(digest)
        return missing

    def find_missing(self, digest: str, files: Mapping[str, bytes]) -> Mapping[str, bytes]:
        """Return the files of a bundle that S3 does not have, and those that are damaged there."""
        stored = self.list_objects(digest)
        return {
            path: content
            for path, content in files.items()
            # A file of another size is damaged. It is not downloaded, so downloads have a limit.
            if stored.get(path) != len(content) or self.read_file(digest, path) != content
        }

    def read_bundle(self, digest: str | None) -> Mapping[str, bytes]:
        """Return a verified bundle; raises ``CommandError`` if it is missing or damaged."""
        if digest is None:
            raise CommandError("the policy names no bundle; push one with podgraft push")
        if digest not in self._bundles:
            self._bundles[digest] = self._download_bundle(digest)
        return self._bundles[digest]

    def _download_bundle(self, digest: str) -> Mapping[str, bytes]:
        paths = self.list_objects(digest)
        self._check_paths(digest, paths)
        files = {path: self.read_file(digest, path) for path in paths}
        if not files:
            raise CommandError(f"bundle {digest} is missing in s3://{self.target.bucket}; push it")
        if bundle.digest(files) != digest:
            raise CommandError(f"bundle {digest} in s3://{self.target.bucket} is damaged; push it")
        return files

    def _check_paths(self, digest: str, paths: Iterable[str]) -> None:
        """Raise ``CommandError`` with every object that has a key with an invalid path.

        podgraft never writes such an object.
        """
        problems = {path: bundle.validate_path(path) for path in paths}
        findings = [
            f"object {self.target.object_key(digest, path)!r} in s3://{self.target.bucket}: "
            f"the path of a file {problem}; delete the object"
            for path, problem in problems.items()
            if problem
        ]
        if findings:
            raise CommandError(*findings)

    def read_file(self, digest: str, path: str) -> bytes:
        """Return a stored file of a bundle, without verification."""
        key = self.target.object_key(digest, path)
        with aws_errors(f"s3://{self.target.bucket}/{key}"):
            return self._s3.get_object(Bucket=self.target.bucket, Key=key)["Body"].read()


def connect(options: TargetOptions, *, writes: bool = False) -> DeployedInjector:
    """Connect to the injector; raises ``CommandError`` if the options belong to two stacks."""
    cloud = DeployedInjector.connect(options.resolve())
    _ = cloud.require_owner() if writes else cloud.find_owner()
    return cloud
