"""Every fault, its origin, and its HTTP response.

A fault is a failed request, so the failurePolicy of the webhook applies. A denial of a pod is a
response; ``review`` makes it.
"""

from collections.abc import Mapping
from http import HTTPStatus

from msgspec import Struct, field

from podgraft.base.jsonvalue import Object
from podgraft.core.injectors.errors import OperatorError, redact
from podgraft.core.versions.errors import (
    NotLoadedError,
    StoreError,
    UnavailableError,
    UnknownInjectorError,
    UntrustedError,
)
from podgraft.golang.texttemplate import ExecError, LimitError
from podgraft.kube import admission
from podgraft.kube.admission import NotAReviewError, TooLargeError, errored

from .errors import (
    ContentTypeError,
    CredentialError,
    ForbiddenError,
    NoRouteError,
    ThrottledError,
    UnauthenticatedError,
    UnsupportedMethodError,
)


class FaultRow(Struct, frozen=True):
    """One row of the table: the HTTP status, and the origin of the error in the log."""

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
    UnsupportedMethodError: FaultRow(HTTPStatus.METHOD_NOT_ALLOWED, "caller"),
    TooLargeError: FaultRow(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "caller"),
    ContentTypeError: FaultRow(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "caller"),
    ThrottledError: FaultRow(HTTPStatus.TOO_MANY_REQUESTS, "caller"),
    OperatorError: FaultRow(HTTPStatus.INTERNAL_SERVER_ERROR, "operator"),
    NotLoadedError: FaultRow(HTTPStatus.INTERNAL_SERVER_ERROR, "operator"),
    # A push that signs again, or removes a digest from the deny list, is in force within seconds.
    UntrustedError: FaultRow(HTTPStatus.SERVICE_UNAVAILABLE, "operator", {"Retry-After": "1"}),
    # kube-apiserver retries after this many seconds, until its own timeout.
    UnavailableError: FaultRow(HTTPStatus.SERVICE_UNAVAILABLE, "dependency", {"Retry-After": "1"}),
}
INTERNAL = FaultRow(HTTPStatus.INTERNAL_SERVER_ERROR, "internal")


def find_row(error: Exception) -> FaultRow:
    """Return the row of an error; an error without a row is an internal error."""
    return next((TABLE[kind] for kind in type(error).__mro__ if kind in TABLE), INTERNAL)


class JsonResponse(Struct, frozen=True):
    """An HTTP response with a JSON body."""

    code: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


def fault_response(error: Exception, *, is_authenticated: bool = True) -> JsonResponse:
    """Return a ``Status`` for the caller. For an internal error it contains no details.

    The message of a store quotes policies, bundles, and names. Only the log and authenticated
    callers receive it.
    """
    row = find_row(error)
    if row is INTERNAL:
        message = "internal error; see the podgraft log"
    elif isinstance(error, StoreError) and not is_authenticated:
        message = "the configuration does not load; see the podgraft log"
    else:
        message = redact(error)
    return JsonResponse(row.code.value, admission.encode(errored(row.code, message)), row.headers)


def fault_fields(error: Exception) -> Object:
    """Return the fields of a fault. Only errors whose text quotes no pod have a message.

    For a template that fails, a field contains the location in the template.
    """
    row = find_row(error)
    fields: Object = {
        "event": "fault",
        "level": "WARNING" if row.origin == "caller" else "ERROR",
        "origin": row.origin,
        "fault": type(error).__name__,
    }
    if isinstance(error, StoreError | CredentialError):
        fields["message"] = str(error)
    if isinstance(error, CredentialError):
        fields.update(error.caller_fields)
    match error.__cause__:
        case ExecError() | LimitError() as cause:
            fields["place"] = f"{cause.name}:{cause.line}:{cause.column}"
        case _:
            pass
    return fields
