"""Reading and writing certificates as PEM, with a word on what a file holds instead."""

from collections.abc import Iterable
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from podgraft.cli.failure import CommandError


def read_certificates(file: Path) -> tuple[x509.Certificate, ...]:
    """Every certificate of *file*, in order; raises ``CommandError`` unless there is one."""
    return parse_certificates(file.read_bytes(), str(file))


def parse_certificates(data: bytes, location: str) -> tuple[x509.Certificate, ...]:
    """Every certificate of *data*; *place* names it in messages."""
    if b"-----BEGIN CERTIFICATE-----" not in data:
        raise CommandError(f"{location}: {_describe_contents(data)}")
    try:
        certificates = tuple(x509.load_pem_x509_certificates(data))
        for certificate in certificates:
            _decode_fields(certificate)
    except (ValueError, *_FIELD_ERRORS) as error:
        raise CommandError(f"{location}: a certificate in it is damaged ({error})") from error
    return certificates


# What decoding a field of a certificate raises, in addition to ``ValueError``.
_FIELD_ERRORS = (x509.DuplicateExtension, x509.UnsupportedGeneralNameType, x509.InvalidVersion)


def _decode_fields(certificate: x509.Certificate) -> None:
    """Decode the fields that other modules read; the parser decodes each on its first use."""
    certificate.subject  # noqa: B018
    certificate.issuer  # noqa: B018
    certificate.extensions  # noqa: B018
    certificate.not_valid_before_utc  # noqa: B018
    certificate.not_valid_after_utc  # noqa: B018


def dump_certificates(certificates: Iterable[x509.Certificate]) -> bytes:
    """*certificates* one after the other, as PEM."""
    return b"".join(certificate.public_bytes(Encoding.PEM) for certificate in certificates)


def _describe_contents(data: bytes) -> str:
    if not data.strip():
        return "is empty; a PEM certificate is needed"
    if b"PRIVATE KEY-----" in data:
        return "holds a private key; the certificate is needed, and the key must stay secret"
    if data.startswith(b"\x30"):
        return "is DER; convert it: openssl x509 -inform der -in FILE -out FILE.pem"
    return "contains no PEM certificate; use a file as podgraft certs writes it"
