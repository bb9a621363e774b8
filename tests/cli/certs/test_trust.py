"""One table of servers and hosts; ours, OpenSSL, Python's ssl and Go's verifier must agree."""

import shutil
import ssl
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.x509.oid import NameOID

from podgraft.cli.certs import issuance, keys, names, pem, trust
from podgraft.cli.certs.issuance import Issuer, Validity
from podgraft.cli.certs.keys import KeyType
from podgraft.cli.failure import CommandError
from support.pki import NOW, Authority, VerifyRequest, verify_with_go

KEY = keys.make_key(KeyType.P_256)
RSA = keys.make_key(KeyType.RSA_2048)
HOSTS = ("webhook.example.com", "*.apps.example.com", "admission-webhook.default.svc")
ADDRESSES = ("10.0.0.1", "2001:db8::7")
YEAR = timedelta(days=365)

CA, OTHER = Authority(), Authority()
TWIN, TWINS_SISTER = Authority("twin"), Authority("twin")
SHORT = Authority(days=310)
SERVER = CA.server(*HOSTS, *ADDRESSES, key=KEY)


_USAGES = (
    *("digital_signature", "content_commitment", "key_encipherment", "data_encipherment"),
    *("key_agreement", "key_cert_sign", "crl_sign", "encipher_only", "decipher_only"),
)


def _make_intermediate(above: Issuer, path_length: int | None) -> Issuer:
    """A CA, signed by *above* or, with the same key, by itself: certs.py makes no intermediates."""
    key = above.key if path_length is None else keys.make_key(KeyType.P_256)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"CA {path_length}")])
    issuer = name if path_length is None else above.certificate.subject
    builder = x509.CertificateBuilder(
        issuer, name, key.public_key(), 7, NOW - YEAR, NOW + YEAR
    ).add_extension(x509.BasicConstraints(ca=True, path_length=path_length), critical=True)
    if path_length is not None:  # without a usage, a strict client refuses the length
        usage = dict.fromkeys(_USAGES, False) | {"key_cert_sign": True}
        builder = builder.add_extension(x509.KeyUsage(**usage), critical=True)
    return Issuer(builder.sign(above.key, hashes.SHA256()), key)


ROOT = _make_intermediate(
    CA.issuer, None
)  # without key usage and key identifiers, as plain openssl makes them
MIDDLE = _make_intermediate(ROOT, 0)
TOO_DEEP = _make_intermediate(CA.issuer, 0)  # CA itself may sign leaves only


def _server(issuer: Issuer, *hosts: str) -> x509.Certificate:
    lifetime = Validity.from_now(NOW, 300)
    return issuance.make_server_certificate(
        names.parse_names(hosts), KEY.public_key(), issuer, lifetime
    )


def _common_name_only() -> x509.Certificate:
    """What many recipes on the web still make."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "webhook.example.com")])
    issuer = CA.certificate.subject
    return x509.CertificateBuilder(issuer, name, KEY.public_key(), 7, NOW, NOW + YEAR).sign(
        CA.issuer.key, hashes.SHA256()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    name: str
    chain: tuple[x509.Certificate, ...] = (SERVER,)
    roots: tuple[x509.Certificate, ...] = (CA.certificate,)
    host: str = "webhook.example.com"
    now: datetime = NOW
    fault: str | None = None  # what ours says; None where everybody accepts


def _minute(days: float) -> str:
    return f"{NOW + timedelta(days=days):%Y-%m-%d %H:%M} UTC"


def _mismatch(host: str) -> str:
    return f"the certificate is valid for {', '.join((*HOSTS, *ADDRESSES))}, not for {host}"


CLIENT = issuance.make_client_certificate(
    "prod", None, KEY.public_key(), CA.issuer, Validity.from_now(NOW, 300)
)

TRIALS = (
    # hosts
    Trial(name="a DNS name"),
    Trial(name="another DNS name", host="admission-webhook.default.svc"),
    Trial(name="a name in capitals", host="WEBHOOK.example.com"),
    Trial(name="one label for the wildcard", host="a.apps.example.com"),
    Trial(name="an IPv4 address", host="10.0.0.1"),
    Trial(name="an IPv6 address", host="2001:db8::7"),
    Trial(name="a foreign name", host="evil.example.com", fault=_mismatch("evil.example.com")),
    Trial(name="a shorter name", host="example.com", fault=_mismatch("example.com")),
    Trial(name="a longer name", host="x.webhook.example.com",
          fault=_mismatch("x.webhook.example.com")),
    Trial(name="no label for the wildcard", host="apps.example.com",
          fault=_mismatch("apps.example.com")),
    Trial(name="two labels for the wildcard", host="a.b.apps.example.com",
          fault=_mismatch("a.b.apps.example.com")),
    Trial(name="another address", host="10.0.0.2", fault=_mismatch("10.0.0.2")),
    Trial(name="another IPv6 address", host="2001:db8::8", fault=_mismatch("2001:db8::8")),
    Trial(name="no subjectAltName", chain=(_common_name_only(),),
          fault="CN=webhook.example.com has no subjectAltName, and kube-apiserver ignores the "
          "common name; make a new certificate"),
    # authorities
    Trial(name="one of two roots", roots=(OTHER.certificate, CA.certificate)),
    Trial(name="a chain with an intermediate",
          chain=(_server(MIDDLE, *HOSTS), MIDDLE.certificate), roots=(ROOT.certificate,)),
    Trial(name="another CA", roots=(OTHER.certificate,),
          fault="CN=webhook.example.com was signed by "
          f"{trust.describe_subject(CA.certificate)}, but the "
          f"bundle holds {trust.describe_subject(OTHER.certificate)}"),
    Trial(name="another CA of the same name", chain=(TWIN.server(*HOSTS, key=KEY),),
          roots=(TWINS_SISTER.certificate,),
          fault="CN=webhook.example.com was signed by another CA of the same name (CN=twin): same "
          "name, other key"),
    Trial(name="a missing intermediate", chain=(_server(MIDDLE, *HOSTS),),
          roots=(ROOT.certificate,),
          fault="CN=webhook.example.com was signed by CN=CA 0, but the bundle holds CN=CA None"),
    Trial(name="a CA that may sign no CA",
          chain=(_server(TOO_DEEP, *HOSTS), TOO_DEEP.certificate),
          fault="path validation fails: "),
    Trial(name="a server that signs", chain=(_server(Issuer(SERVER, KEY), *HOSTS), SERVER),
          fault="CN=webhook.example.com in the server's chain is no CA"),
    # time and purpose
    Trial(name="the last day", now=NOW + timedelta(days=299)),
    Trial(name="expired", now=NOW + timedelta(days=301),
          fault=f"CN=webhook.example.com has expired on {_minute(300)}"),
    Trial(name="not yet valid", now=NOW - timedelta(minutes=6),
          fault=f"CN=webhook.example.com is not valid before {_minute(-5 / 1440)}"),
    Trial(name="an expired CA", roots=(SHORT.certificate,), now=NOW + timedelta(days=311),
          chain=(SHORT.server(*HOSTS, key=KEY, days=310),),
          fault=f"CN=webhook.example.com has expired on {_minute(310)}"),
    Trial(name="a client's certificate", chain=(CLIENT,),
          fault="CN=prod has no subjectAltName, and kube-apiserver ignores the common name; "
          "make a new certificate"),
    # the other kind of key
    Trial(name="an RSA key", chain=(CA.server(*HOSTS, key=RSA),)),
)  # fmt: skip


@pytest.fixture(params=TRIALS, ids=lambda trial: trial.name)
def trial(request: pytest.FixtureRequest) -> Trial:
    return request.param


def test_podgraft_accepts_or_states_the_reason(trial: Trial) -> None:
    faults = trust.find_trust_problems(trial.chain, trial.roots, trial.host, trial.now)
    assert (faults[0] if faults else "").startswith(trial.fault or "")
    assert bool(faults) is bool(trial.fault)


def test_openssl_agrees(trial: Trial, tmp_path: Path) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed: it is not asked")
    files = {"roots": trial.roots, "leaf": trial.chain[:1], "rest": trial.chain[1:]}
    for name, certificates in files.items():
        (tmp_path / name).write_bytes(pem.dump_certificates(certificates))
    kind = "-verify_ip" if _is_address(trial.host) else "-verify_hostname"
    untrusted = ["-untrusted", "rest"] if trial.chain[1:] else []
    at = str(int(trial.now.timestamp()))
    command = [openssl, "verify", "-purpose", "sslserver", "-attime", at, kind, trial.host]
    result = subprocess.run(
        [*command, "-CAfile", "roots", *untrusted, "leaf"],
        cwd=tmp_path,
        check=False,
        text=True,
        capture_output=True,
    )
    # OpenSSL still falls back to the common name; Go, and so kube-apiserver, does not.
    accepted = trial.fault is None or (
        "has no subjectAltName" in trial.fault and trial.chain != (CLIENT,)
    )
    assert (result.returncode == 0) is accepted, result.stderr


@pytest.mark.parametrize("trial", [one for one in TRIALS if one.now == NOW], ids=lambda t: t.name)
def test_pythons_client_agrees_in_a_handshake(trial: Trial, tmp_path: Path) -> None:
    """The clock of a handshake cannot be set: trials at another time are the others' business."""
    key = RSA if trial.name == "an RSA key" else KEY
    (tmp_path / "chain").write_bytes(pem.dump_certificates(trial.chain))
    (tmp_path / "key").write_bytes(keys.encode_key(key, None))
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(tmp_path / "chain", tmp_path / "key")
    client = ssl.create_default_context(cadata=pem.dump_certificates(trial.roots).decode())
    client.hostname_checks_common_name = False
    # Python 3.13 also asks for an Authority Key Identifier; Go, and so kube-apiserver, does not.
    client.verify_flags &= ~ssl.VERIFY_X509_STRICT
    try:
        _shake_hands(client, server, trial.host)
    except ssl.SSLCertVerificationError:
        assert trial.fault is not None
    else:
        assert trial.fault is None


def test_go_agrees(goverify: Path) -> None:
    questions = [VerifyRequest(one.chain, one.roots, one.host, one.now) for one in TRIALS]
    refused = zip(TRIALS, map(bool, verify_with_go(goverify, questions)), strict=True)
    assert {trial.name: verdict for trial, verdict in refused} == {
        trial.name: trial.fault is not None for trial in TRIALS
    }


def test_a_bundle_takes_cas_only_and_each_once() -> None:
    assert trust.check_roots([CA.certificate, OTHER.certificate, CA.certificate]) == (
        CA.certificate,
        OTHER.certificate,
    )
    with pytest.raises(CommandError, match=r"CN=webhook\.example\.com is no CA: a bundle holds"):
        trust.check_roots([SERVER])


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _shake_hands(client: ssl.SSLContext, server: ssl.SSLContext, host: str) -> None:
    """A TLS handshake in memory."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = (
        client.wrap_bio(to_client, to_server, server_hostname=host),
        server.wrap_bio(to_server, to_client, server_side=True),
    )
    pending = list(ends)
    while pending:
        pending = [end for end in pending if not _is_handshake_done(end.do_handshake)]


def _is_handshake_done(step: Callable[[], None]) -> bool:
    try:
        step()
    except ssl.SSLWantReadError:
        return False
    return True
