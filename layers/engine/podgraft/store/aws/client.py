"""AWS calls that end in time: clients that never wait long, and retries within a budget.

A review waits for its policy, so a call has to answer or fail within a second; who repeats it, and
how often, is decided here by the time that is left. Two modules speak to AWS: ``direct.py``, where
Lambda says all that has to be known, and ``sdk.py`` through botocore everywhere else.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from time import monotonic, sleep
from typing import Any, Protocol, TypeVar

from podgraft.jsonvalue import JSON
from podgraft.lazy_dataclass import dataclass
from podgraft.store.errors import NotLoadedError, UnavailableError

T = TypeVar("T")

# The most that one try waits, for a connection and for an answer; less where less is left.
CONNECT_SECONDS = 0.5
READ_SECONDS = 0.8
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


class MissingError(NotLoadedError):
    """What was asked for is not there."""


@dataclass(frozen=True, slots=True)
class RetryBudget:
    """How long one refresh may take, all its calls and their repetitions together."""

    deadline: float
    clock: Callable[[], float] = monotonic

    @classmethod
    def from_seconds(cls, seconds: float, clock: Callable[[], float] = monotonic) -> "RetryBudget":
        """Patience for *seconds* from now."""
        return cls(clock() + seconds, clock)

    @property
    def remaining_seconds(self) -> float:
        """Seconds that are left; not positive once it is over."""
        return self.deadline - self.clock()


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What is below a prefix: keys, bytes altogether, and whether that is all of it."""

    keys: tuple[str, ...]
    size: int
    is_complete: bool


class ParameterStore(Protocol):
    """Parameter Store; raises ``RefusedByAwsError`` or ``OSError``, within *seconds*."""

    def __call__(
        self, operation: str, arguments: Mapping[str, JSON], seconds: float
    ) -> Mapping[str, Any]:
        """The answer to one operation, as its reference describes it."""
        ...


class ObjectStore(Protocol):
    """S3; raises ``RefusedByAwsError`` or ``OSError``, within *seconds*."""

    def keys(self, bucket: str, prefix: str, limit: int, seconds: float) -> Listing:
        """The objects below a prefix."""
        ...

    def read(self, bucket: str, key: str, seconds: float) -> bytes:
        """The content of an object."""
        ...


class AwsServiceError(Exception):
    """A service's answer that it does not do this."""

    def __init__(self, code: str, status: int) -> None:
        super().__init__(code)
        self.code = code
        self.status = status


def make_clients(
    environment: Mapping[str, str], *, botocore: bool = False
) -> tuple[ParameterStore, ObjectStore]:
    """Both services: directly where Lambda says all there is to know, else through botocore.

    ``botocore`` asks for the latter wherever this runs (``PODGRAFT_AWS_CLIENT``).
    """
    from . import http_client

    account = None if botocore else http_client.config_from_environment(environment)
    if account is not None:
        return http_client.Ssm(account), http_client.S3(account)
    # Imported here: botocore is a third of a cold start.
    from . import botocore_client

    return botocore_client.make_clients()


def call_with_retries(operation: str, request: Callable[[float], T], patience: RetryBudget) -> T:
    """The answer to *request*, repeated while that may help and *patience* lasts.

    Each try is told the seconds that are left, and keeps to them.

    Raises ``MissingError``, ``NotLoadedError`` for what only an operator can mend (access denied),
    ``UnavailableError`` for the rest; *what* says in the message what was being done.
    """
    while True:
        left = patience.remaining_seconds
        if left <= 0:
            raise UnavailableError(f"{operation}: no time left")
        try:
            with _translate_errors(operation):
                return request(left)
        except UnavailableError:
            if patience.remaining_seconds <= READ_SECONDS:
                raise
            sleep(_PAUSE_SECONDS)


@contextmanager
def _translate_errors(what: str) -> Generator[None]:
    """Turn the services' errors into this package's, by whose fault they are."""
    try:
        yield
    except AwsServiceError as error:
        raise _to_store_error(what, error) from error
    except OSError as error:
        raise UnavailableError(f"{what}: {type(error).__name__}") from error


def _to_store_error(what: str, error: AwsServiceError) -> Exception:
    code = error.code or str(error.status)
    if code in _MISSING:
        return MissingError(f"{what}: not there ({code})")
    if code in _TRANSIENT or error.status >= _FIRST_SERVER_ERROR:
        return UnavailableError(f"{what}: {code}")
    return NotLoadedError(f"{what}: {code}; the function's role must allow it")
