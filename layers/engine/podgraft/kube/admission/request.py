"""The decoder of AdmissionReviews of admission.k8s.io/v1 and v1beta1.

Both versions have the same fields (k8s.io/api/admission/v1/types.go). The objects in the request
remain JSON, so unknown fields are preserved.
"""

from collections.abc import Iterator
from enum import StrEnum
from types import NoneType
from typing import TypeVar

from msgspec import Struct

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, Object
from podgraft.kube.names import is_dns_label

T = TypeVar("T", str, bool, Object)
_NO_NAMES: Object = {}


class ReviewError(Exception):
    """A request that is no valid review; ``str()`` is one line for the caller.

    It is a failed request (HTTP 4xx with a ``Status``), never a denial, so the failurePolicy of the
    webhook applies.
    """


class NotAReviewError(ReviewError):
    """The body is not an AdmissionReview with a valid request."""

    def __init__(self, pointer: str, problem: str) -> None:
        super().__init__(f"{pointer}: {problem}")
        self.pointer = pointer
        self.problem = problem


class TooLargeError(ReviewError):
    """The request, or an object in it, is too large."""

    def __init__(self, description: str, size_bytes: int, limit_bytes: int) -> None:
        super().__init__(f"{description}: got {size_bytes} bytes; send at most {limit_bytes} bytes")
        self.description = description
        self.size_bytes = size_bytes
        self.limit_bytes = limit_bytes


VERSIONS = ("admission.k8s.io/v1", "admission.k8s.io/v1beta1")

# The limit of kube-apiserver for a request (apiserver/pkg/server/config.go, MaxRequestBodyBytes).
# No larger object can exist.
MAX_OBJECT_BYTES = 3 * 1024 * 1024
# The limit of Lambda for a synchronous invocation. An UPDATE with two objects of that size fits.
MAX_REQUEST_BYTES = 6 * 1024 * 1024

# The uid of a synthetic review. kube-apiserver generates a UUID for each request, so no review of a
# cluster has this one, and no metric counts it.
SYNTHETIC_UID = "podgraft-synthetic-review"

_EXPECTED = f"expected an AdmissionReview of {' or '.join(VERSIONS)}"


class Operation(StrEnum):
    """The operation on the object."""

    CREATE = "CREATE"
    UPDATE = "UPDATE"
    DELETE = "DELETE"
    CONNECT = "CONNECT"


class GroupVersionKind(Struct, frozen=True):
    """The type of an object."""

    group: str = ""
    version: str = ""
    kind: str = ""


class GroupVersionResource(Struct, frozen=True):
    """The requested resource. It can differ from the kind: an Eviction is a request for pods."""

    group: str = ""
    version: str = ""
    resource: str = ""


class AdmissionRequest(Struct, frozen=True, kw_only=True):
    """One request of kube-apiserver. An omitted field has its zero value; ``object`` is JSON.

    ``operation``, ``kind``, and ``resource`` can be missing: test clients, such as those of Istio,
    send only an object and a namespace for the creation of the object.
    """

    api_version: str
    uid: str = ""
    kind: GroupVersionKind = GroupVersionKind()
    resource: GroupVersionResource = GroupVersionResource()
    sub_resource: str = ""
    operation: Operation = Operation.CREATE
    name: str = ""
    namespace: str = ""
    object: JSON = None
    old_object: JSON = None
    dry_run: bool = False
    raw: Object


def decode(body: bytes) -> AdmissionRequest:
    """Decode the body of a webhook request.

    Raises ``NotAReviewError``, or ``TooLargeError`` for a request or object over the limits.
    """
    if not body:
        raise NotAReviewError("body", f"is empty; {_EXPECTED}")
    if len(body) > MAX_REQUEST_BYTES:
        raise TooLargeError("request", len(body), MAX_REQUEST_BYTES)
    try:
        review = jsonvalue.load(body)
    except jsonvalue.NotJSONError as error:
        raise NotAReviewError("body", f"invalid JSON: {error}") from error
    request = _request(*_request_of(review))
    if len(body) > MAX_OBJECT_BYTES:
        _check_size("/request/object", request.object)
        _check_size("/request/oldObject", request.old_object)
    return request


def _request_of(review: JSON) -> tuple[str, Object]:
    if not isinstance(review, dict):
        raise NotAReviewError("body", f"is {_TYPE_NAMES[type(review)]}; {_EXPECTED}")
    api_version, kind = _member(review, "apiVersion", "", ""), _member(review, "kind", "", "")
    # The message quotes no value: a client can send anything, also a secret.
    if kind != "AdmissionReview":
        raise NotAReviewError("/kind", f"is not AdmissionReview; {_EXPECTED}")
    if api_version not in VERSIONS:
        raise NotAReviewError("/apiVersion", f"is unsupported; {_EXPECTED}")
    request = review.get("request")
    if not isinstance(request, dict):
        raise NotAReviewError("/request", f"expected an object, got {_TYPE_NAMES[type(request)]}")
    return api_version, request


def _request(api_version: str, raw: Object) -> AdmissionRequest:
    return AdmissionRequest(
        api_version=api_version,
        kind=GroupVersionKind(*_names(raw, "kind")),
        resource=GroupVersionResource(*_names(raw, "resource")),
        uid=_member(raw, "uid", ""),
        sub_resource=_member(raw, "subResource", ""),
        operation=_operation(_member(raw, "operation", "")),
        name=_member(raw, "name", ""),
        namespace=_namespace(raw),
        object=raw.get("object"),
        old_object=raw.get("oldObject"),
        dry_run=_member(raw, "dryRun", False),
        raw=raw,
    )


def _names(raw: Object, key: str) -> Iterator[str]:
    """The group, the version, and the kind or resource under its key."""
    names = _member(raw, key, _NO_NAMES)
    return (_member(names, name, "", f"/request/{key}") for name in ("group", "version", key))


def _operation(word: str) -> Operation:
    try:
        return Operation(word) if word else Operation.CREATE
    except ValueError as error:
        problem = f"is unknown; use one of {', '.join(Operation)}"
        raise NotAReviewError("/request/operation", problem) from error


def _member(raw: Object, key: str, absent: T, under: str = "/request") -> T:
    """The value of a key, which has the type of the one for an absent key or null."""
    value = raw.get(key)
    if value is None:
        return absent
    if isinstance(value, type(absent)):
        return value
    expected = _TYPE_NAMES[type(absent)]
    raise NotAReviewError(f"{under}/{key}", f"expected {expected}, got {_TYPE_NAMES[type(value)]}")


def _namespace(raw: Object) -> str:
    """Return the namespace, which templates can write without quotes.

    kube-apiserver validates it before it calls a webhook (ValidateNamespaceName).
    """
    namespace = _member(raw, "namespace", "")
    if namespace and not is_dns_label(namespace):
        raise NotAReviewError("/request/namespace", "must be a DNS label")
    return namespace


_TYPE_NAMES = {
    NoneType: "nothing",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "a list",
    dict: "an object",
}


def _check_size(pointer: str, value: JSON) -> None:
    size_bytes = len(jsonvalue.dump(value).encode())
    if size_bytes > MAX_OBJECT_BYTES:
        raise TooLargeError(pointer, size_bytes, MAX_OBJECT_BYTES)
