"""The server of ``podgraft serve``: no request is lost when certificates change or it must stop."""

import os
import signal
import socket
import ssl
import subprocess
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPSConnection, RemoteDisconnected
from pathlib import Path
from threading import Timer
from types import SimpleNamespace
from typing import Any, Self

import pytest

from podgraft.cli.certs import issuance, keys, pem
from podgraft.cli.certs.issuance import Validity
from podgraft.cli.certs.keys import KeyType, PrivateKey
from podgraft.service.serve import tls
from podgraft.service.serve.tls import ReloadingContext, ServeError, TLSFiles
from support.pki import NOW, Authority

CA = Authority()
KEY = keys.make_key(KeyType.P_256)
PROGRAM = Path(__file__).parent / "slow_server.py"


def _write(folder: Path, key: PrivateKey = KEY, secret: bytes | None = None) -> TLSFiles:
    files = TLSFiles(folder / "server.pem", folder / "server.key")
    files.key.write_bytes(keys.encode_key(key, secret))
    files.certificate.write_bytes(
        pem.dump_certificates([CA.server("localhost", "127.0.0.1", key=key)])
    )
    return files


class RunningServer:
    """A server process, and a client that trusts it."""

    def __init__(self, process: subprocess.Popen[str], files: TLSFiles) -> None:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("podgraft listens on https://127.0.0.1:"), line
        self.process, self.files = process, files
        self.port = int(line.rsplit(":", 1)[-1])
        self.context = ssl.create_default_context(
            cadata=pem.dump_certificates([CA.certificate]).decode()
        )

    def connect(self) -> closing[HTTPSConnection]:
        """A new connection, closed at the end of its block."""
        return closing(HTTPSConnection("127.0.0.1", self.port, context=self.context, timeout=20))

    def get(self, path: str) -> tuple[int, str]:
        """One request on a connection of its own."""
        with self.connect() as connection:
            return _get(connection, path)

    def await_begun(self) -> None:
        """Wait until the server handles a request of ``/wait``."""
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "begun\n"

    def release(self) -> None:
        """Let requests of ``/wait`` be answered."""
        (self.files.key.parent / "release").touch()

    def fetch_certificate(self) -> bytes | None:
        """The certificate that a new connection is shown."""
        with self.connect() as connection:
            connection.connect()
            return connection.sock.getpeercert(binary_form=True)


def _get(connection: HTTPSConnection, path: str) -> tuple[int, str]:
    connection.request("GET", path)
    response = connection.getresponse()
    return response.status, response.read().decode()


@pytest.fixture
def running_server(tmp_path: Path) -> Iterator[RunningServer]:
    files = _write(tmp_path)
    (tmp_path / "ca.pem").write_bytes(pem.dump_certificates([CA.certificate]))
    command = [sys.executable, PROGRAM, files.certificate, files.key, tmp_path / "ca.pem"]
    unbuffered = os.environ | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=unbuffered
    ) as process:
        try:
            yield RunningServer(process, files)
        finally:
            process.terminate()
            process.wait(timeout=20)


def test_serve_accepts_no_tls_1_1(running_server: RunningServer) -> None:
    """The server refuses it with an alert; the client would accept it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    context.set_ciphers("ALL:@SECLEVEL=0")
    with (
        socket.create_connection(("127.0.0.1", running_server.port), 20) as plain,
        pytest.raises(ssl.SSLError, match="TLSV1_ALERT_PROTOCOL_VERSION"),
    ):
        context.wrap_socket(plain)


class _DebianContext(ssl.SSLContext):
    """A context of Debian's Python, which sets no minimum itself."""

    def __new__(cls, *arguments: Any) -> Self:
        context = super().__new__(cls, *arguments)
        context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
        return context


def test_the_oldest_tls_does_not_depend_on_the_build_of_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = SimpleNamespace(**{**vars(ssl), "SSLContext": _DebianContext})
    monkeypatch.setattr(tls, "ssl", module)

    assert _write(tmp_path).load().minimum_version is ssl.TLSVersion.TLSv1_2


def test_a_new_certificate_is_shown_and_open_connections_live_on(
    running_server: RunningServer,
) -> None:
    with running_server.connect() as old, ThreadPoolExecutor() as pool:
        assert _get(old, "/done") == (200, "done")
        before = running_server.fetch_certificate()
        slow = pool.submit(running_server.get, "/wait")
        running_server.await_begun()
        _write(running_server.files.key.parent, keys.make_key(KeyType.P_256))
        after = running_server.fetch_certificate()
        running_server.release()
        assert slow.result() == (200, "done")
        assert _get(old, "/done") == (200, "done")
    assert after == ssl.PEM_cert_to_DER_cert(running_server.files.certificate.read_text()) != before


def test_a_key_that_does_not_fit_leaves_the_old_certificate_in_service(
    running_server: RunningServer,
) -> None:
    before = running_server.fetch_certificate()
    running_server.files.key.write_bytes(keys.encode_key(keys.make_key(KeyType.P_256), None))
    assert running_server.fetch_certificate() == before
    _write(running_server.files.key.parent)
    assert running_server.fetch_certificate() == ssl.PEM_cert_to_DER_cert(
        running_server.files.certificate.read_text()
    )
    running_server.process.terminate()
    _, errors = running_server.process.communicate(timeout=20)
    assert errors.count("cannot load the new certificate") == 1


def test_stopping_finishes_what_was_begun(running_server: RunningServer) -> None:
    with ThreadPoolExecutor() as pool:
        slow = pool.submit(running_server.get, "/wait")
        running_server.await_begun()
        running_server.process.send_signal(signal.SIGTERM)
        # Time for the server to handle the signal first: a short one weakens the test, no more.
        Timer(0.5, running_server.release).start()
        assert slow.result() == (200, "done")
    assert running_server.process.wait(timeout=20) == 0
    with pytest.raises(ConnectionRefusedError):
        running_server.get("/done")


def test_connections_are_retained_for_the_next_review(running_server: RunningServer) -> None:
    ports = set[int]()
    with running_server.connect() as connection:
        for _ in range(3):
            assert _get(connection, "/done") == (200, "done")
            ports.add(connection.sock.getsockname()[1])
    assert len(ports) == 1


def test_a_client_may_show_a_certificate_but_only_a_valid_one(
    running_server: RunningServer, tmp_path: Path
) -> None:
    assert running_server.get("/who") == (200, '{"subject":null}\n')
    _show(running_server, CA, tmp_path)
    assert "prod-eu" in running_server.get("/who")[1]
    _show(running_server, Authority(), tmp_path)
    with pytest.raises((ssl.SSLError, ConnectionError, RemoteDisconnected)):
        running_server.get("/who")


def _show(running: RunningServer, authority: Authority, folder: Path) -> None:
    """Let the client show a certificate of *authority*."""
    lifetime = Validity.from_now(NOW, 30)
    own = issuance.make_client_certificate(
        "prod-eu", None, KEY.public_key(), authority.issuer, lifetime
    )
    (folder / "client.pem").write_bytes(pem.dump_certificates([own]) + keys.encode_key(KEY, None))
    running.context.load_cert_chain(folder / "client.pem")


def test_an_encrypted_key_needs_its_passphrase_and_never_prompts(tmp_path: Path) -> None:
    files = _write(tmp_path, secret=b"correct horse")
    ReloadingContext(TLSFiles(files.certificate, files.key, passphrase=b"correct horse"))
    with pytest.raises(
        ServeError, match=r"server\.key: the passphrase is missing or wrong; set --passphrase"
    ):
        ReloadingContext(files)


def test_a_file_without_a_ca_of_clients_is_an_error_with_its_place(tmp_path: Path) -> None:
    files = _write(tmp_path)
    with pytest.raises(
        ServeError, match=r"server\.key: contains no PEM certificate; set --client-ca"
    ):
        ReloadingContext(TLSFiles(files.certificate, files.key, files.key))


def test_an_invalid_certificate_with_an_unreadable_key_is_an_error(tmp_path: Path) -> None:
    files = _write(tmp_path)
    files.certificate.write_text("no certificate")
    files.key.unlink()
    with pytest.raises(ServeError, match="no PEM certificate with its key"):
        ReloadingContext(files)


def test_an_invalid_ca_of_clients_replaces_no_certificate(tmp_path: Path) -> None:
    files = _write(tmp_path)
    authority = tmp_path / "ca.pem"
    authority.write_bytes(pem.dump_certificates([CA.certificate]))
    reloading = ReloadingContext(TLSFiles(files.certificate, files.key, authority))
    before = reloading.current()
    authority.write_text("no certificate")
    assert reloading.current() is before


def test_files_that_are_missing_for_a_moment_change_nothing(tmp_path: Path) -> None:
    files = _write(tmp_path)
    reloading = ReloadingContext(files)
    before = reloading.current()
    files.certificate.rename(tmp_path / "away")
    assert reloading.current() is before
    (tmp_path / "away").rename(files.certificate)
    assert reloading.current() is before
    _write(tmp_path)
    assert reloading.current() is not before
