"""Every fault, whose it is, and what HTTP says about it: the one table (design §2).

All of these are failed calls, so the webhook's failurePolicy decides; a refusal of the pod is no
fault but an answer, and made in ``review``.
"""

from collections.abc import Mapping
from dataclasses import field
from http import HTTPStatus

from podgraft import admission
from podgraft.admission import NotAReviewError, TooLargeError, errored
from podgraft.injection import OperatorError, discreet
from podgraft.records import dataclass
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
class Row:
    """One line of the table."""

    code: HTTPStatus
    whose: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


TABLE: Mapping[type[Exception], Row] = {
    NotAReviewError: Row(HTTPStatus.BAD_REQUEST, "caller"),
    UnauthenticatedError: Row(
        HTTPStatus.UNAUTHORIZED, "caller", {"WWW-Authenticate": 'Bearer realm="podgraft"'}
    ),
    ForbiddenError: Row(HTTPStatus.FORBIDDEN, "caller"),
    NoRouteError: Row(HTTPStatus.NOT_FOUND, "caller"),
    UnknownInjectorError: Row(HTTPStatus.NOT_FOUND, "caller"),
    WrongMethodError: Row(HTTPStatus.METHOD_NOT_ALLOWED, "caller"),
    TooLargeError: Row(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "caller"),
    ContentTypeError: Row(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "caller"),
    ThrottledError: Row(HTTPStatus.TOO_MANY_REQUESTS, "caller"),
    OperatorError: Row(HTTPStatus.INTERNAL_SERVER_ERROR, "operator"),
    NotLoadedError: Row(HTTPStatus.INTERNAL_SERVER_ERROR, "operator"),
    # kube-apiserver repeats the call after this many seconds, until its own timeout.
    UnavailableError: Row(HTTPStatus.SERVICE_UNAVAILABLE, "world", {"Retry-After": "1"}),
}
OURS = Row(HTTPStatus.INTERNAL_SERVER_ERROR, "podgraft")


def row(error: Exception) -> Row:
    """The line for an error; one that is in no line is a mistake of ours."""
    return next((TABLE[kind] for kind in type(error).__mro__ if kind in TABLE), OURS)


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP answer with a JSON body."""

    code: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


def reply(error: Exception) -> Reply:
    """A ``Status`` for the caller. Of a mistake of ours nothing is told but that it is one."""
    found = row(error)
    message = "podgraft failed; its log says how" if found is OURS else discreet(error)
    return Reply(found.code.value, admission.encode(errored(found.code, message)), found.headers)
