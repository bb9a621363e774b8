"""What can be said to kube-apiserver, and the bytes that say it.

Four constructors make every answer there is. Three make a review: ``allowed``, ``patched``,
``denied``. The fourth, ``errored``, makes a ``Status`` for a call that failed: only then does the
webhook's failurePolicy decide, while a refusal inside a review would override it.
"""

import json
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from http import HTTPStatus

import orjson

from podgraft.jsonvalue import JSON, Object
from podgraft.lazy_dataclass import dataclass

from .request import AdmissionRequest

_V1 = "admission.k8s.io/v1"

# metav1.StatusReason by code: kubectl prints the reason, not the code, so each has one.
_REASONS = {
    HTTPStatus.BAD_REQUEST: "BadRequest",
    HTTPStatus.UNAUTHORIZED: "Unauthorized",
    HTTPStatus.FORBIDDEN: "Forbidden",
    HTTPStatus.NOT_FOUND: "NotFound",
    HTTPStatus.METHOD_NOT_ALLOWED: "MethodNotAllowed",
    HTTPStatus.REQUEST_TIMEOUT: "Timeout",
    HTTPStatus.LENGTH_REQUIRED: "BadRequest",
    HTTPStatus.REQUEST_URI_TOO_LONG: "BadRequest",
    HTTPStatus.EXPECTATION_FAILED: "BadRequest",
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: "BadRequest",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "RequestEntityTooLarge",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "UnsupportedMediaType",
    HTTPStatus.UNPROCESSABLE_ENTITY: "Invalid",
    HTTPStatus.TOO_MANY_REQUESTS: "TooManyRequests",
    HTTPStatus.INTERNAL_SERVER_ERROR: "InternalError",
    HTTPStatus.SERVICE_UNAVAILABLE: "ServiceUnavailable",
}


@dataclass(frozen=True, slots=True)
class Status:
    """A v1 ``Status``: the only error body whose text always reaches the user."""

    code: int
    reason: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissionResponse:
    """The answer to one request, in that request's version."""

    api_version: str
    uid: str
    allowed: bool
    status: Status | None = None
    patch: bytes = b""
    warnings: tuple[str, ...] = ()
    audit: Mapping[str, str] = field(default_factory=dict[str, str])


def allowed(
    request: AdmissionRequest, *, warnings: Iterable[str] = (), audit: Mapping[str, str] = {}
) -> AdmissionResponse:
    """Let the object pass as it is."""
    return _make_response(request, warnings, audit)


def patched(
    request: AdmissionRequest,
    operations: Sequence[Mapping[str, object]],
    *,
    warnings: Iterable[str] = (),
    audit: Mapping[str, str] = {},
) -> AdmissionResponse:
    """Let the object pass, changed by a JSON Patch; without operations there is no patch."""
    return _make_response(request, warnings, audit, patch=_dump(operations) if operations else b"")


def denied(
    request: AdmissionRequest,
    message: str,
    *,
    code: HTTPStatus = HTTPStatus.FORBIDDEN,
    warnings: Iterable[str] = (),
    audit: Mapping[str, str] = {},
) -> AdmissionResponse:
    """Refuse the object; kubectl shows ``message`` behind the webhook's name."""
    return _make_response(request, warnings, audit, status=errored(code, message))


def errored(code: HTTPStatus, message: str) -> Status:
    """A call that failed, or the reason inside a refusal; the message becomes one line."""
    return Status(code.value, _REASONS[code], _one_line(message))


def encode(answer: AdmissionResponse | Status) -> bytes:
    """The body to send: an AdmissionReview, or the ``Status`` of a failed call."""
    if isinstance(answer, Status):
        return _dump({"kind": "Status", "apiVersion": "v1", "metadata": {}, **_status(answer)})
    return _dump(
        {
            "kind": "AdmissionReview",
            "apiVersion": answer.api_version,
            "response": _response(answer),
        }
    )


def _make_response(
    request: AdmissionRequest,
    warnings: Iterable[str],
    audit: Mapping[str, str],
    *,
    patch: bytes = b"",
    status: Status | None = None,
) -> AdmissionResponse:
    """The one place that completes an answer: version, uid, and warnings fit to be shown."""
    return AdmissionResponse(
        api_version=request.api_version,
        uid=request.uid,
        allowed=status is None,
        status=status,
        patch=patch,
        warnings=tuple(dict.fromkeys(_one_line(warning) for warning in warnings)),
        audit=audit,
    )


def _response(answer: AdmissionResponse) -> Object:
    """``patchType`` goes exactly with ``patch``; notes for people are v1 only."""
    response: Object = {"uid": answer.uid, "allowed": answer.allowed}
    if answer.status is not None:
        response["status"] = _status(answer.status)
    if answer.patch:
        response["patch"] = b64encode(answer.patch).decode("ascii")
        response["patchType"] = "JSONPatch"
    if answer.api_version == _V1:
        if answer.warnings:
            response["warnings"] = list(answer.warnings)
        if answer.audit:
            response["auditAnnotations"] = dict(answer.audit)
    return response


def _status(status: Status) -> dict[str, JSON]:
    return {
        "status": "Failure",
        "message": status.message,
        "reason": status.reason,
        "code": status.code,
    }


def _one_line(text: str) -> str:
    """kube-apiserver drops a warning with a line break without a word (wire/responses.md)."""
    return " ".join(text.split())


def _dump(value: object) -> bytes:
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:  # integers beyond 64 bits, halves of surrogate pairs
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
