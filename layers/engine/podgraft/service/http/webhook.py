"""One review: authentication, the context of the review, the response, and the log line.

The order matters: the body is read only after the caller is authenticated.
"""

import re
from collections.abc import Callable
from http import HTTPStatus
from typing import TYPE_CHECKING

from msgspec.structs import asdict

from podgraft.base.deadline import Deadline
from podgraft.base.jsonvalue import Object
from podgraft.core import review
from podgraft.core.identifiers import is_injector
from podgraft.core.review.results import ReviewFailure, ReviewRecord, ReviewResponse, ReviewResult
from podgraft.core.review_context import ReviewContext
from podgraft.core.versions.errors import StoreError, UnknownInjectorError
from podgraft.core.versions.snapshot import Store
from podgraft.golang.time import SECOND, DurationError, parse_duration
from podgraft.golang.url import parse_query
from podgraft.kube import admission
from podgraft.kube.admission import (
    MAX_REQUEST_BYTES,
    SYNTHETIC_UID,
    AdmissionRequest,
    TooLargeError,
)
from podgraft.service.paths import Target

from . import faults
from .authentication import Authenticator, Principal
from .errors import ContentTypeError, CredentialError, ThrottledError, WebError
from .faults import JsonResponse
from .request import Request
from .request_log import RequestLog, format_traceback, limit_fields

if TYPE_CHECKING:
    from podgraft.service.store.census import CensusWriter

# The event of synthetic reviews in the log, also those of ``register --test``.
SYNTHETIC_EVENT = "synthetic_review"


class Webhook:
    """Serves the requests of all routes that review objects."""

    def __init__(
        self,
        store: Store,
        authenticate: Authenticator,
        request_log: RequestLog,
        clock: Callable[[], float],
        census: "CensusWriter | None" = None,
    ) -> None:
        self._store = store
        self._authenticate = authenticate
        self._request_log = request_log
        self._clock = clock
        self._census = census

    def respond(self, target: Target, request: Request) -> JsonResponse:
        """Respond to one request, whatever happens, and write its log line."""
        started = self._clock()
        deadline = Deadline.from_timeout(_timeout_seconds(request.query), self._clock)
        principal: Principal | None = None
        uid = ""
        try:
            principal = self._authenticate(request, deadline)
            admission_request = admission.decode(_read_body(request))
            uid = admission_request.uid
            context = _make_context(target, principal, deadline, admission_request)
            response, record = self._review(target.route, context)
        except ThrottledError as error:
            return faults.fault_response(error)
        except Exception as error:  # noqa: BLE001 - every request gets a response
            response, record = _describe_failure(error, principal, uid)
            # Without a credential, this part of the path can be a token without ``/k/``.
            is_known = isinstance(error, CredentialError) and error.has_credential
            if is_known and is_injector(target.injector):
                record = {**record, "injector": target.injector}
        milliseconds = round((self._clock() - started) * 1000, 3)
        fields: Object = {"code": response.code, "milliseconds": milliseconds}
        if record.get("uid") == SYNTHETIC_UID:
            fields["event"] = SYNTHETIC_EVENT  # metrics count records with a route
        else:
            fields["route"] = target.route
        if principal is not None and principal.certificate_days is not None:
            fields["certificate_days"] = principal.certificate_days
        if principal is not None and principal.token:
            fields["token_id"] = principal.token  # so that the log has the last use of each token
        self._request_log(limit_fields({**record, **fields}))
        return response

    def _review(self, route: str, context: ReviewContext) -> tuple[JsonResponse, Object]:
        result = review.REVIEWS[route](context, self._store)
        response, record = _to_response(result)
        if self._census is not None:
            record |= self._record_workload(self._census, context, route, result.record)
        return response, record

    def _record_workload(
        self, census: "CensusWriter", context: ReviewContext, route: str, result: ReviewRecord
    ) -> Object:
        """Record the workload for the census, and return fields for the log.

        The deadline is over, so the store returns the cached version and does not refresh it.
        """
        try:
            over = Deadline.from_timeout(0)
            snapshot = self._store.snapshot(context.injector, context.cluster, over, context.groups)
        except StoreError:
            return {}
        started = self._clock()
        outcome = census.record(context, snapshot, route, result)
        if outcome is None or not outcome.is_logged:
            return {}
        milliseconds = round((self._clock() - started) * 1000, 3)
        return {"census": str(outcome), "census_milliseconds": milliseconds}


def _make_context(
    target: Target, principal: Principal, deadline: Deadline, request: AdmissionRequest
) -> ReviewContext:
    if not is_injector(target.injector):
        # The message omits the name: without /k/, this segment can be the token.
        raise UnknownInjectorError(
            "invalid injector name in the path; to send a token, use the prefix /k/<token>/"
        )
    return ReviewContext(
        injector=target.injector,
        cluster=principal.cluster,
        groups=principal.groups,
        namespace=request.namespace,
        url_path=target.tail,
        deadline=deadline,
        staleness=principal.stale,
        request=request,
    )


def _to_response(result: ReviewResult) -> tuple[JsonResponse, Object]:
    match result:
        case ReviewResponse(response, record):
            body = admission.encode(response)
            return JsonResponse(HTTPStatus.OK.value, body), _review_fields(record)
        case ReviewFailure(error, record):
            fields = {**_review_fields(record), **faults.fault_fields(error)}
            return faults.fault_response(error), fields


def _review_fields(record: ReviewRecord) -> Object:
    fields = asdict(record)
    del fields["candidate"], fields["groups"]  # in a line only if they have a value
    if record.candidate is not None:
        fields |= record.candidate.fields
    if record.groups:
        fields["groups"] = ",".join(record.groups)
    return {"event": "review", "level": "INFO", **fields}


def _describe_failure(
    error: Exception, principal: Principal | None, uid: str
) -> tuple[JsonResponse, Object]:
    """The response to a request that failed, and its log fields."""
    if not isinstance(error, _REFUSALS):
        fields: Object = {"event": "internal_error", "level": "ERROR", "uid": uid}
        return faults.fault_response(error), {**fields, "trace": format_traceback(error)}
    response = faults.fault_response(error, is_authenticated=principal is not None)
    fields = faults.fault_fields(error)
    return response, {**fields, "uid": uid} if uid else fields


def _timeout_seconds(query: str) -> float | None:
    """The timeout that kube-apiserver appends as a Go duration, such as ``timeout=10s``."""
    text = parse_query(query).get("timeout", [""])[0]
    try:
        seconds = parse_duration(text) / SECOND
    except DurationError:
        return None
    return seconds if seconds >= 0 else None


def _read_body(request: Request) -> bytes:
    """Read the body, once and with its declared length."""
    length = request.content_length or "0"
    if not length.isascii() or not length.isdigit() or int(length) == 0:
        return b""
    if not _JSON.fullmatch(request.content_type):
        raise ContentTypeError(f"content type: got {request.content_type!r}; use application/json")
    if int(length) > MAX_REQUEST_BYTES:
        raise TooLargeError("request", int(length), MAX_REQUEST_BYTES)
    return request.read(int(length))


# Requests that fail as the fault table says.
_REFUSALS = (WebError, admission.ReviewError, StoreError)
_JSON = re.compile(r"application/json *(; *charset=\"?utf-8\"?)?", re.IGNORECASE)
