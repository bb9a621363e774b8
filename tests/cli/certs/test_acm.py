"""What ACM and API Gateway would refuse is said before they are asked."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from podgraft.cli import main
from podgraft.cli.certs import acm, issuance, keys, pem
from podgraft.cli.certs.acm import Import
from podgraft.cli.certs.issuance import Validity
from podgraft.cli.certs.keys import KeyType
from podgraft.cli.failure import CommandError
from support.pki import NOW, Authority

KEY = keys.make_key(KeyType.P_256)
CA, OTHER = Authority(), Authority()
SERVER = CA.server("webhook.example.com", key=KEY)
ARN = "arn:aws:acm:eu-central-1:123456789012:certificate/6d3f7c1e-0000-4000-8000-000000000000"
BIG = rsa.generate_private_key(65537, 3072)
P_384 = ec.generate_private_key(ec.SECP384R1())
CLIENT = issuance.make_client_certificate(
    "prod", None, KEY.public_key(), CA.issuer, Validity.from_now(NOW, 300)
)


def _import(**changes: object) -> Import:
    known = {"chain": (SERVER,), "roots": (CA.certificate,), "key": KEY, "replaces": None}
    return Import(**(known | changes))  # pyright: ignore[reportArgumentType] — a test's shorthand


@dataclass(frozen=True, slots=True)
class RefusedCase:
    name: str
    wanted: Import
    message: str
    days: int = 0


REGIONAL = "the key is neither RSA-2048 nor ECDSA P-256, which regional endpoints need"
REFUSED = (
    RefusedCase("RSA-3072", _import(chain=(CA.server("a.example", key=BIG),), key=BIG), REGIONAL),
    RefusedCase("P-384", _import(chain=(CA.server("a.example", key=P_384),), key=P_384), REGIONAL),
    RefusedCase(
        "another key",
        _import(key=keys.make_key(KeyType.P_256)),
        "the key is of another certificate",
    ),
    RefusedCase(
        "addresses only",
        _import(chain=(CA.server("10.0.0.1", key=KEY),)),
        "the certificate must carry 1 to 100 DNS names, for the custom domain",
    ),
    RefusedCase(
        "too many names",
        _import(chain=(CA.server(*(f"a{i}.example.com" for i in range(101)), key=KEY),)),
        "the certificate must carry 1 to 100 DNS names, for the custom domain",
    ),
    RefusedCase(
        "the CA first",
        _import(chain=(CA.certificate, SERVER)),
        "write the server certificate first in the file",
    ),
    RefusedCase("a client", _import(chain=(CLIENT,)), "CN=prod: is not a server certificate"),
    RefusedCase("wrong order", _import(chain=(SERVER, OTHER.certificate)), "wrong order: "),
    RefusedCase("expired", _import(), "CN=webhook.example.com has expired", days=301),
)


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_what_aws_would_refuse_is_refused_first(case: RefusedCase) -> None:
    with pytest.raises(CommandError, match=f"^not imported: .*{case.message}"):
        acm.check_import(case.wanted, NOW + timedelta(days=case.days))


@pytest.fixture
def stubbed_client(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Any, Any]]:
    """boto3's client, whose calls botocore checks against the service's model."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    client = acm.make_acm_client("eu-central-1")
    with import_module("botocore.stub").Stubber(client) as stubber:  # boto3 ships no types
        yield client, stubber
        stubber.assert_no_pending_responses()


def test_the_root_completes_the_chain(stubbed_client: tuple[Any, Any]) -> None:
    client, stubber = stubbed_client
    expected = {
        "Certificate": pem.dump_certificates([SERVER]),
        "PrivateKey": keys.encode_key(KEY, None),
        "CertificateChain": pem.dump_certificates([CA.certificate]),
    }
    stubber.add_response("import_certificate", {"CertificateArn": ARN}, expected)
    acm.check_import(_import(), NOW)
    assert acm.import_certificate(_import(), client) == ARN


def test_an_imported_certificate_is_replaced_in_place() -> None:
    replacing: Any = acm.make_acm_client("us-east-1", ARN)
    assert replacing.meta.region_name == "eu-central-1"
    with pytest.raises(CommandError, match="is no ARN of an ACM certificate"):
        acm.make_acm_client(None, "certificate/6d3f7c1e")


def test_a_renewed_certificate_retains_its_arn(stubbed_client: tuple[Any, Any]) -> None:
    client, stubber = stubbed_client
    expected = {
        "Certificate": pem.dump_certificates([SERVER]),
        "PrivateKey": keys.encode_key(KEY, None),
        "CertificateArn": ARN,
    }
    stubber.add_response("import_certificate", {"CertificateArn": ARN}, expected)
    assert acm.import_certificate(_import(roots=(), replaces=ARN), client) == ARN


def test_the_next_step_needs_no_clone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder of podgraft init has no Makefile, and API Gateway knows a replaced certificate."""
    monkeypatch.chdir(tmp_path)
    made = ("--key-type", "p-256")
    assert main(["certs", "ca", *made]) == 0
    assert main(["certs", "server", "webhook.example.com", *made]) == 0

    def import_certificate(*_: object) -> str:
        return ARN

    monkeypatch.setattr(acm, "import_certificate", import_certificate)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    for words, step in (
        ((), f"sam deploy --parameter-overrides CertificateArn={ARN} DomainName=HOST\n"),
        (("--arn", ARN), "none; API Gateway presents the new certificate within minutes\n"),
    ):
        capsys.readouterr()
        assert main(["certs", "import-acm", *words]) == 0
        out, err = capsys.readouterr()
        assert out == f"{ARN}\n"
        assert err.startswith(f"next:\n  {step}")
