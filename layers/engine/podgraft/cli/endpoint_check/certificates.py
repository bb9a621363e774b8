"""The days that are left of certificates and tokens: those of a caBundle, and of endpoints."""

import base64
import binascii
from collections.abc import Iterator
from datetime import date, datetime

from cryptography import x509
from msgspec import Struct

from podgraft.base import system
from podgraft.base.jsonvalue import Object, string_at
from podgraft.cli.wording import format_count

from .faults import Fault, Finding

SOON_DAYS = 30


class CaStatus(Struct, frozen=True):
    """The certificates of a caBundle; ``problem`` is set if it is invalid.

    ``days`` are those of the first certificate to expire; None without a caBundle.
    """

    days: int | None = None
    problem: str = ""
    certificates: tuple[x509.Certificate, ...] = ()

    def find_problems(self) -> Iterator[Finding]:
        """Yield that the caBundle is invalid, has expired, or expires soon."""
        rotate = "rotate the CA (podgraft certs rotate-ca)"
        if self.problem:
            yield Finding(Fault.AUTHORITY, "caBundle", self.problem, "register it again")
        elif self.days is not None and self.days < 0:
            yield Finding(Fault.EXPIRY, "caBundle", "has expired", rotate)
        elif self.days is not None and self.days < SOON_DAYS:
            problem = f"expires in {format_count(self.days, 'day')}"
            yield Finding(Fault.EXPIRY, "caBundle", problem, rotate, breaks=False)


def check_ca_bundle(webhook: Object) -> CaStatus:
    """Return the status of the caBundle of a webhook; no days without one."""
    text = string_at(webhook, "clientConfig", "caBundle")
    if not text:
        return CaStatus()
    try:
        certificates = x509.load_pem_x509_certificates(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError):
        return CaStatus(problem="is not a PEM certificate in base64")
    days = min(map(count_days, certificates))
    return CaStatus(days=days, certificates=tuple(certificates))


def count_days(certificate: x509.Certificate, now: datetime | None = None) -> int:
    """Return the whole days until the certificate expires."""
    return (certificate.not_valid_after_utc - (now or system.now())).days


def count_token_days(expires: str) -> int | None:
    """Return the days until the last one of a token, below 0 after it; None if it never ends."""
    return (date.fromisoformat(expires) - system.now().date()).days if expires else None
