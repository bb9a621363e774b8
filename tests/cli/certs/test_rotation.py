"""A new CA takes over: no step happens before what it stands on is true in the clusters."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography import x509

from podgraft.base.jsonvalue import JSON
from podgraft.cli import main
from podgraft.cli.certs import keys, pem, trust
from podgraft.cli.certs.folder import CertificateFolder
from podgraft.kube import yaml
from support.tls_endpoint import serve_certificate

OLD, NEW = CertificateFolder(Path("old")), CertificateFolder(Path("new"))
Run = Callable[..., int]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run podgraft certs in a folder where an old CA serves."""
    monkeypatch.chdir(tmp_path)

    def _run(*arguments: str) -> int:
        return main(["certs", *arguments])

    for command in (("ca",), ("server", "127.0.0.1", "a.example.com"), ("client", "prod-eu")):
        assert _run(*command, "--dir", "old", "--key-type", "p-256") == 0
    return _run


def _rotate(run: Run, *arguments: str) -> int:
    return run("rotate-ca", "--from", "old", "--to", "new", *arguments)


def _make_registration(name: str, *roots: x509.Certificate, host: str = "a.example.com") -> str:
    """A cluster's registration as kubectl prints it."""
    client: JSON = {"url": f"https://{host}/inject", "caBundle": trust.encode_ca_bundle(roots)}
    webhook: JSON = {"name": "inject.podgraft.dev", "clientConfig": client}
    item: JSON = {"kind": "MutatingWebhookConfiguration", "webhooks": [webhook]}
    Path(name).write_text(yaml.dump({"kind": "List", "items": [item]}))
    return name


def _cas() -> tuple[x509.Certificate, x509.Certificate]:
    return OLD.certificate("ca"), NEW.certificate("ca")


def _begin_rotation(run: Run) -> None:
    assert _rotate(run, "begin", "--key-type", "p-256") == 0


def test_a_step_replaces_no_file(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    """rotate-ca has no --force."""
    Path("new").mkdir()
    (Path("new") / "ca.key").touch()
    assert _rotate(run, "begin", "--key-type", "p-256") == 1
    remedy = "already exists; use another folder with --to, or delete it"
    assert f"error: new/ca.key: {remedy}" in capsys.readouterr().err
    (Path("new") / "ca.key").unlink()
    _begin_rotation(run)
    (Path("new") / "server.key").touch()
    old, new = _cas()
    registered = _make_registration("prod.yaml", old, new)
    assert _rotate(run, "switch", "--registered", registered) == 1
    assert f"error: new/server.key: {remedy}" in capsys.readouterr().err


def test_a_rotation_from_end_to_end(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.read_bytes() for path in Path("old").iterdir()}
    _begin_rotation(run)
    old, new = _cas()
    assert pem.read_certificates(NEW.bundle) == (old, new)
    both = [_make_registration(f"{name}.yaml", old, new) for name in ("prod", "staging")]
    registered = [word for name in both for word in ("--registered", name)]
    assert _rotate(run, "switch", *registered) == 0
    leaf = NEW.certificate("server")
    # At this moment clusters trust both, so the old and the new certificate are both accepted …
    for certificate in (OLD.certificate("server"), leaf):
        assert not trust.find_trust_problems(
            [certificate], [old, new], "a.example.com", datetime.now(UTC)
        )
    # … and the key, the names and the client came along.
    assert leaf.public_key() == OLD.certificate("server").public_key()
    assert trust.describe_subject(NEW.certificate("prod-eu")) == "CN=prod-eu,O=podgraft-clusters"
    with serve_certificate(
        [leaf], keys.read_key(NEW.key_pair("server").key, None), tmp_path
    ) as port:
        assert _rotate(run, "finish", "--probe", f"https://127.0.0.1:{port}") == 0
    assert not NEW.bundle.exists()
    assert {path: path.read_bytes() for path in Path("old").iterdir()} == before
    capsys.readouterr()
    assert _rotate(run, "plan") == 0
    shown = capsys.readouterr()
    assert shown.out.splitlines()[-1].startswith("-> register every cluster with the new CA alone")
    assert "--ca-bundle new/ca.pem" in shown.err


def test_the_plan_marks_what_is_next(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert _rotate(run, "plan") == 0
    assert [line[:2] for line in capsys.readouterr().out.splitlines()] == ["->", "  ", "  ", "  "]
    _begin_rotation(run)
    capsys.readouterr()
    assert _rotate(run, "plan") == 0
    shown = capsys.readouterr()
    assert [line[:2] for line in shown.out.splitlines()] == ["ok", "->", "  ", "  "]
    assert "switch --registered CLUSTER.yaml" in shown.err


@pytest.mark.parametrize(
    ("roots", "host", "words"),
    [
        ((0,), "a.example.com", "late.yaml: webhook inject.podgraft.dev"),
        ((1,), "a.example.com", "late.yaml: webhook inject.podgraft.dev"),
        ((0, 1), "b.example.com", "late.yaml: no webhook in it calls a.example.com, 127.0.0.1"),
    ],
)
def test_no_switch_while_a_cluster_would_lose_its_trust(
    run: Run, roots: Sequence[int], host: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _begin_rotation(run)
    cas = _cas()
    good = _make_registration("good.yaml", *cas)
    late = _make_registration("late.yaml", *(cas[index] for index in roots), host=host)
    capsys.readouterr()
    assert _rotate(run, "switch", "--registered", good, "--registered", late) == 1
    assert words in capsys.readouterr().err
    assert not NEW.key_pair("server").certificate.exists()


def test_no_switch_without_proof(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    _begin_rotation(run)
    assert _rotate(run, "switch") == 1
    assert "no registration was given (--registered)" in capsys.readouterr().err


def test_no_end_while_the_endpoint_shows_the_old_certificate(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _begin_rotation(run)
    assert _rotate(run, "switch", "--registered", _make_registration("prod.yaml", *_cas())) == 0
    old = OLD.certificate("server")
    with serve_certificate(
        [old], keys.read_key(OLD.key_pair("server").key, None), tmp_path
    ) as port:
        assert _rotate(run, "finish", "--probe", f"https://127.0.0.1:{port}") == 1
    assert "does not yet show a certificate of the new CA" in capsys.readouterr().err
    assert NEW.bundle.exists()


@pytest.mark.parametrize("step", [("switch",), ("finish", "--probe", "https://127.0.0.1:1")])
def test_no_step_out_of_turn(
    run: Run, step: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert _rotate(run, *step) == 1
    assert "the next step is begin" in capsys.readouterr().err


def test_new_keys_by_choice(run: Run) -> None:
    _begin_rotation(run)
    registered = _make_registration("prod.yaml", *_cas())
    assert _rotate(run, "switch", "--registered", registered, "--new-key", "p-256") == 0
    assert NEW.certificate("server").public_key() != OLD.certificate("server").public_key()


def test_a_bundle_that_is_no_base64_is_reported(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    _begin_rotation(run)
    path = Path(_make_registration("prod.yaml", *_cas()))
    path.write_text(path.read_text().replace("caBundle: LS0", "caBundle: LS*"))
    assert _rotate(run, "switch", "--registered", str(path)) == 1
    assert (
        "webhook inject.podgraft.dev: caBundle is not a PEM certificate in base64"
        in capsys.readouterr().err
    )
