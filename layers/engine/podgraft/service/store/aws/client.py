"""Calls to AWS with a retry budget, and the interfaces of the two clients (``clients.py``).

A review waits for its policy, so a call must end within a second. This module decides whether to
retry, by the remaining time.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias, TypeVar

from msgspec import Struct

from podgraft.base import system
from podgraft.base.jsonvalue import JSON
from podgraft.core.versions.errors import NotLoadedError, StoreError, UnavailableError

T = TypeVar("T")

# The longest wait of one attempt, for a connection and for a response.
CONNECT_SECONDS = 0.5
READ_SECONDS = 0.8
# Between two attempts, twice as long each time: a burst of cold starts that is throttled must not
# multiply its requests.
_PAUSE_SECONDS = 0.05

# Ten times the largest bundle of Istio. A larger object would fill the memory of the function.
MAX_OBJECT_BYTES = 20 * 1024 * 1024

# Error codes that a retry can resolve (Smithy's transient and throttling errors).
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
    """The object or the parameter is missing."""


class RetryBudget(Struct, frozen=True):
    """The time for one refresh: all its calls and their retries."""

    deadline: float
    clock: Callable[[], float] = system.monotonic

    @classmethod
    def from_seconds(
        cls, seconds: float, clock: Callable[[], float] = system.monotonic
    ) -> "RetryBudget":
        """Return a budget of *seconds* from now."""
        return cls(clock() + seconds, clock)

    @property
    def remaining_seconds(self) -> float:
        """The remaining seconds; zero or negative if there are none."""
        return self.deadline - self.clock()


class Listing(Struct, frozen=True, kw_only=True):
    """The objects below a prefix: keys, total bytes, and whether the list is complete."""

    keys: tuple[str, ...]
    size: int
    is_complete: bool


# Parameter Store: returns the response of one operation with arguments, as in the API reference, or
# raises ``AwsServiceError`` or ``OSError``, within a number of seconds.
ParameterStore: TypeAlias = Callable[[str, Mapping[str, JSON], float], Mapping[str, Any]]


class ObjectReader(Protocol):
    """Reads of S3; raises ``AwsServiceError`` or ``OSError``, within *seconds*."""

    def keys(self, bucket: str, prefix: str, limit: int, seconds: float) -> Listing:
        """List the objects below a prefix."""
        ...

    def read(self, bucket: str, key: str, seconds: float) -> bytes:
        """Return the content of an object."""
        ...


class ObjectWriter(Protocol):
    """Writes to S3; raises ``AwsServiceError`` or ``OSError``, within *seconds*."""

    def put_object(self, bucket: str, key: str, content: bytes, seconds: float) -> None:
        """Store a new object; an existing one is an ``AwsServiceError``."""
        ...


class AwsServiceError(Exception):
    """An error response of a service."""

    def __init__(self, code: str, status: int) -> None:
        super().__init__(code)
        self.code = code
        self.status = status


def read_body(read: Callable[[int], bytes]) -> bytes:
    """Return the content of an object; of a larger one than ``MAX_OBJECT_BYTES``, only a part.

    That has another digest. *read* returns at most a number of bytes, and at the end verifies the
    length of the object.
    """
    content = bytearray()
    while chunk := read(MAX_OBJECT_BYTES + 1 - len(content)):
        content += chunk
    return bytes(content)


def call_with_retries(operation: str, request: Callable[[float], T], patience: RetryBudget) -> T:
    """Return the response to *request*, with retries until *patience* is used up.

    Each attempt receives the remaining seconds as its timeout. Raises ``MissingError``,
    ``NotLoadedError`` for errors that an operator must fix (such as access denied), and
    ``UnavailableError`` for all others. *operation* names the call in the message.
    """
    pause = _PAUSE_SECONDS
    while True:
        left = patience.remaining_seconds
        if left <= 0:
            raise UnavailableError(f"{operation}: no time left")
        try:
            return request(left)
        except (AwsServiceError, OSError) as error:
            problem = _to_store_error(operation, error)
            is_final = not isinstance(problem, UnavailableError)
            if is_final or patience.remaining_seconds <= READ_SECONDS:
                raise problem from error
        system.sleep(pause)
        pause *= 2


def _to_store_error(item: str, error: AwsServiceError | OSError) -> StoreError:
    """The error of this package for an error of AWS, by its origin."""
    if isinstance(error, OSError):
        return UnavailableError(f"{item}: {type(error).__name__}")
    code = error.code or str(error.status)
    if code in _MISSING:
        return MissingError(f"{item}: not found ({code})")
    if code in _TRANSIENT or error.status >= _FIRST_SERVER_ERROR:
        return UnavailableError(f"{item}: {code}")
    return NotLoadedError(f"{item}: {code}; the function's role must allow it")
