"""Subjects of client certificates, in every spelling that reaches us."""

import pytest
from cryptography import x509
from cryptography.x509.oid import NameOID

from podgraft.service.store import subjects

PROD = (("CN", "prod-eu"), ("O", "podgraft-clusters"))

SPELLINGS = (
    ("RFC 4514", "CN=prod-eu,O=podgraft-clusters"),
    ("with blanks", "CN = prod-eu, O = podgraft-clusters"),
    ("in small letters", "cn=prod-eu,o=podgraft-clusters"),
    ("OpenSSL, the other way round", "O = podgraft-clusters, CN = prod-eu"),
    ("with escapes", "CN=prod\\-eu,O=podgraft\\2dclusters"),
)


@pytest.mark.parametrize(("name", "text"), SPELLINGS, ids=[name for name, _ in SPELLINGS])
def test_one_subject_in_many_spellings(name: str, text: str) -> None:
    parsed = subjects.parse_subject(text)
    assert parsed is not None, name
    assert parsed in subjects.both_orders(PROD)


def test_a_certificates_own_form_begins_with_the_general() -> None:
    peer = ((("organizationName", "podgraft-clusters"),), (("commonName", "prod-eu"),))
    assert subjects.subject_of_certificate(peer) in subjects.both_orders(PROD)


OTHERS = (
    "CN=prod-eu",
    "CN=prod-us,O=podgraft-clusters",
    "CN=prod-eu,O=podgraft-clusters,C=EU",
    "CN=PROD-EU,O=podgraft-clusters",
    "O=prod-eu,CN=podgraft-clusters",
    "CN=prod-eu\\,O=podgraft-clusters",
    "CN=prod-eu\\+O=podgraft-clusters",
)


@pytest.mark.parametrize("text", OTHERS)
def test_another_subject_is_another(text: str) -> None:
    parsed = subjects.parse_subject(text)
    assert parsed is not None
    assert parsed not in subjects.both_orders(PROD)


@pytest.mark.parametrize("text", ["O=b,CN=a,C=c", "CN=a,C=c,O=b", "C=c,CN=a,O=b", "O=b,C=c,CN=a"])
def test_only_the_two_orders_of_the_formats_are_one_subject(text: str) -> None:
    """RFC 4514 and OpenSSL print opposite orders; another order is another subject."""
    parsed = subjects.parse_subject(text)
    assert parsed is not None
    assert parsed not in subjects.both_orders((("CN", "a"), ("O", "b"), ("C", "c")))


def test_escapes_are_undone() -> None:
    assert subjects.parse_subject("CN=a\\,b\\2bc\\\\") == (("CN", "a,b+c\\"),)
    assert subjects.parse_subject("CN=caf\\C3\\A9, O=é") == (("CN", "café"), ("O", "é"))
    assert subjects.parse_subject("CN= a\\  ,O=\\ b") == (("CN", "a "), ("O", " b"))


NO_SUBJECTS = ("", "prod-eu", "CN", ",", "CN=a,,O=b", "=a", "CN=a,", "CN=\\C3", "CN=a\\")
SEVERAL_AT_ONCE = (
    "CN=prod-eu+O=podgraft-clusters",
    "O=podgraft-clusters+CN=prod-eu",
    "CN=prod-eu + O=podgraft-clusters",
    "CN=prod-eu+",
)


@pytest.mark.parametrize("text", [*NO_SUBJECTS, *SEVERAL_AT_ONCE])
def test_what_is_no_subject_is_none(text: str) -> None:
    assert subjects.parse_subject(text) is None


def test_a_step_of_several_attributes_is_not_several_steps() -> None:
    peer = ((("organizationName", "podgraft-clusters"), ("commonName", "prod-eu")),)
    assert subjects.subject_of_certificate(peer) is None


@pytest.mark.parametrize(
    "blank", [" ", "\t", "\n", "\v", "\x1f", "\x85", "\xa0", "\u2003", "\u3000"]
)
def test_a_name_with_blanks_around_it_is_another_name(blank: str) -> None:
    """RFC 4514 escapes only spaces: an authority could sign the name for another cluster."""
    for name in (f"{blank}prod-eu", f"prod-eu{blank}", f"{blank}{blank}prod-eu{blank}"):
        certificate = x509.Name(
            [
                x509.NameAttribute(NameOID.ORGANIZATION_NAME, "podgraft-clusters"),
                x509.NameAttribute(NameOID.COMMON_NAME, name),
            ]
        )
        parsed = subjects.parse_subject(certificate.rfc4514_string())
        assert parsed == (("CN", name), ("O", "podgraft-clusters"))
