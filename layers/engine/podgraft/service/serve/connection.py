"""One connection of ``podgraft serve``, with non-blocking reads and writes.

Every method returns at once. If the client must act first, the method raises
``ssl.SSLWantReadError`` or ``ssl.SSLWantWriteError``, and the worker waits for the event.
"""

import ssl
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from ipaddress import IPv6Address, ip_address
from socket import SHUT_WR, socket
from typing import Any

from podgraft.service.serve.framing import Message
from podgraft.service.serve.tls_socket import TLSSocket

# In one step, of a client without credentials. If they are key updates, they take 10 ms.
_READ_BYTES = 4096
_LARGE_READ_BYTES = 65_536


class PlainSocket(socket):
    """A non-blocking socket without TLS, for the metrics port, with the interface of TLS sockets.

    Prometheus expects plain HTTP inside of a cluster. The methods raise the errors of ``ssl`` that
    the loop waits for.
    """

    @classmethod
    def from_accepted(cls, accepted: socket) -> "PlainSocket":
        """Take over the descriptor of an accepted connection."""
        plain = cls(accepted.family, accepted.type, accepted.proto, fileno=accepted.detach())
        plain.setblocking(False)
        return plain

    def do_handshake(self) -> None:
        """Do nothing: there is no handshake."""

    def getpeercert(self, binary_form: bool = False) -> None:
        """Return no certificate."""
        del binary_form

    def unwrap(self) -> None:
        """Do nothing: there is no end of TLS to send."""

    def flush(self) -> None:
        """Do nothing: nothing is buffered above the operating system."""

    def send(self, data: Any, flags: int = 0, /) -> int:
        """Send what the operating system accepts."""
        try:
            return super().send(data, flags)
        except BlockingIOError as error:
            raise ssl.SSLWantWriteError from error


class Phase(Enum):
    """The phase of a connection, which determines who must act next."""

    HANDSHAKE = auto()  # the client
    IDLE = auto()  # optionally the client: no byte of a request has arrived
    HEAD = auto()  # the client: a part of a head has arrived
    BODY = auto()  # the client: the head has arrived, the body has not
    SERVING = auto()  # a thread: the request is complete, or does not need its body
    SENDING = auto()  # the client: it must read the response
    CLOSING = auto()  # the client: it has read the response, and its last bytes are discarded


@dataclass(slots=True, eq=False)
class Connection:
    """A connection, its phase, and the received bytes that are not processed yet."""

    socket: TLSSocket | PlainSocket
    client: Any
    server: Any
    source: str  # the address for the limit per address
    is_metrics: bool = False  # whether the connection is to the metrics port
    phase: Phase = Phase.HANDSHAKE
    deadline_seconds: float = 0.0  # of the current phase, on the monotonic clock
    # Whether the client has a verified certificate or has received a review. Other connections
    # are closed first if there is no room.
    is_proven: bool = False
    received: bytearray = field(default_factory=bytearray)
    searched: int = 0  # bytes without the end of a head
    message: Message | None = None
    awaits_body: bool = False  # whether the application has requested a large body
    counted_bytes: int = 0  # the received bytes in the sum of large bodies
    outgoing: bytes = b""
    closes: bool = False  # after the outgoing bytes
    discarded_bytes: int = 0
    watched_events: int = 0  # the events of ``selectors`` that the loop waits for

    def shake_hands(self) -> None:
        """Continue the TLS handshake."""
        self.socket.do_handshake()
        self.is_proven = self.socket.getpeercert(binary_form=True) is not None

    def receive(self) -> bool:
        """Read the received bytes; return False if the client has closed the connection."""
        data = self.socket.recv(_LARGE_READ_BYTES if self.awaits_body else _READ_BYTES)
        self.received += data
        return bool(data)

    def send(self) -> None:
        """Write the outgoing bytes."""
        while self.outgoing:
            sent = self.socket.send(self.outgoing)
            self.outgoing = self.outgoing[sent:]
        self.socket.flush()

    def send_plain(self, data: bytes) -> None:
        """Write to a client without TLS, as many bytes as the socket accepts."""
        with suppress(OSError):
            socket.send(self.socket, data)

    def end_output(self) -> None:
        """Close the direction to the client (RFC 9112, section 9.6).

        If a socket with unread bytes is closed, the operating system sends a reset. The reset
        discards the response if the client has not read it yet. So this method closes one
        direction, and ``discard`` reads the other one.
        """
        with suppress(OSError):
            self.socket.unwrap()
        with suppress(OSError):
            socket.shutdown(self.socket, SHUT_WR)

    def discard(self) -> bool:
        """Discard the received bytes, still encrypted; return False if the client has closed."""
        data = socket.recv(self.socket, _LARGE_READ_BYTES)
        self.discarded_bytes += len(data)
        return bool(data)

    def begin_next(self) -> None:
        """Remove the bytes of the finished request; those of the next one remain."""
        if self.message is not None:
            del self.received[: self.message.end]
        self.message = None
        self.searched = 0

    def close(self) -> None:
        """Close the socket, at once."""
        with suppress(OSError):
            self.socket.close()


def source_of(client: Any) -> str:
    """Return the source for limits: an IPv4 address, or the /64 network of an IPv6 address.

    A host with IPv6 controls at least a /64 network.
    """
    try:
        address = ip_address(str(client[0]).partition("%")[0])
    except (ValueError, IndexError, TypeError):
        return "unknown"
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(IPv6Address(int(address) >> 64 << 64)) + "/64"
