"""One TLS connection of ``podgraft serve``, read and written without ever waiting for its client.

Every method returns at once. If the client has to act first, the method raises
``ssl.SSLWantReadError`` or ``ssl.SSLWantWriteError``, and the worker asks the operating system to
report when the client did.
"""

import ssl
from contextlib import suppress
from enum import Enum, auto
from ipaddress import IPv6Address, ip_address
from socket import SHUT_WR, socket
from typing import Any

from podgraft.cli.serve.framing import Message

_READ_BYTES = 65_536


class Phase(Enum):
    """What a connection does, and so who has to act next."""

    HANDSHAKE = auto()  # the client
    IDLE = auto()  # the client, if it wants: no byte of a request has arrived
    HEAD = auto()  # the client: a part of a head has arrived
    BODY = auto()  # the client: the head has arrived, the body has not
    SERVING = auto()  # a thread of ours: a request is complete, or does not need its body
    SENDING = auto()  # the client: it has to read the response
    CLOSING = auto()  # the client: it has read the response, and we read what it still sends


class Connection:
    """A connection, its phase, and what has arrived and not yet been used."""

    __slots__ = (
        "awaits_body",
        "client",
        "closes",
        "counted_bytes",
        "deadline_seconds",
        "discarded_bytes",
        "is_proven",
        "message",
        "outgoing",
        "phase",
        "received",
        "searched",
        "server",
        "socket",
        "source",
        "watched_events",
    )

    def __init__(self, sock: ssl.SSLSocket, client: Any, server: Any, source: str) -> None:
        self.socket = sock
        self.client = client
        self.server = server
        self.source = source  # what the bound for an address counts by
        self.phase = Phase.HANDSHAKE
        self.deadline_seconds = 0.0  # on the clock of the worker; what ends then, the phase says
        # Whether its client is known to have a reason to be here: a verified certificate, or a
        # review that was answered. Only such connections survive a shortage of room.
        self.is_proven = False
        self.received = bytearray()
        self.searched = 0  # bytes that hold no end of a head
        self.message: Message | None = None
        self.awaits_body = False  # whether the application has asked for a body that is large
        self.counted_bytes = 0  # of what was received, in the sum of large bodies
        self.outgoing = b""
        self.closes = False  # after what is outgoing
        self.discarded_bytes = 0
        self.watched_events = 0  # what the loop waits for, as ``selectors`` counts

    def shake_hands(self) -> None:
        """Continue the TLS handshake."""
        self.socket.do_handshake()
        self.is_proven = self.socket.getpeercert(binary_form=True) is not None

    def receive(self) -> bool:
        """Read what has arrived; False if the client has closed the connection."""
        data = self.socket.recv(_READ_BYTES)
        # OpenSSL may hold the rest of a record, of which the operating system reports nothing.
        while pending := self.socket.pending():
            data += self.socket.recv(pending)
        self.received += data
        return bool(data)

    def send(self) -> None:
        """Write what is outgoing."""
        while self.outgoing:
            sent = self.socket.send(self.outgoing)
            self.outgoing = self.outgoing[sent:]

    def send_plain(self, data: bytes) -> None:
        """Write to a client that uses no TLS, as much as it takes at once."""
        with suppress(OSError):
            socket.send(self.socket, data)

    def end_output(self) -> None:
        """Tell the client that nothing more follows (RFC 9112, section 9.6).

        A socket that is closed while unread bytes wait in it makes the operating system send a
        reset, and a reset destroys what the client has not read yet: our response. So this ends
        one direction, and ``discard`` empties the other.
        """
        with suppress(OSError, ValueError):
            self.socket.unwrap()  # sends close_notify, and raises as the client's own is missing
        with suppress(OSError):
            socket.shutdown(self.socket, SHUT_WR)

    def discard(self) -> bool:
        """Read and drop what has arrived, still encrypted; False if the client has closed."""
        data = socket.recv(self.socket, _READ_BYTES)
        self.discarded_bytes += len(data)
        return bool(data)

    def begin_next(self) -> None:
        """Forget the request that was answered; what follows it remains."""
        if self.message is not None:
            del self.received[: self.message.end]
        self.message = None
        self.searched = 0

    def close(self) -> None:
        """Close the socket, at once."""
        with suppress(OSError):
            self.socket.close()


def source_of(client: Any) -> str:
    """What counts as one address: an IPv4 address, or the /64 network of an IPv6 address.

    A host gets a /64 at least, so it owns all addresses in there.
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
