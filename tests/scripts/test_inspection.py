"""What monitoring is told about a certificate."""

from dataclasses import dataclass
from datetime import timedelta

import pytest

from certificates import inspection, issuing, keys, trust
from certificates.inspection import Question, Status
from certificates.issuing import Lifetime
from certificates.keys import KeyType
from pki import NOW, Authority

KEY = keys.make(KeyType.P_256)
CA, OTHER = Authority(), Authority()
SERVER = CA.server("a.example.com", "*.b.example.com", key=KEY)
CLIENT = issuing.client("prod", None, KEY.public_key(), CA.issuer, Lifetime.starting(NOW, 300))
ROOTS = (CA.certificate,)
ISSUER, STRANGER = trust.subject(CA.certificate), trust.subject(OTHER.certificate)


def _ask(**changes: object) -> Question:
    known = {"chain": (SERVER,), "now": NOW, "warn_days": 30}
    return Question(**(known | changes))  # pyright: ignore[reportArgumentType] — a test's shorthand


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    question: Question
    status: Status
    faults: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


SOON = NOW + timedelta(days=280)
CASES = (
    Case("a server alone", _ask(), Status.FINE),
    Case(
        "with key, CA and host", _ask(key=KEY, roots=ROOTS, hosts=("x.b.example.com",)), Status.FINE
    ),
    Case("with its CA below it", _ask(chain=(SERVER, CA.certificate)), Status.FINE),
    Case("only a wildcard", _ask(chain=(CA.server("*.b.example.com"),), roots=ROOTS), Status.FINE),
    Case("a CA", _ask(chain=ROOTS), Status.FINE),
    Case("a bundle of CAs", _ask(chain=(*ROOTS, OTHER.certificate)), Status.FINE),
    Case("a client", _ask(chain=(CLIENT,), roots=ROOTS), Status.FINE),
    Case(
        "nearly expired",
        _ask(now=SOON),
        Status.ACT_SOON,
        warnings=("CN=a.example.com expires in 20 days; renew it",),
    ),
    Case(
        "expired",
        _ask(now=NOW + timedelta(days=301)),
        Status.BROKEN,
        (f"CN=a.example.com has expired on {NOW + timedelta(days=300):%Y-%m-%d %H:%M} UTC",),
    ),
    Case(
        "an expired client",
        _ask(chain=(CLIENT,), now=NOW + timedelta(days=301)),
        Status.BROKEN,
        (f"CN=prod has expired on {NOW + timedelta(days=300):%Y-%m-%d %H:%M} UTC",),
    ),
    Case(
        "another host",
        _ask(hosts=("c.example.com",)),
        Status.BROKEN,
        ("the certificate is valid for a.example.com, *.b.example.com, not for c.example.com",),
    ),
    Case(
        "another key",
        _ask(key=keys.make(KeyType.P_256)),
        Status.BROKEN,
        ("the key is of another certificate",),
    ),
    Case(
        "another CA",
        _ask(roots=(OTHER.certificate,)),
        Status.BROKEN,
        (f"CN=a.example.com was signed by {ISSUER}, but the bundle holds {STRANGER}",),
    ),
    Case(
        "a client of another CA",
        _ask(chain=(CLIENT,), roots=(OTHER.certificate,)),
        Status.BROKEN,
        (f"CN=prod was signed by {ISSUER}, but the bundle holds {STRANGER}",),
    ),
    Case(
        "a chain in the wrong order",
        _ask(chain=(SERVER, OTHER.certificate, CA.certificate), roots=ROOTS),
        Status.BROKEN,
        (
            f"wrong order: CN=a.example.com is not signed by {STRANGER}",
            f"wrong order: {STRANGER} is not signed by {ISSUER}",
        ),
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_findings(case: Case) -> None:
    report = inspection.inspect(case.question)
    assert (report.faults, report.warnings) == (case.faults, case.warnings)
    assert report.status is case.status


def test_the_report_shows_what_the_file_says() -> None:
    report = inspection.inspect(_ask(key=KEY, chain=(SERVER, CA.certificate)))
    assert [line.split(maxsplit=1)[1] for line in report.lines if not line.startswith("valid")] == [
        "CN=a.example.com",
        "server",
        "a.example.com, *.b.example.com",
        ISSUER,
        f"{SERVER.serial_number:x}",
        "left  300",
        f"CN=a.example.com <- {ISSUER}",
        "belongs to the certificate",
    ]
