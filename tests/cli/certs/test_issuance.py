"""What stands in the certificates that are made."""

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

import pytest
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID

from podgraft.cli.certs import issuance, keys, names, trust
from podgraft.cli.certs.issuance import CertificatePurpose, Issuer, Validity
from podgraft.cli.certs.keys import KeyType
from podgraft.cli.failure import CommandError
from support.pki import NOW, Authority, VerifyRequest, verify_with_go

CA = Authority()
YEAR = Validity.from_now(NOW, 365)
Extension = TypeVar("Extension", bound=x509.ExtensionType)

USAGES = (
    "digital_signature",
    "content_commitment",
    "key_encipherment",
    "data_encipherment",
    "key_agreement",
    "key_cert_sign",
    "crl_sign",
)


def _extension(certificate: x509.Certificate, kind: type[Extension]) -> tuple[Extension, bool]:
    found = certificate.extensions.get_extension_for_class(kind)
    return found.value, found.critical


def _usages(certificate: x509.Certificate) -> set[str]:
    usage, critical = _extension(certificate, x509.KeyUsage)
    assert critical
    return {name for name in USAGES if getattr(usage, name)}


def test_an_authority_signs_leaves_and_nothing_else() -> None:
    constraints, critical = _extension(CA.certificate, x509.BasicConstraints)
    assert (constraints.ca, constraints.path_length, critical) == (True, 0, True)
    assert _usages(CA.certificate) == {"key_cert_sign", "crl_sign"}
    own, _ = _extension(CA.certificate, x509.SubjectKeyIdentifier)
    issuer, _ = _extension(CA.certificate, x509.AuthorityKeyIdentifier)
    assert issuer.key_identifier == own.digest
    assert CA.certificate.subject == CA.certificate.issuer


@dataclass(frozen=True, slots=True)
class Leaf:
    kind: KeyType
    usages: frozenset[str]


LEAVES = (
    Leaf(KeyType.RSA_2048, frozenset({"digital_signature", "key_encipherment"})),
    Leaf(KeyType.P_256, frozenset({"digital_signature"})),
)


@pytest.mark.parametrize("case", LEAVES, ids=lambda case: case.kind.value)
def test_a_server_certificate_serves_and_nothing_else(case: Leaf) -> None:
    certificate = CA.server("a.example.com", "::1", key=keys.make_key(case.kind))
    assert keys.key_type(certificate) is case.kind
    assert _usages(certificate) == case.usages
    constraints, critical = _extension(certificate, x509.BasicConstraints)
    assert (constraints.ca, critical) == (False, True)
    assert _extension(certificate, x509.ExtendedKeyUsage) == (
        x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]),
        False,
    )
    issuer, _ = _extension(certificate, x509.AuthorityKeyIdentifier)
    own, _ = _extension(CA.certificate, x509.SubjectKeyIdentifier)
    assert issuer.key_identifier == own.digest
    assert str(names.names_of(certificate)) == "a.example.com, ::1"


def test_a_client_certificate_identifies_the_cluster() -> None:
    key = keys.make_key(KeyType.P_256).public_key()
    certificate = issuance.make_client_certificate(
        "prod-eu", "podgraft-clusters", key, CA.issuer, YEAR
    )
    assert trust.describe_subject(certificate) == "CN=prod-eu,O=podgraft-clusters"
    assert issuance.certificate_purpose(certificate) is CertificatePurpose.CLIENT
    assert names.names_of(certificate) == names.SubjectAltNames()


@pytest.mark.parametrize("hosts", [("10.0.0.1",), (f"{'a' * 40}.{'b' * 40}.example.com",)])
def test_names_are_critical_if_no_common_name_fits(hosts: tuple[str, ...], goverify: Path) -> None:
    certificate = CA.server(*hosts)
    assert not certificate.subject.rdns
    assert _extension(certificate, x509.SubjectAlternativeName)[1]
    assert verify_with_go(
        goverify, [VerifyRequest((certificate,), (CA.certificate,), hosts[0])]
    ) == [""]


def test_the_common_name_is_the_first_name_that_fits() -> None:
    certificate = CA.server("10.0.0.1", f"{'a' * 60}.example.com", "webhook.example.com")
    assert trust.describe_subject(certificate) == "CN=webhook.example.com"
    assert not _extension(certificate, x509.SubjectAlternativeName)[1]


def test_serial_numbers_are_random() -> None:
    serials = {CA.server("a.example.com").serial_number for _ in range(20)}
    assert len(serials) == 20
    # RFC 5280 §4.1.2.2 allows 20 octets; CAs of the web need 64 random bits at least.
    assert all(64 < serial.bit_length() <= 159 for serial in serials)


def test_authorities_are_named_after_their_keys() -> None:
    assert trust.describe_subject(CA.certificate) != trust.describe_subject(Authority().certificate)


def test_a_renewed_certificate_differs_in_time_and_serial_alone() -> None:
    key = keys.make_key(KeyType.P_256)
    old = CA.server("a.example.com", "10.0.0.1", key=key)
    new = issuance.renew_certificate(old, key.public_key(), CA.issuer, Validity.from_now(NOW, 600))
    assert new.not_valid_after_utc == old.not_valid_after_utc + timedelta(days=300)
    assert new.serial_number != old.serial_number
    assert (new.subject, new.public_key(), list(new.extensions)) == (
        old.subject,
        old.public_key(),
        list(old.extensions),
    )


def test_a_certificate_must_not_outlive_its_ca() -> None:
    short = Authority(days=100)
    with pytest.raises(CommandError, match=r"the CA ends on .*; give fewer --days, or rotate"):
        short.server("a.example.com", days=101)


def test_an_authority_is_rotated_not_renewed() -> None:
    with pytest.raises(CommandError, match="is a CA: it is not renewed but rotated"):
        issuance.certificate_purpose(CA.certificate)


@pytest.mark.parametrize("days", [0, -1])
def test_a_certificate_lives_at_least_one_day(days: int) -> None:
    with pytest.raises(CommandError, match="must live at least one day"):
        Validity.from_now(NOW, days)


@pytest.mark.parametrize("name", ["", "x" * 65])
def test_a_common_name_has_limits(name: str) -> None:
    issuer = Issuer(CA.certificate, CA.issuer.key)
    with pytest.raises(CommandError, match="a common name has 1 to 64 characters"):
        issuance.make_client_certificate(
            name, None, keys.make_key(KeyType.P_256).public_key(), issuer, YEAR
        )
