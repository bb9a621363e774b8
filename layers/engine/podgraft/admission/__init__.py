"""The admission webhook's wire format: an AdmissionReview in, an answer out.

``decode`` reads the review of admission.k8s.io/v1 or v1beta1; ``allowed``, ``patched``, ``denied``
and ``errored`` make answers; ``encode`` prints them in the request's own version. Nothing here
decides anything, and nothing here does I/O.
"""

from .errors import NotAReviewError, ReviewError, TooLargeError
from .request import (
    MAX_OBJECT_BYTES,
    MAX_REQUEST_BYTES,
    AdmissionRequest,
    GroupVersionKind,
    GroupVersionResource,
    Operation,
    decode,
)
from .response import AdmissionResponse, Status, allowed, denied, encode, errored, patched

__all__ = [
    "MAX_OBJECT_BYTES",
    "MAX_REQUEST_BYTES",
    "AdmissionRequest",
    "AdmissionResponse",
    "GroupVersionKind",
    "GroupVersionResource",
    "NotAReviewError",
    "Operation",
    "ReviewError",
    "Status",
    "TooLargeError",
    "allowed",
    "decode",
    "denied",
    "encode",
    "errored",
    "patched",
]
