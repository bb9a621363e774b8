"""The program that makes certificates, as an operator runs it."""

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519

from podgraft.cli import main
from podgraft.cli.certs import keys, names, pem, trust
from podgraft.cli.certs.issuance import LAST_END
from podgraft.core.identifiers import CLUSTER_REMEDY


@dataclass(frozen=True, slots=True)
class Outcome:
    status: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run podgraft certs in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def _run(*arguments: str) -> Outcome:
        status = main(["certs", *arguments])
        captured = capsys.readouterr()
        return Outcome(status, captured.out, captured.err)

    return _run


@pytest.fixture
def certificate_folder(run: Run) -> Run:
    """A folder with a CA and a server's certificate already in it."""
    assert run("ca", "--key-type", "p-256").status == 0
    assert run("server", "--key-type", "p-256", "a.example.com", "10.0.0.1").status == 0
    return run


FOLDER = Path("certificates")


def test_from_nothing_to_a_server_that_a_client_trusts(run: Run) -> None:
    first = run("ca")
    assert (first.status, first.out) == (
        0,
        "wrote certificates/ca.pem and certificates/ca.key\n",
    )
    assert "podgraft certs server --dir certificates HOST" in first.err
    second = run("server", "a.example.com", "*.b.example.com", "10.0.0.1", "::1")
    assert second.status == 0
    assert "valid for a.example.com, *.b.example.com, 10.0.0.1, ::1, until " in second.out
    assert "--ca-bundle certificates/ca.pem --server-cert certificates/server.pem" in second.err
    chain, roots = (
        pem.read_certificates(FOLDER / "server.pem"),
        pem.read_certificates(FOLDER / "ca.pem"),
    )
    assert all(
        not trust.find_trust_problems(chain, roots, host, datetime.now(UTC))
        for host in ("x.b.example.com", "::1")
    )
    assert keys.is_key_pair(keys.read_key(FOLDER / "server.key", None), chain[0])


@pytest.mark.parametrize("command", [("ca",), ("server", "a.example.com"), ("renew", "server")])
def test_nothing_is_overwritten_without_force(
    certificate_folder: Run, command: tuple[str, ...]
) -> None:
    before = {path.name: path.read_bytes() for path in FOLDER.iterdir()}
    refused = certificate_folder(*command)
    assert refused.status == 1
    assert refused.err.endswith("already exist; use --force to replace them\n")
    assert {path.name: path.read_bytes() for path in FOLDER.iterdir()} == before
    assert certificate_folder(*command, "--force", "--key-type", "p-256").status == 0


@pytest.mark.parametrize("force", [(), ("--force",)])
@pytest.mark.parametrize("name", ["ca", "ca-bundle", "CA"])
@pytest.mark.parametrize(
    "command",
    [
        ("server", "a.example.com", "--name"),
        ("client", "prod", "--name"),
        ("client",),
        ("renew", "server", "--as"),
    ],
)
def test_no_leaf_takes_the_place_of_the_ca(
    certificate_folder: Run, command: tuple[str, ...], name: str, force: tuple[str, ...]
) -> None:
    before = {path.name: path.read_bytes() for path in FOLDER.iterdir()}
    refused = certificate_folder(*command, name, *force, "--key-type", "p-256")
    assert (refused.status, refused.out) == (1, "")
    assert f"name {name!r}: is reserved for the files of the CA" in refused.err
    assert {path.name: path.read_bytes() for path in FOLDER.iterdir()} == before


@pytest.mark.parametrize("days", ["99999999", "3000000", "999999999999999"])
@pytest.mark.parametrize(
    "command",
    [
        ("ca", "--force"),
        ("server", "a.example.com", "--name", "x"),
        ("client", "prod"),
        ("renew", "server", "--force"),
        ("rotate-ca", "--from", "certificates", "--to", "next", "begin"),
    ],
)
def test_more_days_than_a_date_can_express_are_an_error(
    certificate_folder: Run, command: tuple[str, ...], days: str
) -> None:
    before = {path.name: path.read_bytes() for path in FOLDER.iterdir()}
    refused = certificate_folder(*command, "--days", days)
    assert (refused.status, refused.out) == (1, "")
    assert refused.err.startswith(f"error: --days {days}: must be at most ")
    assert refused.err.endswith("; give fewer days\n")
    assert {path.name: path.read_bytes() for path in FOLDER.iterdir()} == before
    assert not Path("next").exists()


def test_several_certificates_have_a_report_each(certificate_folder: Run) -> None:
    paths = ("certificates/server.pem", "certificates/ca.pem")
    both = certificate_folder("inspect", *paths, "--warn-days", "400")
    separate = [certificate_folder("inspect", path, "--warn-days", "400") for path in paths]

    assert both.out == "".join(f"{p}:\n{s.out}" for p, s in zip(paths, separate, strict=True))
    assert both.status == max(each.status for each in separate) == 1

    broken = certificate_folder("inspect", paths[0], "certificates/ca.key")
    assert broken.status == 3
    assert paths[0] in broken.out
    assert (
        "belongs to one certificate"
        in certificate_folder("inspect", *paths, "--key", "certificates/ca.key").err
    )


def test_the_longest_life_can_be_inspected(run: Run) -> None:
    longest = (LAST_END - datetime.now(UTC)).days - 1
    assert run("ca", "--key-type", "p-256", "--days", str(longest)).status == 0
    inspected = run("inspect", "certificates/ca.pem", "--warn-days", "99999999")
    assert "Traceback" not in inspected.err


def test_renewing_retains_key_and_names_by_default(certificate_folder: Run) -> None:
    (old,) = pem.read_certificates(FOLDER / "server.pem")
    assert certificate_folder("renew", "server", "--as", "same").status == 0
    assert (
        certificate_folder(
            "renew", "server", "--as", "other", "--new-key", "--host", "c.example.com"
        ).status
        == 0
    )
    (same,), (other,) = (
        pem.read_certificates(FOLDER / "same.pem"),
        pem.read_certificates(FOLDER / "other.pem"),
    )
    assert (same.public_key(), names.names_of(same)) == (old.public_key(), names.names_of(old))
    assert other.public_key() != old.public_key()
    assert str(names.names_of(other)) == "c.example.com"


def test_keys_are_encrypted_with_a_passphrase_file(run: Run) -> None:
    Path("secret").write_text("correct horse\n")
    Path("wrong").write_text("battery staple\n")
    Path("empty").write_text("\n")
    assert run("ca", "--passphrase-file", "secret").status == 0
    assert b"ENCRYPTED" in (FOLDER / "ca.key").read_bytes()
    server = ("server", "a.example.com")
    assert "certificates/ca.key: the key is encrypted; give its passphrase file" in run(*server).err
    wrong = run(*server, "--ca-passphrase-file", "wrong")
    assert "certificates/ca.key: cannot read the key; is the passphrase right?" in wrong.err
    empty = run(*server, "--ca-passphrase-file", "empty")
    assert "empty: the passphrase is empty; write it into the first line" in empty.err
    assert run(*server, "--ca-passphrase-file", "secret").status == 0


def test_a_client_certificate_states_how_to_let_the_cluster_in(certificate_folder: Run) -> None:
    outcome = certificate_folder("client", "prod-eu")
    assert outcome.status == 0
    assert "subject CN=prod-eu,O=podgraft-clusters, until " in outcome.out
    assert "podgraft tokens allow --cluster prod-eu CN=prod-eu,O=podgraft-clusters" in outcome.err
    assert (FOLDER / "prod-eu.key").exists()


def test_a_bundle_is_base64_of_every_ca(certificate_folder: Run) -> None:
    certificate_folder("ca", "--dir", "next", "--key-type", "p-256")
    outcome = certificate_folder(
        "bundle", "certificates/ca.pem", "next/ca.pem", "--output", "both.pem"
    )
    both = (*pem.read_certificates(FOLDER / "ca.pem"), *pem.read_certificates(Path("next/ca.pem")))
    assert (
        pem.parse_certificates(base64.b64decode(outcome.out.strip(), validate=True), "stdout")
        == both
    )
    assert pem.read_certificates(Path("both.pem")) == both


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("certificates/server.pem", "CN=a.example.com is no CA: a bundle holds the CA"),
        ("certificates/ca.key", "holds a private key; the certificate is needed"),
        ("empty", "is empty; a PEM certificate is needed"),
        ("der", "is DER; convert it: openssl x509"),
        ("damaged", "a certificate in it is damaged"),
        ("text", "contains no PEM certificate"),
    ],
)
def test_a_bundle_takes_nothing_else(certificate_folder: Run, file: str, words: str) -> None:
    whole = (FOLDER / "ca.pem").read_text()
    Path("empty").touch()
    Path("der").write_bytes(b"\x30\x82\x01")
    Path("damaged").write_text(whole.replace("MII", "MIJ", 1))
    Path("text").write_text("hello")
    outcome = certificate_folder("bundle", file)
    assert (outcome.status, outcome.out) == (1, "")
    assert words in outcome.err


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("certificates/server.pem",), 0, "names      a.example.com, 10.0.0.1"),
        (("certificates/server.pem", "--ca", "certificates/ca.pem"), 0, "days left  299"),
        (
            ("certificates/server.pem", "--warn-days", "400"),
            1,
            "warning    CN=a.example.com expires",
        ),
        (
            ("certificates/server.pem", "--host", "b.example.com"),
            2,
            "error      the certificate is",
        ),
        (("certificates/server.pem", "--key", "certificates/ca.key"), 2, "key        of another"),
        (("certificates/server.key",), 3, ""),
    ],
)
def test_inspect_serves_people_and_monitoring(
    certificate_folder: Run, arguments: tuple[str, ...], status: int, words: str
) -> None:
    outcome = certificate_folder("inspect", *arguments)
    assert outcome.status == status
    assert words in outcome.out
    assert "next:" in outcome.err or status == 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("server", "a.example.com", "--dir", "nowhere"),
            "there is no CA; create it: podgraft certs ca",
        ),
        (("server", "a.example.com", "--name", "../x"), "give a plain file name, such as server"),
        (("server", "a.example.com", "--days", "9999", "--name", "x"), "the CA ends on"),
        (("renew", "ca", "--force"), "it is not renewed but rotated; see rotate-ca"),
        (("renew", "missing"), "missing.pem"),
    ],
)
def test_a_fault_is_a_sentence_and_status_1(
    certificate_folder: Run, arguments: tuple[str, ...], words: str
) -> None:
    outcome = certificate_folder(*arguments)
    assert outcome.status == 1
    assert outcome.err.startswith("error: ")
    assert words in outcome.err


def test_what_aws_would_refuse_is_not_sent(certificate_folder: Run) -> None:
    assert (
        certificate_folder("server", "10.0.0.1", "--name", "address", "--key-type", "p-256").status
        == 0
    )
    outcome = certificate_folder("import-acm", "--name", "address")
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err.startswith("error: not imported: the certificate must carry 1 to 100")


def test_a_missing_region_or_profile_is_an_error(
    certificate_folder: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "none")
    outcome = certificate_folder("import-acm")
    assert (outcome.status, outcome.err.partition(";")[2]) == (
        1,
        " set --region, AWS_REGION, or region in podgraft.toml\n",
    )
    monkeypatch.setenv("AWS_PROFILE", "absent")
    assert "check --profile" in certificate_folder("import-acm").err


# Made with openssl, for the curve secp112r1, which cryptography does not support.
UNSUPPORTED_KEY = """\
-----BEGIN EC PRIVATE KEY-----
MD4CAQEEDrTmcDAG9HeN+zLacVUvoAcGBSuBBAAGoSADHgAErd/2B2sN6uDAIXOv
c2wpQ9mbVYagpHutoJ7NEA==
-----END EC PRIVATE KEY-----
"""
UNSUPPORTED_CERTIFICATE = """\
-----BEGIN CERTIFICATE-----
MIIBwjCBqwIULFwi4AKhuo3X1p8ogfKecc2/JX0wDQYJKoZIhvcNAQELBQAwHzEd
MBsGA1UEAwwUcG9kZ3JhZnQgQ0EgZDZmNzgzZDgwHhcNMjYxMTI5MTQzOTIwWhcN
MjYxMjE5MTQzOTIwWjAPMQ0wCwYDVQQDDARsZWFmMDIwEAYHKoZIzj0CAQYFK4EE
AAYDHgAErd/2B2sN6uDAIXOvc2wpQ9mbVYagpHutoJ7NEDANBgkqhkiG9w0BAQsF
AAOCAQEAe3FPL1/RYGQ4BQ55tQtyqDi8ZNTl9XwjEjP3IjOi6MU2HKhxGcLtBIMY
Rt6q/VPjIIRp0BRh2O+JettgVgopWxi9IVQfKei5q5FH8aOo8r6HiY5uDdGGBoYl
8KX/QxsV9pJAFH5KGW0/GvR5O034b1xFCJ7uKBLLlLtSqKdRItVW3KTBITWPkU4p
veVs4vHnCclYkenaMXaRL4+Ykv1FejQatdKjcm+HLQH6bWG9yOSHtIQBceIgXNvy
Gn5WKBG44D4L71Lru6vkBTFZx351Ha5hdlym4mCHapw4Qk7DPdKzY55dzvRIMvdE
kyZ6TGGHA5e1phRg+hzGrER9IJ3IlQ==
-----END CERTIFICATE-----
"""


def test_a_key_of_another_curve_is_an_error(certificate_folder: Run) -> None:
    Path("other.key").write_text(UNSUPPORTED_KEY)
    Path("other.pem").write_text(UNSUPPORTED_CERTIFICATE)
    unread = certificate_folder("inspect", "certificates/server.pem", "--key", "other.key")
    assert (unread.status, "other.key: cannot read the key" in unread.err) == (3, True)
    other = certificate_folder("inspect", "other.pem", "--key", "certificates/server.key")
    assert (other.status, "the key is of another certificate" in other.out) == (2, True)


def test_a_key_of_another_algorithm_is_an_error(certificate_folder: Run) -> None:
    key = ed25519.Ed25519PrivateKey.generate()
    forms = (serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    Path("other.key").write_bytes(key.private_bytes(serialization.Encoding.PEM, *forms))
    unread = certificate_folder("inspect", "certificates/server.pem", "--key", "other.key")
    assert (unread.status, "only RSA and ECDSA keys are supported" in unread.err) == (3, True)


def test_an_invalid_command_line_is_status_2(run: Run) -> None:
    assert run("server").status == 2
    assert run("--help").status == 0


@pytest.mark.parametrize("cluster", ["a,CN=prod-eu", "a+CN=b", "x\ny", "../x", ""])
def test_an_id_that_tokens_refuse_gets_no_certificate(
    certificate_folder: Run, cluster: str
) -> None:
    outcome = certificate_folder("client", cluster)
    assert (outcome.status, outcome.out) == (1, "")
    assert f"error: cluster: got {json.dumps(cluster)}; {CLUSTER_REMEDY}" in outcome.err
    assert sorted(path.stem for path in FOLDER.glob("*.pem")) == ["ca", "server"]
