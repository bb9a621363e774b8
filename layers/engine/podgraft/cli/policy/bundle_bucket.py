"""The bundles of a deployed injector, in S3."""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, TypeAlias

from msgspec import Struct

from podgraft.cli.failure import CommandError, raise_findings
from podgraft.cli.stacks import AbsentError, aws_errors
from podgraft.core import bundle
from podgraft.service.store.aws.client import read_body
from podgraft.service.store.aws.s3 import TOO_LARGE, fits

from .target import DeploymentTarget

# Receives a line for each file that is written.
Report: TypeAlias = Callable[[str], None]

_DIGEST = re.compile(r"[0-9a-f]{64}")


def ignore(line: str) -> None:
    """Report no file."""
    del line


class StoredObject(Struct, frozen=True):
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


class BundleBucket:
    """The objects of one injector; *s3* is boto3's client."""

    def __init__(self, target: DeploymentTarget, s3: Any) -> None:
        self.target = target
        self._s3 = s3
        self._bundles: dict[str, Mapping[str, bytes]] = {}

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

    def upload_bundle(
        self, digest: str, files: Mapping[str, bytes], report: Report = ignore
    ) -> None:
        """Upload missing and damaged files, report each, and verify the bundle."""
        self.upload_missing(digest, files, report)
        self.read_bundle(digest)

    def upload_missing(self, digest: str, files: Mapping[str, bytes], report: Report) -> int:
        """As ``upload_bundle``, without the verification; return the number of files."""
        missing = self.find_missing(digest, files)
        for number, (path, content) in enumerate(missing.items(), start=1):
            report(f"upload   {number}/{len(missing)} {path}, {len(content)} bytes")
            self.upload_file(digest, path, content)
        return len(missing)

    def find_missing(self, digest: str, files: Mapping[str, bytes]) -> Mapping[str, bytes]:
        """Return the files of a bundle that S3 does not have, and those that are damaged there."""
        stored = self.list_objects(digest)
        return {
            path: content
            for path, content in files.items()
            # A file of another size is damaged. It is not downloaded, so downloads have a limit.
            if stored.get(path) != len(content) or not self._has_content(digest, path, content)
        }

    def _has_content(self, digest: str, path: str, content: bytes) -> bool:
        try:
            return self.read_file(digest, path) == content
        except AbsentError:  # another command deleted it since it was listed
            return False

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
        if not fits(len(paths), sum(paths.values())):
            raise CommandError(f"bundle {digest} in s3://{self.target.bucket}: {TOO_LARGE}")
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
        raise_findings(
            f"object {self.target.object_key(digest, path)!r} in s3://{self.target.bucket}: "
            f"the path of a file {problem}; delete the object"
            for path, problem in problems.items()
            if problem
        )

    def read_file(self, digest: str, path: str) -> bytes:
        """Return a stored file of a bundle, without verification; raises ``AbsentError``."""
        key = self.target.object_key(digest, path)
        with aws_errors(f"s3://{self.target.bucket}/{key}", absent="NoSuchKey"):
            return read_body(self._s3.get_object(Bucket=self.target.bucket, Key=key)["Body"].read)
