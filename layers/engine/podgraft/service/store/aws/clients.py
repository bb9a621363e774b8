"""Parameter Store and S3 through boto3, with one deadline for each request.

The hazard: boto3's timeouts apply to each part of a response and to each address of a name. It has
no timeout for name resolution and credentials. So each request runs in a thread, and this module
stops waiting at the deadline. The abandoned request ends by the timeouts of ``CONFIG`` and of the
resolver, and its result is discarded.
"""

import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import boto3
from botocore import xform_name
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from podgraft.base.jsonvalue import JSON
from podgraft.service.store.timeouts import run_with_timeout

from .client import CONNECT_SECONDS, READ_SECONDS, AwsServiceError, Listing, read_body
from .snapstart import run_before_snapshot

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

T = TypeVar("T")

# At DEBUG, botocore logs complete responses, which contain decrypted parameters.
_BOTOCORE_LOGGER = logging.getLogger("botocore")

CONFIG = Config(
    connect_timeout=CONNECT_SECONDS,
    read_timeout=READ_SECONDS,
    retries={"total_max_attempts": 1},
    parameter_validation=False,
    tcp_keepalive=True,
    max_pool_connections=4,  # an environment serves one review at a time
)


class Ssm:
    """The client of Parameter Store."""

    def __init__(self, client: object) -> None:
        self._client = client

    def __call__(
        self, operation: str, arguments: Mapping[str, JSON], seconds: float
    ) -> Mapping[str, Any]:
        """Return the response of one operation."""
        method: Callable[..., Mapping[str, Any]] = getattr(self._client, xform_name(operation))
        return _run(seconds, lambda: method(**arguments))


class S3:
    """The client of S3."""

    def __init__(self, client: "S3Client") -> None:
        self._client = client

    def keys(self, bucket: str, prefix: str, limit: int, seconds: float) -> Listing:
        """List the objects below a prefix."""
        page = _run(
            seconds,
            lambda: self._client.list_objects_v2(Bucket=bucket, Prefix=prefix, MaxKeys=limit),
        )
        entries = page.get("Contents", [])
        return Listing(
            keys=tuple(entry["Key"] for entry in entries if "Key" in entry),
            size=sum(entry.get("Size", 0) for entry in entries),
            is_complete=not page.get("IsTruncated"),
        )

    def read(self, bucket: str, key: str, seconds: float) -> bytes:
        """Return the content of an object."""
        return _run(seconds, lambda: self._read(bucket, key))

    def put_object(self, bucket: str, key: str, content: bytes, seconds: float) -> None:
        """Store a new object."""
        _run(
            seconds,
            lambda: self._client.put_object(Bucket=bucket, Key=key, Body=content, IfNoneMatch="*"),
        )

    def _read(self, bucket: str, key: str) -> bytes:
        return read_body(self._client.get_object(Bucket=bucket, Key=key)["Body"].read)


def make_clients() -> tuple[Ssm, S3]:
    """Return both clients, with the credentials and the region of the process."""
    _BOTOCORE_LOGGER.setLevel(logging.INFO)
    s3 = boto3.client("s3", config=CONFIG)  # pyright: ignore[reportUnknownMemberType]
    ssm = boto3.client("ssm", config=CONFIG)  # pyright: ignore[reportUnknownMemberType]
    # AWS does not guarantee the state of a connection after a restore, and a dead one uses up the
    # time of the first review. A closed client opens new connections.
    for client in (s3, ssm):
        run_before_snapshot(client.close)
    return Ssm(ssm), S3(s3)


def _run(seconds: float, request: Callable[[], T]) -> T:
    """Return the response; raises the errors that ``call_with_retries`` expects."""
    try:
        return run_with_timeout(seconds, request)
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "unknown")
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        raise AwsServiceError(code, status) from error
    except BotoCoreError as error:
        # Endpoint, timeout, and truncation errors. Their texts can contain host names.
        raise ConnectionError(type(error).__name__) from error
