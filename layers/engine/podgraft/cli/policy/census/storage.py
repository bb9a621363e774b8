"""The records of a census: in a folder, or in a bucket."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeAlias

from podgraft.cli import stacks
from podgraft.cli.failure import CommandError, raise_findings
from podgraft.cli.folders import list_files
from podgraft.cli.policy.bundle_bucket import list_objects
from podgraft.cli.policy.target import TargetOptions
from podgraft.cli.stacks import aws_errors
from podgraft.core.census.record import SUFFIX, InvalidRecordError, Record, decode_record
from podgraft.service.store.aws.client import read_body

_BUCKET_PREFIX = "s3://"
# The path of a record: injector, cluster, namespace, digest, week.
_PARTS = 5
_THREADS = 16
_BATCH = 1000  # S3 deletes this many objects with one request


def find_workload(path: str) -> str:
    """Return the path of a record without the week: equal for records of the same workload."""
    return path.rpartition("/")[0]


def find_cluster(path: str) -> str:
    """Return the cluster of a record; empty for requests without authentication."""
    name = path.split("/")[1]
    return "" if name == "_" else name


def _is_record(path: str) -> bool:
    name = path.rpartition("/")[2]
    is_complete = name.endswith(SUFFIX) and not name.startswith(".")
    return is_complete and path.count("/") == _PARTS - 1


class FolderRecords:
    """The records of ``podgraft serve --census``, or a copy of a bucket."""

    def __init__(self, folder: Path) -> None:
        self.name = str(folder)
        self._folder = folder

    def list_files(self, injector: str) -> dict[str, int]:
        """Return the bytes of each file by its path; a missing folder contains none."""
        files = list_files(self._folder / injector, is_recursive=True)
        names = {path.relative_to(self._folder).as_posix(): path for path in files}
        return {name: path.stat().st_size for name, path in names.items() if _is_record(name)}

    def read(self, path: str) -> bytes:
        """Read a file."""
        return (self._folder / path).read_bytes()

    def delete(self, paths: Iterable[str]) -> None:
        """Delete files, and the folders that are empty then."""
        for path in paths:
            file = self._folder / path
            file.unlink(missing_ok=True)
            for parent in file.parents[: _PARTS - 1]:
                if any(parent.iterdir()):
                    break
                parent.rmdir()


class BucketRecords:
    """The records of a stack."""

    def __init__(self, bucket: str, s3: Any) -> None:
        self.name = f"{_BUCKET_PREFIX}{bucket}"
        self._bucket = bucket
        self._s3 = s3

    def list_files(self, injector: str) -> dict[str, int]:
        """Return the bytes of each object by its key."""
        found = list_objects(self._s3, self._bucket, f"{injector}/", "check --census")
        return {each.key: each.size for each in found if _is_record(each.key)}

    def read(self, path: str) -> bytes:
        """Download an object."""
        with aws_errors(f"{self.name}/{path}"):
            return read_body(self._s3.get_object(Bucket=self._bucket, Key=path)["Body"].read)

    def delete(self, paths: Iterable[str]) -> None:
        """Delete objects."""
        keys = [{"Key": path} for path in paths]
        for start in range(0, len(keys), _BATCH):
            batch = {"Objects": keys[start : start + _BATCH], "Quiet": True}
            with aws_errors(self.name):
                response = self._s3.delete_objects(Bucket=self._bucket, Delete=batch)
            for error in response.get("Errors", []):
                raise CommandError(
                    f"{self.name}/{error.get('Key')}: cannot delete: {error.get('Code')}"
                )


RecordStorage: TypeAlias = FolderRecords | BucketRecords


def open_records(options: TargetOptions, place: str | None) -> RecordStorage:
    """Open the storage that an option names, else that of the store or the stack."""
    if place is not None:
        if place.startswith(_BUCKET_PREFIX):
            bucket = place.removeprefix(_BUCKET_PREFIX).rstrip("/")
            return BucketRecords(bucket, stacks.make_client("s3"))
        folder = Path(place)
        if not folder.is_dir():
            raise CommandError(f"{folder}: is not a folder; check --census")
        return FolderRecords(folder)
    if options.folder is not None:
        return FolderRecords(options.folder / "census")
    if options.stack_name is None:
        raise CommandError("--census: is missing; use a folder or s3://BUCKET, or --config")
    bucket = stacks.lookup_stack(options.stack_name).census
    if not bucket:
        raise CommandError(
            f"stack {options.stack_name}: output CensusBucket is missing; "
            "deploy the stack with Census=true"
        )
    return BucketRecords(bucket, stacks.make_client("s3"))


def read_newest(storage: RecordStorage, injector: str) -> list[Record]:
    """Return the newest record of each workload; raises ``CommandError`` for invalid records."""
    newest = {find_workload(path): path for path in sorted(storage.list_files(injector))}
    with ThreadPoolExecutor(_THREADS) as pool:
        contents = [*pool.map(storage.read, newest.values())]
    records: list[Record] = []
    findings: list[str] = []
    for path, content in zip(newest.values(), contents, strict=True):
        try:
            records.append(decode_record(content))
        except InvalidRecordError as error:
            findings.append(f"{storage.name}/{path}: {error}; delete it")
    raise_findings(findings)
    return records
