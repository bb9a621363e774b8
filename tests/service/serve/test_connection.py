"""What one step of a TLS connection reads and writes, with a client in this process."""

import socket
import ssl
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

import pytest

from podgraft.cli.certs import keys, pem
from podgraft.cli.certs.keys import KeyType
from podgraft.service.serve.connection import Connection
from podgraft.service.serve.tls_socket import TLSSocket
from support.pki import Authority

CA = Authority()
KEY = keys.make_key(KeyType.P_256)
BODY = b"x" * 100_000


class Client:
    """A TLS client whose encrypted bytes a test moves."""

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        authority = pem.dump_certificates([CA.certificate]).decode()
        context = ssl.create_default_context(cadata=authority)
        self.tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname="localhost")

    def shake_hands(self) -> bool:
        """Continue the handshake, without sending; whether it is complete."""
        self._receive()
        with suppress(ssl.SSLWantReadError):
            self.tls.do_handshake()
            return True
        return False

    def take(self) -> bytes:
        """The encrypted bytes that are not sent yet."""
        return self._outgoing.read()

    def flush(self) -> None:
        """Send all that is encrypted."""
        self.socket.sendall(self.take())

    def send(self, data: bytes) -> None:
        """Encrypt and send."""
        while data:
            data = data[self.tls.write(data) :]
        self.flush()

    def read(self) -> bytes:
        """The data that has arrived; empty at the end."""
        self._receive()
        data = b""
        with suppress(ssl.SSLWantReadError):
            while chunk := self.tls.read(1 << 20):
                data += chunk
        return data

    def _receive(self) -> None:
        with suppress(BlockingIOError):
            self._incoming.write(self.socket.recv(1 << 20))


Pair = tuple[Client, Connection]


@pytest.fixture
def shaking(tmp_path: Path) -> Generator[Pair]:
    """A client that has completed its handshake, and not sent the end of it yet."""
    certificate = pem.dump_certificates([CA.server("localhost", key=KEY)])
    (tmp_path / "pem").write_bytes(certificate + keys.encode_key(KEY, None))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "pem")
    near, accepted = socket.socketpair()
    near.setblocking(False)
    server = TLSSocket.from_accepted(accepted, context)
    connection = Connection(server, ("192.0.2.1", 1), ("127.0.0.1", 443), "192.0.2.1")
    client = Client(near)
    with near:
        while not client.shake_hands():
            client.flush()
            with pytest.raises(ssl.SSLWantReadError):
                connection.shake_hands()
        yield client, connection
        connection.close()


@pytest.fixture
def pair(shaking: Pair) -> Pair:
    """A client and a connection after the handshake."""
    client, connection = shaking
    client.flush()
    connection.shake_hands()
    return shaking


def test_a_request_that_arrives_with_the_handshake_is_received(shaking: Pair) -> None:
    client, connection = shaking
    client.send(b"GET")
    connection.shake_hands()
    assert connection.receive()
    assert connection.received == b"GET"


@pytest.mark.parametrize(("awaits_body", "most"), [(False, 4096), (True, 65_536)])
def test_one_step_decrypts_few_bytes_of_an_unknown_client(
    awaits_body: bool, most: int, pair: Pair
) -> None:
    client, connection = pair
    connection.awaits_body = awaits_body
    client.send(BODY)
    before = 0
    while len(connection.received) < len(BODY):
        with suppress(ssl.SSLWantReadError):  # a part of a record
            assert connection.receive()
        # The rest of a record of 16 KB can be there from the steps before.
        assert len(connection.received) - before <= most + 16_384
        before = len(connection.received)
    assert connection.received == BODY
    with pytest.raises(ssl.SSLWantReadError):
        connection.receive()


def test_records_of_all_sizes_are_no_flood(pair: Pair) -> None:
    """However the network splits them."""
    client, connection = pair
    small = [*range(1, 50)]
    for step, sizes in ((1, small), (2, small), (3, small), (7, small), (4096, [1, 16_384] * 40)):
        for size in sizes:
            client.tls.write(BODY[:size])
        encrypted = client.take()
        for start in range(0, len(encrypted), step):
            client.socket.sendall(encrypted[start : start + step])
            with suppress(ssl.SSLWantReadError):
                assert connection.receive()
        assert connection.received == b"".join(BODY[:size] for size in sizes)
        connection.received.clear()


def test_the_data_before_an_end_comes_first(pair: Pair) -> None:
    client, connection = pair
    client.send(b"last")
    client.socket.shutdown(socket.SHUT_WR)
    assert connection.receive()
    assert connection.received == b"last"
    assert not connection.receive()
    assert not connection.receive()


def test_a_client_that_does_not_read_gets_the_rest_later(pair: Pair) -> None:
    client, connection = pair
    connection.outgoing = BODY * 20
    with pytest.raises(ssl.SSLWantWriteError):
        connection.send()
    arrived = b""
    while len(arrived) < 20 * len(BODY):
        arrived += client.read()
        with suppress(ssl.SSLWantWriteError):
            connection.send()
    assert arrived == BODY * 20
    connection.end_output()
    assert client.read() == b""
    assert client.tls.read(1) == b""  # close_notify
