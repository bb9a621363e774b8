"""The deployed side: objects of bundles in S3, versions of the policy in Parameter Store."""

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, cast

from botocore.exceptions import BotoCoreError, ClientError
from botocore.session import get_session

from podgraft import bundle
from podgraft.cli.failure import CommandError

from .local import STANDARD_BYTES

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_ssm import SSMClient

_ABSENT = frozenset({"NoSuchKey", "NoSuchBucket", "ParameterNotFound", "404"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where one injector's policy and bundles are kept."""

    injector: str
    bucket: str
    bundle_prefix: str = "bundles/"
    parameter_prefix: str = "/podgraft"

    @property
    def parameter(self) -> str:
        """The name of the policy parameter."""
        return f"{self.parameter_prefix}/{self.injector}/policy"

    def folder(self, digest: str) -> str:
        """The key prefix of one bundle."""
        return f"{self.bundle_prefix}{self.injector}/{digest.removeprefix('sha256:')}/"

    def key(self, digest: str, path: str) -> str:
        """The name of the object that holds one file of a bundle."""
        return self.folder(digest) + path


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One version of the policy parameter."""

    number: int
    document: str
    date: datetime | None
    author: str
    advanced: bool


class Cloud:
    """One injector in one AWS account and region; credentials are the process's own."""

    def __init__(self, target: Target, ssm: "SSMClient", s3: "S3Client") -> None:
        self.target = target
        self._ssm = ssm
        self._s3 = s3

    @classmethod
    def connect(cls, target: Target) -> "Cloud":
        """Make the clients; region and credentials come from the environment as for aws-cli."""
        session = get_session()
        try:
            # botocore's create_client is typed for no service in particular.
            ssm = cast("SSMClient", session.create_client("ssm"))
            return cls(target, ssm, cast("S3Client", session.create_client("s3")))
        except BotoCoreError as error:
            raise CommandError(f"AWS: {error}") from error

    def history(self) -> list[Version]:
        """Every version that Parameter Store still has, oldest first; none for a new injector."""
        pages = self._ssm.get_paginator("get_parameter_history").paginate(
            Name=self.target.parameter, WithDecryption=True
        )
        try:
            with _said(f"parameter {self.target.parameter}"):
                return [
                    Version(
                        number=entry.get("Version", 0),
                        document=entry.get("Value", ""),
                        date=entry.get("LastModifiedDate"),
                        author=entry.get("LastModifiedUser", ""),
                        advanced=entry.get("Tier") == "Advanced",
                    )
                    for page in pages
                    for entry in page["Parameters"]
                ]
        except _AbsentError:
            return []

    def live(self) -> Version:
        """The version in force; ``CommandError`` for an injector that has none."""
        versions = self.history()
        if not versions:
            name = self.target.parameter
            raise CommandError(f"parameter {name} does not exist; `podgraft policy push` makes it")
        return versions[-1]

    def put(self, document: str, *, advanced: bool = False) -> int:
        """Store a new version of the policy and return its number: the one atomic switch.

        What is ``advanced`` has to stay so: Parameter Store makes no standard parameter of it.
        """
        advanced = advanced or len(document.encode()) > STANDARD_BYTES
        with _said(f"parameter {self.target.parameter}", document):
            answer = self._ssm.put_parameter(
                Name=self.target.parameter,
                Value=document,
                Type="String",
                Tier="Advanced" if advanced else "Standard",
                Overwrite=True,
            )
        return answer["Version"]

    def stored(self, digest: str) -> dict[str, int]:
        """The bundle's objects by relative path, with their sizes in bytes."""
        folder = self.target.folder(digest)
        pages = self._s3.get_paginator("list_objects_v2").paginate(
            Bucket=self.target.bucket, Prefix=folder
        )
        with _said(f"bucket {self.target.bucket}"):
            return {
                entry.get("Key", "").removeprefix(folder): entry.get("Size", 0)
                for page in pages
                for entry in page.get("Contents", [])
            }

    def upload(self, digest: str, path: str, content: bytes) -> None:
        """Store one file of a bundle."""
        key = self.target.key(digest, path)
        with _said(f"s3://{self.target.bucket}/{key}"):
            self._s3.put_object(Bucket=self.target.bucket, Key=key, Body=content)

    def files(self, digest: str) -> Mapping[str, bytes]:
        """A stored bundle, verified; ``CommandError`` for one that is missing or damaged."""
        paths = self.stored(digest)
        self._check_paths(digest, paths)
        found = {path: self.read(digest, path) for path in paths}
        if not found:
            raise CommandError(f"bundle {digest} is not in s3://{self.target.bucket}; push it")
        if bundle.digest(found) != digest:
            raise CommandError(f"bundle {digest} in s3://{self.target.bucket} is damaged; push it")
        return found

    def _check_paths(self, digest: str, paths: Iterable[str]) -> None:
        """Raise ``CommandError`` with every object whose key is not the path of a file.

        Only a person who wrote to the bucket by hand can have made one.
        """
        problems = {path: bundle.validate_path(path) for path in paths}
        findings = [
            f"object {self.target.key(digest, path)!r} in s3://{self.target.bucket}: "
            f"the path of a file {problem}; delete the object"
            for path, problem in problems.items()
            if problem
        ]
        if findings:
            raise CommandError(*findings)

    def read(self, digest: str, path: str) -> bytes:
        """One file of a bundle as it is stored, be it whole or damaged."""
        key = self.target.key(digest, path)
        with _said(f"s3://{self.target.bucket}/{key}"):
            return self._s3.get_object(Bucket=self.target.bucket, Key=key)["Body"].read()


class _AbsentError(CommandError):
    """What was asked for is not there."""


@contextmanager
def _said(place: str, sent: str = "") -> Generator[None]:
    """Say botocore's errors with the place they are about, and without the text that was *sent*."""
    try:
        yield
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "unknown")
        problem = error.response.get("Error", {}).get("Message", "")
        if sent:
            problem = problem.replace(sent, "…")
        kind = _AbsentError if code in _ABSENT else CommandError
        raise kind(f"{place}: {code}: {problem}") from error
    except BotoCoreError as error:
        raise CommandError(f"{place}: {error}") from error
