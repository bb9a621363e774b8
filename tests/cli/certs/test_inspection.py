"""The report on a certificate for monitoring."""

from base64 import encodebytes
from dataclasses import dataclass
from datetime import timedelta

import pytest
from cryptography.hazmat.primitives.serialization import Encoding

from podgraft.cli.certs import issuance, keys, pem, trust
from podgraft.cli.certs.inspection import ExitStatus, Inspection
from podgraft.cli.certs.issuance import Validity
from podgraft.cli.certs.keys import KeyType
from podgraft.cli.failure import CommandError
from support.pki import NOW, Authority

KEY = keys.make_key(KeyType.P_256)
CA, OTHER = Authority(), Authority()
SERVER = CA.server("a.example.com", "*.b.example.com", key=KEY)
CLIENT = issuance.make_client_certificate(
    "prod", None, KEY.public_key(), CA.issuer, Validity.from_now(NOW, 300)
)
ROOTS = (CA.certificate,)
ISSUER, STRANGER = trust.describe_subject(CA.certificate), trust.describe_subject(OTHER.certificate)


@pytest.mark.parametrize("name", [b"a.example.com", b"*.b.example.com"])
def test_a_damaged_field_is_an_error_with_its_file(name: bytes) -> None:
    """The parser decodes a field on its first use: without a check, that is a traceback."""
    der = SERVER.public_bytes(Encoding.DER).replace(name, b"\xff" * len(name))
    damaged = b"-----BEGIN CERTIFICATE-----\n%b-----END CERTIFICATE-----\n" % encodebytes(der)
    with pytest.raises(CommandError, match=r"^server\.pem: a certificate in it is damaged"):
        pem.parse_certificates(damaged, "server.pem")


def _ask(**changes: object) -> Inspection:
    known = {"chain": (SERVER,), "now": NOW, "warn_days": 30}
    return Inspection(**(known | changes))  # pyright: ignore[reportArgumentType] — a test's shorthand


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    question: Inspection
    status: ExitStatus
    faults: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


SOON = NOW + timedelta(days=280)
CASES = (
    Case("a server alone", _ask(), ExitStatus.FINE),
    Case(
        "with key, CA and host",
        _ask(key=KEY, roots=ROOTS, hosts=("x.b.example.com",)),
        ExitStatus.FINE,
    ),
    Case("with its CA below it", _ask(chain=(SERVER, CA.certificate)), ExitStatus.FINE),
    Case(
        "only a wildcard", _ask(chain=(CA.server("*.b.example.com"),), roots=ROOTS), ExitStatus.FINE
    ),
    Case("a CA", _ask(chain=ROOTS), ExitStatus.FINE),
    Case("a bundle of CAs", _ask(chain=(*ROOTS, OTHER.certificate)), ExitStatus.FINE),
    Case("a client", _ask(chain=(CLIENT,), roots=ROOTS), ExitStatus.FINE),
    Case(
        "nearly expired",
        _ask(now=SOON),
        ExitStatus.ACT_SOON,
        warnings=("CN=a.example.com expires in 20 days; renew it",),
    ),
    Case(
        "expired",
        _ask(now=NOW + timedelta(days=301)),
        ExitStatus.BROKEN,
        (f"CN=a.example.com has expired on {NOW + timedelta(days=300):%Y-%m-%d %H:%M} UTC",),
    ),
    Case(
        "an expired client",
        _ask(chain=(CLIENT,), now=NOW + timedelta(days=301)),
        ExitStatus.BROKEN,
        (f"CN=prod has expired on {NOW + timedelta(days=300):%Y-%m-%d %H:%M} UTC",),
    ),
    Case(
        "another host",
        _ask(hosts=("c.example.com",)),
        ExitStatus.BROKEN,
        ("the certificate is valid for a.example.com, *.b.example.com, not for c.example.com",),
    ),
    Case(
        "another key",
        _ask(key=keys.make_key(KeyType.P_256)),
        ExitStatus.BROKEN,
        ("the key is of another certificate",),
    ),
    Case(
        "another CA",
        _ask(roots=(OTHER.certificate,)),
        ExitStatus.BROKEN,
        (f"CN=a.example.com was signed by {ISSUER}, but the bundle holds {STRANGER}",),
    ),
    Case(
        "a client of another CA",
        _ask(chain=(CLIENT,), roots=(OTHER.certificate,)),
        ExitStatus.BROKEN,
        (f"CN=prod was signed by {ISSUER}, but the bundle holds {STRANGER}",),
    ),
    Case(
        "a chain in the wrong order",
        _ask(chain=(SERVER, OTHER.certificate, CA.certificate), roots=ROOTS),
        ExitStatus.BROKEN,
        (
            f"wrong order: CN=a.example.com is not signed by {STRANGER}",
            f"wrong order: {STRANGER} is not signed by {ISSUER}",
        ),
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_findings(case: Case) -> None:
    assert (case.question.errors, case.question.warnings) == (case.faults, case.warnings)
    assert case.question.status is case.status


def test_the_report_shows_what_the_file_states() -> None:
    lines = _ask(key=KEY, chain=(SERVER, CA.certificate)).describe()
    assert [line.split(maxsplit=1)[1] for line in lines if not line.startswith("valid")] == [
        "CN=a.example.com",
        "server",
        "a.example.com, *.b.example.com",
        ISSUER,
        f"{SERVER.serial_number:x}",
        "left  300",
        f"CN=a.example.com <- {ISSUER}",
        "belongs to the certificate",
    ]
