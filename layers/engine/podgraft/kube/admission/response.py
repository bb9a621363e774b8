"""The responses to kube-apiserver, and their encoding.

``respond`` makes all reviews. ``errored`` makes the ``Status`` of a denial, and that of a failed
request, to which the failurePolicy of the webhook applies. A denial in a review would override it.
"""

import json
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus

from msgspec import Struct, field
from msgspec.json import Encoder

from podgraft.base.jsonvalue import JSON, Object

from .request import AdmissionRequest

_ENCODER = Encoder()
_V1 = "admission.k8s.io/v1"
# In base64, this is 5.6 of the 6 MB that Lambda accepts as a response. A longer one would end the
# invocation as a crash, which can roll back a deployment, and a name of 2.4 MB is enough for it:
# kube-apiserver validates an object after the webhooks.
MAX_PATCH_BYTES = 4 * 1024 * 1024
# A message can quote a value of the object, which can be longer than a response of Lambda can.
_MAX_CHARACTERS = 32_768

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


class Status(Struct, frozen=True):
    """A v1 ``Status``: the only error body that kube-apiserver always forwards to the user."""

    code: int
    reason: str
    message: str


class AdmissionResponse(Struct, frozen=True, kw_only=True):
    """The response to one request, in the version of the request."""

    api_version: str
    uid: str
    allowed: bool
    status: Status | None = None
    patch: bytes = b""
    warnings: tuple[str, ...] = ()
    audit: Mapping[str, str] = field(default_factory=dict[str, str])


def respond(
    request: AdmissionRequest,
    operations: Sequence[Mapping[str, object]] = (),
    *,
    denial: Status | None = None,
    warnings: Iterable[str] = (),
    audit: Mapping[str, str] = {},
) -> AdmissionResponse:
    """Allow the object, with a JSON Patch if there are operations, or deny it.

    kubectl prints the message of *denial* after the name of the webhook. Each warning becomes one
    unique line.
    """
    return AdmissionResponse(
        api_version=request.api_version,
        uid=request.uid,
        allowed=denial is None,
        status=denial,
        patch=_dump(operations) if operations else b"",
        warnings=tuple(dict.fromkeys(map(_one_line, warnings))),
        audit=audit,
    )


def errored(code: HTTPStatus, message: str) -> Status:
    """Make the ``Status`` of a failed request or of a denial; the message becomes one line."""
    return Status(code.value, _REASONS[code], _one_line(message))


def encode(response: AdmissionResponse | Status) -> bytes:
    """Encode the body: an AdmissionReview, or the ``Status`` of a failed request."""
    if isinstance(response, Status):
        return _dump({"kind": "Status", "apiVersion": "v1", "metadata": {}, **_status(response)})
    return _dump(
        {
            "kind": "AdmissionReview",
            "apiVersion": response.api_version,
            "response": _response(response),
        }
    )


def _response(response: AdmissionResponse) -> Object:
    """Encode a response. Only v1 has warnings and audit annotations."""
    document: Object = {"uid": response.uid, "allowed": response.allowed}
    if response.status is not None:
        document["status"] = _status(response.status)
    if response.patch:
        document["patch"] = b64encode(response.patch).decode("ascii")
        document["patchType"] = "JSONPatch"
    if response.api_version == _V1:
        if response.warnings:
            document["warnings"] = list(response.warnings)
        if response.audit:
            document["auditAnnotations"] = dict(response.audit)
    return document


def _status(status: Status) -> dict[str, JSON]:
    return {
        "status": "Failure",
        "message": status.message,
        "reason": status.reason,
        "code": status.code,
    }


def _one_line(text: str) -> str:
    """Join the lines of a text, and cut a long one.

    kube-apiserver silently drops a warning with a line break.
    """
    line = " ".join(text.split())
    if len(line) <= _MAX_CHARACTERS:
        return line
    return f"{line[:_MAX_CHARACTERS]}… ({len(line)} characters)"


def _dump(value: object) -> bytes:
    try:
        return _ENCODER.encode(value)
    except (TypeError, UnicodeEncodeError, RecursionError):  # kinds of str, half a surrogate pair
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
