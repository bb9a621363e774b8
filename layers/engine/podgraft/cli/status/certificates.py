"""The days that are left of the certificates in a caBundle."""

import base64
import binascii
from dataclasses import dataclass
from datetime import UTC, datetime

from podgraft.jsonvalue import Object, object_at, string_at


@dataclass(frozen=True, slots=True)
class CaStatus:
    """The first certificate to expire; ``problem`` is set if the caBundle is invalid."""

    days: int | None = None
    problem: str = ""


def check_ca_bundle(webhook: Object, now: datetime | None = None) -> CaStatus:
    """Return the status of the caBundle of a webhook; no days without one."""
    text = string_at(object_at(webhook, "clientConfig"), "caBundle")
    if not text:
        return CaStatus()
    from cryptography import x509  # a slow import

    try:
        certificates = x509.load_pem_x509_certificates(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError):
        return CaStatus(problem="is not a PEM certificate in base64")
    ends = min(certificate.not_valid_after_utc for certificate in certificates)
    return CaStatus(days=(ends - (now or datetime.now(UTC))).days)
