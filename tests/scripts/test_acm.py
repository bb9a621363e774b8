"""What ACM and API Gateway would refuse is said before they are asked."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from certificates import CertificateError, acm, issuing, keys, pem
from certificates.acm import Import, Importer
from certificates.issuing import Lifetime
from certificates.keys import KeyType
from pki import NOW, Authority

KEY = keys.make(KeyType.P_256)
CA, OTHER = Authority(), Authority()
SERVER = CA.server("webhook.example.com", key=KEY)
ARN = "arn:aws:acm:eu-central-1:123456789012:certificate/6d3f7c1e-0000-4000-8000-000000000000"
BIG = rsa.generate_private_key(65537, 4096)
P_384 = ec.generate_private_key(ec.SECP384R1())
CLIENT = issuing.client("prod", None, KEY.public_key(), CA.issuer, Lifetime.starting(NOW, 300))


def _import(**changes: object) -> Import:
    known = {"chain": (SERVER,), "roots": (CA.certificate,), "key": KEY, "replaces": None}
    return Import(**(known | changes))  # pyright: ignore[reportArgumentType] — a test's shorthand


@dataclass(frozen=True, slots=True)
class Refused:
    name: str
    wanted: Import
    message: str
    days: int = 0


REGIONAL = "the key is neither RSA-2048 nor ECDSA P-256, which regional endpoints need"
REFUSED = (
    Refused("RSA-4096", _import(chain=(CA.server("a.example", key=BIG),), key=BIG), REGIONAL),
    Refused("P-384", _import(chain=(CA.server("a.example", key=P_384),), key=P_384), REGIONAL),
    Refused(
        "another key", _import(key=keys.make(KeyType.P_256)), "the key is of another certificate"
    ),
    Refused(
        "addresses only",
        _import(chain=(CA.server("10.0.0.1", key=KEY),)),
        "the certificate must carry 1 to 100 DNS names, for the custom domain",
    ),
    Refused(
        "too many names",
        _import(chain=(CA.server(*(f"a{i}.example.com" for i in range(101)), key=KEY),)),
        "the certificate must carry 1 to 100 DNS names, for the custom domain",
    ),
    Refused("the CA first", _import(chain=(CA.certificate, SERVER)), "must come first in the file"),
    Refused("a client", _import(chain=(CLIENT,)), "CN=prod is no server certificate"),
    Refused("wrong order", _import(chain=(SERVER, OTHER.certificate)), "wrong order: "),
    Refused("expired", _import(), "CN=webhook.example.com has expired", days=301),
)


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_what_aws_would_refuse_is_refused_first(case: Refused) -> None:
    with pytest.raises(CertificateError, match=f"^not imported: .*{case.message}"):
        acm.check(case.wanted, NOW + timedelta(days=case.days))


@pytest.fixture
def stubbed(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Importer, Any]]:
    """boto3's client, whose calls botocore checks against the service's model."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    client = acm.client("eu-central-1")
    with import_module("botocore.stub").Stubber(client) as stubber:  # boto3 ships no types
        yield client, stubber
        stubber.assert_no_pending_responses()


def test_the_root_completes_the_chain(stubbed: tuple[Importer, Any]) -> None:
    client, stubber = stubbed
    expected = {
        "Certificate": pem.dump([SERVER]),
        "PrivateKey": keys.encode(KEY, None),
        "CertificateChain": pem.dump([CA.certificate]),
    }
    stubber.add_response("import_certificate", {"CertificateArn": ARN}, expected)
    acm.check(_import(), NOW)
    assert acm.send(_import(), client) == ARN


def test_a_certificate_is_replaced_where_it_is() -> None:
    replacing: Any = acm.client("us-east-1", ARN)
    assert replacing.meta.region_name == "eu-central-1"
    with pytest.raises(CertificateError, match="is no ARN of an ACM certificate"):
        acm.client(None, "certificate/6d3f7c1e")


def test_a_renewed_certificate_keeps_its_arn(stubbed: tuple[Importer, Any]) -> None:
    client, stubber = stubbed
    expected = {
        "Certificate": pem.dump([SERVER]),
        "PrivateKey": keys.encode(KEY, None),
        "CertificateArn": ARN,
    }
    stubber.add_response("import_certificate", {"CertificateArn": ARN}, expected)
    assert acm.send(_import(roots=(), replaces=ARN), client) == ARN
