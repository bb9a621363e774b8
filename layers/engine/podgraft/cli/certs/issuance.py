"""The creation of certificates: CAs, servers, and clients (RFC 5280 §4.2)."""

from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import TypeAlias

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from msgspec import Struct

from podgraft.cli.certs import names
from podgraft.cli.certs.keys import PrivateKey
from podgraft.cli.certs.names import SubjectAltNames
from podgraft.cli.failure import CommandError

AUTHORITY_DAYS = 3650
LEAF_DAYS = 300  # under the 398 days that public authorities and some clients still accept

MAX_COMMON_NAME = 64  # ub-common-name, RFC 5280 appendix A.1
# RFC 5280 §4.1.2.5: the last date that a certificate can contain, which means that it has no end.
LAST_END = datetime(9999, 12, 31, tzinfo=UTC)
CLOCK_SKEW = timedelta(minutes=5)  # a cluster with a slow clock also trusts the certificate

PublicKey: TypeAlias = rsa.RSAPublicKey | ec.EllipticCurvePublicKey


class CertificatePurpose(Enum):
    """The purpose of a certificate, with its extended key usage."""

    SERVER = ExtendedKeyUsageOID.SERVER_AUTH
    CLIENT = ExtendedKeyUsageOID.CLIENT_AUTH


class Issuer(Struct, frozen=True):
    """An authority that can sign."""

    certificate: x509.Certificate
    key: PrivateKey


class Validity(Struct, frozen=True):
    """From when to when a certificate is valid."""

    begin: datetime
    end: datetime

    @classmethod
    def from_now(cls, now: datetime, days: int) -> "Validity":
        """*days* from *now*, and a little before, for clocks that are late."""
        if days < 1:
            raise CommandError(f"{days} days: a certificate must live at least one day")
        longest = (LAST_END - now).days
        if days > longest:
            raise CommandError(f"--days {days}: must be at most {longest}; give fewer days")
        return cls(now - CLOCK_SKEW, now + timedelta(days=days))


def make_ca(key: PrivateKey, common_name: str | None, lifetime: Validity) -> x509.Certificate:
    """A self-signed CA that signs leaf certificates only.

    Without *common_name*, its name derives from its key, so an old and a new CA have other names.
    """
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    subject = _make_name(common_name or f"podgraft CA {identifier.digest.hex()[:8]}")
    return (
        _builder(subject, subject, key.public_key(), lifetime)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_key_usage(sign_certificates=True), critical=True)
        .add_extension(identifier, critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier),
            critical=False,
        )
        .sign(key, hashes.SHA256())
    )


def make_server_certificate(
    alt_names: SubjectAltNames, key: PublicKey, issuer: Issuer, lifetime: Validity
) -> x509.Certificate:
    """A certificate for every one of the *wanted* names.

    The common name is for people only: the first DNS name, where it fits.
    """
    first = next((name for name in alt_names.dns if len(name) <= MAX_COMMON_NAME), None)
    subject = _make_name(first) if first else x509.Name([])
    return _sign_leaf(CertificatePurpose.SERVER, subject, alt_names, key, issuer, lifetime)


def make_client_certificate(
    common_name: str, organization: str | None, key: PublicKey, issuer: Issuer, lifetime: Validity
) -> x509.Certificate:
    """A certificate by which a cluster shows who it is, in mutual TLS."""
    subject = _make_name(common_name, organization)
    return _sign_leaf(CertificatePurpose.CLIENT, subject, SubjectAltNames(), key, issuer, lifetime)


def renew_certificate(
    old: x509.Certificate,
    key: PublicKey,
    issuer: Issuer,
    lifetime: Validity,
    alt_names: SubjectAltNames | None = None,
) -> x509.Certificate:
    """*old* once more, for *key*: same subject and purpose, and the same names unless *wanted*."""
    return _sign_leaf(
        certificate_purpose(old),
        old.subject,
        alt_names or names.names_of(old),
        key,
        issuer,
        lifetime,
    )


def certificate_purpose(certificate: x509.Certificate) -> CertificatePurpose:
    """What a leaf certificate is for; raises ``CommandError`` for an authority."""
    if is_ca(certificate):
        raise CommandError("is a CA: it is not renewed but rotated; see rotate-ca")
    try:
        usages = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    except x509.ExtensionNotFound:
        usages = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])  # any use, so also this
    return (
        CertificatePurpose.SERVER
        if ExtendedKeyUsageOID.SERVER_AUTH in usages
        else CertificatePurpose.CLIENT
    )


def is_ca(certificate: x509.Certificate) -> bool:
    """Whether *certificate* may sign others (basicConstraints; version 1 certificates may not)."""
    try:
        return certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    except x509.ExtensionNotFound:
        return False


def _sign_leaf(
    purpose: CertificatePurpose,
    subject: x509.Name,
    alt_names: SubjectAltNames,
    key: PublicKey,
    issuer: Issuer,
    lifetime: Validity,
) -> x509.Certificate:
    _check_validity_within_ca(issuer.certificate, lifetime)
    builder = (
        _builder(subject, issuer.certificate.subject, key, lifetime)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_key_usage(encipher_keys=isinstance(key, rsa.RSAPublicKey)), critical=True)
        .add_extension(x509.ExtendedKeyUsage([purpose.value]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
        .add_extension(_authority_key(issuer), critical=False)
    )
    if alt_names != SubjectAltNames():
        # RFC 5280 §4.2.1.6: critical where the subject is empty.
        builder = builder.add_extension(alt_names.extension(), critical=not subject.rdns)
    return builder.sign(issuer.key, hashes.SHA256())


def _builder(
    subject: x509.Name, issuer: x509.Name, key: PublicKey, lifetime: Validity
) -> x509.CertificateBuilder:
    return x509.CertificateBuilder(
        issuer_name=issuer,
        subject_name=subject,
        public_key=key,
        serial_number=x509.random_serial_number(),
        not_valid_before=lifetime.begin,
        not_valid_after=lifetime.end,
    )


def _make_name(common_name: str, organization: str | None = None) -> x509.Name:
    if not 1 <= len(common_name) <= MAX_COMMON_NAME:
        raise CommandError(f"{common_name!r}: a common name has 1 to {MAX_COMMON_NAME} characters")
    attributes = [x509.NameAttribute(NameOID.COMMON_NAME, common_name)]
    if organization:
        attributes.insert(0, x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization))
    return x509.Name(attributes)


def _authority_key(issuer: Issuer) -> x509.AuthorityKeyIdentifier:
    try:
        identifier = issuer.certificate.extensions.get_extension_for_class(
            x509.SubjectKeyIdentifier
        )
    except x509.ExtensionNotFound:
        return x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer.key.public_key())
    return x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier.value)


def _check_validity_within_ca(certificate: x509.Certificate, lifetime: Validity) -> None:
    """A leaf that outlives its CA would stop being trusted before the date it shows."""
    end = certificate.not_valid_after_utc
    if lifetime.end > end:
        raise CommandError(
            f"the CA ends on {end:%Y-%m-%d}, before this certificate would "
            f"({lifetime.end:%Y-%m-%d}); give fewer --days, or rotate the CA"
        )


def _key_usage(*, sign_certificates: bool = False, encipher_keys: bool = False) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not sign_certificates,
        content_commitment=False,
        key_encipherment=encipher_keys,  # RSA key exchange of TLS 1.2; ECDSA has none
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=sign_certificates,
        crl_sign=sign_certificates,
        encipher_only=False,
        decipher_only=False,
    )
