"""A real handshake checks a live endpoint, and the report gives the reason in our words."""

import socket
from dataclasses import dataclass
from pathlib import Path

import pytest

from podgraft.cli.certs import endpoint, keys, trust
from podgraft.cli.certs.endpoint import Address
from podgraft.cli.certs.keys import KeyType
from podgraft.cli.failure import CommandError
from support.pki import NOW, Authority
from support.tls_endpoint import serve_certificate

KEY = keys.make_key(KeyType.P_256)
CA, OTHER = Authority(), Authority()


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    hosts: tuple[str, ...]
    fault: str
    roots: tuple[Authority, ...] = (CA,)


CASES = (
    Case("trusted", ("127.0.0.1",), ""),
    Case("one of two roots", ("127.0.0.1",), "", (OTHER, CA)),
    Case(
        "another host",
        ("webhook.example.com",),
        "the certificate is valid for webhook.example.com, not for 127.0.0.1",
    ),
    Case("another CA", ("127.0.0.1", "a.example"), "CN=a.example was signed by ", (OTHER,)),
    Case("public roots", ("127.0.0.1",), ": unable to get local issuer certificate", ()),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_verdict_and_the_reason(case: Case, tmp_path: Path) -> None:
    roots = [authority.certificate for authority in case.roots]
    with serve_certificate([CA.server(*case.hosts, key=KEY)], KEY, tmp_path) as port:
        faults = endpoint.find_trust_problems(Address("127.0.0.1", port), roots, NOW)
    assert case.fault in "; ".join(faults)
    assert bool(faults) is bool(case.fault)


def test_what_is_shown_is_given_whether_trusted_or_not(tmp_path: Path) -> None:
    server = CA.server("a.example", key=KEY)
    with serve_certificate([server], KEY, tmp_path) as port:
        assert endpoint.fetch_certificate(Address("127.0.0.1", port)) == server


def test_no_connection_is_a_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(CommandError, match=f"127.0.0.1:{port}: no TLS connection: "):
        endpoint.fetch_certificate(Address("127.0.0.1", port))


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("https://a.example.com", "a.example.com:443"),
        ("https://a.example.com:8443/inject", "a.example.com:8443"),
        ("a.example.com:8443", "a.example.com:8443"),
        ("https://[::1]:8443", "[::1]:8443"),
    ],
)
def test_an_address_is_read(text: str, want: str) -> None:
    assert str(Address.parse(text)) == want


@pytest.mark.parametrize("text", ["http://a.example.com", "https://", "https://a:99999", ""])
def test_a_bad_address_is_refused(text: str) -> None:
    with pytest.raises(CommandError):
        Address.parse(text)


def test_trust_names_a_certificate_without_subject_by_its_number() -> None:
    server = CA.server("10.0.0.1")
    assert trust.describe_subject(server) == f"certificate {server.serial_number:x}"
