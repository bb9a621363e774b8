"""AWS calls that end in time: clients that never wait long, and retries within a budget.

A review waits for its policy, so a call has to answer or fail within a second; who repeats it, and
how often, is decided here by the time that is left and not by botocore. Clients are made from
botocore, which boto3 wraps: boto3's own import adds a quarter to the cold start and no call.
"""

import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager
from time import monotonic, sleep
from typing import TYPE_CHECKING, TypeVar, cast

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from botocore.session import get_session

from podgraft.records import dataclass

from .errors import NotLoadedError, UnavailableError

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_ssm import SSMClient

T = TypeVar("T")

CONNECT_SECONDS = 0.5
READ_SECONDS = 0.8
# A cold start with AWS out of reach must answer within two seconds, interpreter start included.
PATIENCE_SECONDS = 1.4
_PAUSE_SECONDS = 0.05

# Error codes that another try may not meet again (Smithy's transient and throttling errors).
_TRANSIENT = frozenset(
    {
        "InternalError",
        "InternalServerError",
        "InternalFailure",
        "PriorRequestNotComplete",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "RequestTimeout",
        "RequestTimeoutException",
        "ServiceUnavailable",
        "SlowDown",
        "Throttling",
        "ThrottlingException",
        "ThrottledException",
        "TooManyRequestsException",
    }
)
_MISSING = frozenset({"NoSuchKey", "NoSuchBucket", "ParameterNotFound", "404"})
_FIRST_SERVER_ERROR = 500
# At DEBUG botocore logs whole answers, and so what Parameter Store keeps encrypted.
_QUIET = logging.getLogger("botocore")


class MissingError(NotLoadedError):
    """What was asked for is not there."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one refresh may take, all its calls and their repetitions together."""

    ends: float
    clock: Callable[[], float] = monotonic

    @classmethod
    def of(cls, seconds: float, clock: Callable[[], float] = monotonic) -> "Patience":
        """Patience for *seconds* from now."""
        return cls(clock() + seconds, clock)

    @property
    def left(self) -> float:
        """Seconds that are left; not positive once it is over."""
        return self.ends - self.clock()


CONFIG = Config(
    connect_timeout=CONNECT_SECONDS,
    read_timeout=READ_SECONDS,
    retries={"total_max_attempts": 1},
    parameter_validation=False,
    tcp_keepalive=True,
    max_pool_connections=4,  # an environment serves one review at a time
)


def clients() -> "tuple[SSMClient, S3Client]":
    """Clients for the two services, by the process's own credentials and region."""
    _QUIET.setLevel(logging.INFO)
    session = get_session()
    # botocore's create_client is typed for no service in particular.
    ssm = cast("SSMClient", session.create_client("ssm", config=CONFIG))
    return ssm, cast("S3Client", session.create_client("s3", config=CONFIG))


def call(what: str, request: Callable[[], T], patience: Patience) -> T:
    """The answer to *request*, repeated while that may help and *patience* lasts.

    Raises ``MissingError``, ``NotLoadedError`` for what only an operator can mend (access denied),
    ``UnavailableError`` for the rest; *what* says in the message what was being done.
    """
    while True:
        try:
            with _translated(what):
                return request()
        except UnavailableError:
            if patience.left <= READ_SECONDS:
                raise
            sleep(_PAUSE_SECONDS)


@contextmanager
def _translated(what: str) -> Generator[None]:
    """Turn botocore's errors into this package's, by whose fault they are."""
    try:
        yield
    except ClientError as error:
        raise _refused(what, error) from error
    except (BotoCoreError, OSError) as error:
        # Endpoint, timeout and truncation errors; their texts may name hosts, never credentials.
        raise UnavailableError(f"{what}: {type(error).__name__}") from error


def _refused(what: str, error: ClientError) -> Exception:
    code = error.response.get("Error", {}).get("Code", "unknown")
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if code in _MISSING:
        return MissingError(f"{what}: not there ({code})")
    if code in _TRANSIENT or status >= _FIRST_SERVER_ERROR:
        return UnavailableError(f"{what}: {code}")
    return NotLoadedError(f"{what}: {code}; the function's role must allow it")
