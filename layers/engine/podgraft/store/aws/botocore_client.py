"""Parameter Store and S3 through botocore, which finds credentials and endpoints of every kind.

Clients are made from botocore, which boto3 wraps: boto3's own import adds a quarter to a cold start
and no call.

botocore takes its time limits once, for each piece of an answer and each address of a name, and
none for finding that name or the credentials. So a call runs in a thread, and is waited for as long
as there is time. One that was given up ends by ``CONFIG`` and the resolver; nobody hears of it.
"""

import logging
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from botocore import xform_name
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from botocore.session import get_session

from podgraft.jsonvalue import JSON

from .client import CONNECT_SECONDS, READ_SECONDS, AwsServiceError, Listing
from .connection import run_with_timeout

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

# At DEBUG botocore logs whole answers, and so what Parameter Store keeps encrypted.
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
    """Parameter Store."""

    def __init__(self, client: object) -> None:
        self._client = client

    def __call__(
        self, operation: str, arguments: Mapping[str, JSON], seconds: float
    ) -> Mapping[str, Any]:
        """The answer to one operation."""
        method: Callable[..., Mapping[str, Any]] = getattr(self._client, xform_name(operation))
        with _translate_errors():
            return run_with_timeout(seconds, lambda: method(**arguments))


class S3:
    """Objects."""

    def __init__(self, client: "S3Client") -> None:
        self._client = client

    def keys(self, bucket: str, prefix: str, limit: int, seconds: float) -> Listing:
        """The objects below a prefix."""
        with _translate_errors():
            found = run_with_timeout(
                seconds,
                lambda: self._client.list_objects_v2(Bucket=bucket, Prefix=prefix, MaxKeys=limit),
            )
        entries = found.get("Contents", [])
        return Listing(
            keys=tuple(entry["Key"] for entry in entries if "Key" in entry),
            size=sum(entry.get("Size", 0) for entry in entries),
            is_complete=not found.get("IsTruncated"),
        )

    def read(self, bucket: str, key: str, seconds: float) -> bytes:
        """The content of an object."""
        with _translate_errors():
            return run_with_timeout(seconds, lambda: self._read(bucket, key))

    def _read(self, bucket: str, key: str) -> bytes:
        return self._client.get_object(Bucket=bucket, Key=key)["Body"].read()


def make_clients() -> tuple[Ssm, S3]:
    """Both services, by the process's own credentials and region."""
    _BOTOCORE_LOGGER.setLevel(logging.INFO)
    session = get_session()
    # botocore's create_client is typed for no service in particular.
    s3 = cast("S3Client", session.create_client("s3", config=CONFIG))
    return Ssm(session.create_client("ssm", config=CONFIG)), S3(s3)


@contextmanager
def _translate_errors() -> Generator[None]:
    """Turn botocore's errors into those that ``aws.call`` knows."""
    try:
        yield
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "unknown")
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        raise AwsServiceError(code, status) from error
    except BotoCoreError as error:
        # Endpoint, timeout and truncation errors; their texts may name hosts, never credentials.
        raise ConnectionError(type(error).__name__) from error
