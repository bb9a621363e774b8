"""The wire format of admission webhooks: ``AdmissionReview`` requests and responses.

``decode`` parses a review of admission.k8s.io/v1 or v1beta1. ``respond`` and ``errored`` make
responses. ``encode`` encodes them in the version of the request. This package makes no decision and
does no I/O.
"""

from .request import (
    MAX_REQUEST_BYTES,
    SYNTHETIC_UID,
    AdmissionRequest,
    GroupVersionKind,
    GroupVersionResource,
    NotAReviewError,
    Operation,
    ReviewError,
    TooLargeError,
    decode,
)
from .response import MAX_PATCH_BYTES, AdmissionResponse, Status, encode, errored, respond

__all__ = [
    "MAX_PATCH_BYTES",
    "MAX_REQUEST_BYTES",
    "SYNTHETIC_UID",
    "AdmissionRequest",
    "AdmissionResponse",
    "GroupVersionKind",
    "GroupVersionResource",
    "NotAReviewError",
    "Operation",
    "ReviewError",
    "Status",
    "TooLargeError",
    "decode",
    "encode",
    "errored",
    "respond",
]
