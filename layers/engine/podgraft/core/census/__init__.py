"""The census: distinct workloads without their values, which a preview reviews again.

``redaction`` replaces every string that is not on an allow list by a keyed token. ``record`` makes
and parses records. Pure: no I/O and no clock. The store writes records.
"""

from .record import (
    SUFFIX,
    InvalidRecordError,
    Record,
    compute_digest,
    decode_record,
    encode_record,
    format_week,
    make_path,
)
from .redaction import KeyFilter, ObjectTooLargeError, Redactor, has_token, is_token

__all__ = [
    "SUFFIX",
    "InvalidRecordError",
    "KeyFilter",
    "ObjectTooLargeError",
    "Record",
    "Redactor",
    "compute_digest",
    "decode_record",
    "encode_record",
    "format_week",
    "has_token",
    "is_token",
    "make_path",
]
