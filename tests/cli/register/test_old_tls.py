"""``register --probe`` refuses an endpoint that accepts TLS 1.1, which ``serve`` does not."""

import socket
import ssl
import struct
import threading
import warnings
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from podgraft.cli import main
from podgraft.cli.certs import CertificateError, keys, old_tls, pem
from podgraft.cli.certs.endpoint import Address
from podgraft.cli.serve.tls import TLSFiles


@pytest.fixture
def pki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A CA and a server certificate."""
    monkeypatch.chdir(tmp_path)
    made = ("--dir", "pki", "--key-type", "p-256")
    assert main(["certs", "ca", *made]) == 0
    assert main(["certs", "server", "127.0.0.1", *made]) == 0
    return Path("pki")


@contextmanager
def listen(context: ssl.SSLContext | None, reply: bytes = b"") -> Generator[int]:
    """A port that shakes hands with each client, or sends a reply and closes the connection."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=_serve, args=(listener, context, reply))
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def _serve(listener: socket.socket, context: ssl.SSLContext | None, reply: bytes) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection, suppress(OSError):
            if context is None:
                connection.recv(4096)
                connection.sendall(reply)
            else:
                with context.wrap_socket(connection, server_side=True) as tls:
                    tls.recv(1)


def make_context(pki: Path, lowest: ssl.TLSVersion) -> ssl.SSLContext:
    """A server for TLS of this version and newer ones."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pki / "server.pem", pki / "server.key")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = lowest
    if lowest < ssl.TLSVersion.TLSv1_2:
        context.set_ciphers("ALL:@SECLEVEL=0")
    return context


VERSIONS = (
    (ssl.TLSVersion.TLSv1, True),
    (ssl.TLSVersion.TLSv1_1, True),
    (ssl.TLSVersion.TLSv1_2, False),
    (ssl.TLSVersion.TLSv1_3, False),
)


@pytest.mark.skipif(not ssl.HAS_TLSv1_1, reason="OpenSSL on this machine has no TLS 1.1")
@pytest.mark.parametrize(("lowest", "accepted"), VERSIONS, ids=str)
def test_the_lowest_version_of_a_server_is_found(
    lowest: ssl.TLSVersion, accepted: bool, pki: Path
) -> None:
    with listen(make_context(pki, lowest)) as port:
        assert old_tls.accepts_tls_1_1(Address("127.0.0.1", port)) is accepted


def server_hello(version: int) -> bytes:
    hello = struct.pack("!H", version) + bytes(32) + b"\0\xc0\x13\0"
    message = b"\2" + len(hello).to_bytes(3, "big") + hello
    return struct.pack("!BHH", 22, version, len(message)) + message


REPLIES: tuple[tuple[str, bytes, bool], ...] = (
    ("TLS 1.0", server_hello(0x0301), True),
    ("TLS 1.1", server_hello(0x0302), True),
    ("SSL 3", server_hello(0x0300), True),
    ("TLS 1.2", server_hello(0x0303), False),
    ("an alert", b"\x15\3\1\0\2\2\x46", False),
    ("HTTP", b"HTTP/1.1 400 Bad Request\r\n\r\n", False),
    ("a part of a message", server_hello(0x0302)[:8], False),
    ("nothing", b"", False),
)


@pytest.mark.parametrize(("name", "reply", "accepted"), REPLIES, ids=[row[0] for row in REPLIES])
def test_the_reply_is_read(name: str, reply: bytes, accepted: bool) -> None:
    with listen(None, reply) as port:
        assert old_tls.accepts_tls_1_1(Address("127.0.0.1", port)) is accepted, name


def test_an_endpoint_that_accepts_tls_1_1_is_refused(
    pki: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with listen(None, server_hello(0x0302)) as port:
        status = register(port, pki)
    captured = capsys.readouterr()
    assert (status, captured.out) == (1, "")
    problem = f"error: 127.0.0.1:{port}: accepts TLS 1.1; allow TLS 1.2 or later only\n"
    assert captured.err == problem


def register(port: int, pki: Path, options: Sequence[str] = ("--probe",)) -> int:
    url = (
        "--url",
        f"https://127.0.0.1:{port}",
        "--allow-loopback",
        "--namespace-selector",
        "inject=enabled",
    )
    return main(["register", *url, "--ca-bundle", str(pki / "ca.pem"), *options])


def test_serve_accepts_no_tls_1_1(pki: Path) -> None:
    key = keys.read_key(pki / "server.key", None)
    assert pem.read_certificates(pki / "server.pem")
    assert key is not None
    context = TLSFiles(pki / "server.pem", pki / "server.key").load()
    assert context.minimum_version >= ssl.TLSVersion.TLSv1_2
    with listen(context) as port:
        assert not old_tls.accepts_tls_1_1(Address("127.0.0.1", port))
        assert register(port, pki) == 0


def test_an_unreachable_host_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(CertificateError, match=f"127.0.0.1:{port}: no connection: "):
        old_tls.accepts_tls_1_1(Address("127.0.0.1", port))


def test_a_name_is_sent_and_an_address_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[bytes] = []

    def send(_: object, data: bytes) -> None:
        sent.append(data)

    def connect(*_: object) -> socket.socket:
        return _connect(port)

    monkeypatch.setattr(socket.socket, "sendall", send)
    with listen(None, b"") as port:
        monkeypatch.setattr(socket, "create_connection", connect)
        for host in ("a.example.com", "127.0.0.1", "2001:db8::7"):
            old_tls.accepts_tls_1_1(Address(host, port))
    assert [b"a.example.com" in data for data in sent if data] == [True, False, False]


def _connect(port: int) -> socket.socket:
    connection = socket.socket()
    connection.connect(("127.0.0.1", port))
    connection.shutdown(socket.SHUT_WR)
    return connection
