"""Every fault, whose it is, and what HTTP says about it: the one table (design §2).

All of these are failed calls, so the webhook's failurePolicy decides; a refusal of the pod is no
fault but an answer, and made in ``review``.
"""

from collections.abc import Mapping
from dataclasses import field
from http import HTTPStatus

from podgraft import admission
from podgraft.admission import NotAReviewError, TooLargeError, errored
from podgraft.injectors import OperatorError, redact
from podgraft.lazy_dataclass import dataclass
from podgraft.store import NotLoadedError, UnavailableError, UnknownInjectorError

from .errors import (
    ContentTypeError,
    ForbiddenError,
    NoRouteError,
    ThrottledError,
    UnauthenticatedError,
    WrongMethodError,
)


@dataclass(frozen=True, slots=True)
class FaultRow:
    """One line of the table."""

    code: HTTPStatus
    origin: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


TABLE: Mapping[type[Exception], FaultRow] = {
    NotAReviewError: FaultRow(HTTPStatus.BAD_REQUEST, "caller"),
    UnauthenticatedError: FaultRow(
        HTTPStatus.UNAUTHORIZED, "caller", {"WWW-Authenticate": 'Bearer realm="podgraft"'}
    ),
    ForbiddenError: FaultRow(HTTPStatus.FORBIDDEN, "caller"),
    NoRouteError: FaultRow(HTTPStatus.NOT_FOUND, "caller"),
    UnknownInjectorError: FaultRow(HTTPStatus.NOT_FOUND, "caller"),
    WrongMethodError: FaultRow(HTTPStatus.METHOD_NOT_ALLOWED, "caller"),
    TooLargeError: FaultRow(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "caller"),
    ContentTypeError: FaultRow(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "caller"),
    ThrottledError: FaultRow(HTTPStatus.TOO_MANY_REQUESTS, "caller"),
    OperatorError: FaultRow(HTTPStatus.INTERNAL_SERVER_ERROR, "operator"),
    NotLoadedError: FaultRow(HTTPStatus.INTERNAL_SERVER_ERROR, "operator"),
    # kube-apiserver repeats the call after this many seconds, until its own timeout.
    UnavailableError: FaultRow(HTTPStatus.SERVICE_UNAVAILABLE, "world", {"Retry-After": "1"}),
}
INTERNAL = FaultRow(HTTPStatus.INTERNAL_SERVER_ERROR, "podgraft")


def find_row(error: Exception) -> FaultRow:
    """The line for an error; one that is in no line is a mistake of ours."""
    return next((TABLE[kind] for kind in type(error).__mro__ if kind in TABLE), INTERNAL)


@dataclass(frozen=True, slots=True)
class JsonResponse:
    """An HTTP answer with a JSON body."""

    code: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


def fault_response(error: Exception) -> JsonResponse:
    """A ``Status`` for the caller. Of a mistake of ours nothing is told but that it is one."""
    found = find_row(error)
    message = "podgraft failed; its log says how" if found is INTERNAL else redact(error)
    return JsonResponse(
        found.code.value, admission.encode(errored(found.code, message)), found.headers
    )
