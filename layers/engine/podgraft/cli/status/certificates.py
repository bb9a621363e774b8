"""The days that are left of certificates: those of a caBundle, and those of endpoints."""

import base64
import binascii
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

from podgraft.jsonvalue import Object, object_at, string_at


@dataclass(frozen=True, slots=True)
class CaStatus:
    """The first certificate to expire; ``problem`` is set if the caBundle is invalid."""

    days: int | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """The days that are left of the certificate of an endpoint; ``problem`` if it has none."""

    days: int | None = None
    problem: str = ""


def probe_server(webhook: Object, now: datetime | None = None) -> ServerStatus:
    """Connect to the URL of a webhook, and read its certificate; services are not probed."""
    url = string_at(object_at(webhook, "clientConfig"), "url")
    if not url:
        return ServerStatus()
    from podgraft.cli.certs.endpoint import Address, fetch_certificate
    from podgraft.cli.certs.errors import CertificateError

    parts = urlsplit(url)
    try:
        certificate = fetch_certificate(Address.parse(f"https://{parts.netloc}"))
    except CertificateError as error:
        return ServerStatus(problem=str(error))
    return ServerStatus(days=(certificate.not_valid_after_utc - (now or datetime.now(UTC))).days)


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
