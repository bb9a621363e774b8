"""A TLS connection with bounded steps: OpenSSL reads from memory, not from the socket.

The hazard. If OpenSSL reads from a socket, one read handles all records without data that arrive,
such as key updates (RFC 8446, section 4.6.3). ``ssl`` sets ``SSL_MODE_AUTO_RETRY`` and cannot clear
it. A client that sends key updates without a pause would keep the loop of all connections in this
read, before it has sent any credentials. So a step decrypts only what it has read before, and a
client that sends too many bytes without data is disconnected.
"""

import ssl
from contextlib import suppress
from socket import socket
from typing import Any

_FLUSH_BYTES = 65_536
_HANDSHAKE_BYTES = 4096
# The bytes that are no data: an incomplete record, which has at most 16 KB, and 2 KB. Go's client
# needs 22 bytes for a record, and its records have 1.4 KB or more: an eighth of the data is enough.
_MAX_OVERHEAD_BYTES = 18_432
_OVERHEAD_SHARE = 8


class RecordFloodError(OSError):
    """The client sends TLS records without data."""


class TLSSocket(socket):
    """A non-blocking TLS connection. Its methods raise ``ssl.SSLWantReadError`` and the like."""

    _tls: ssl.SSLObject
    _incoming: ssl.MemoryBIO
    _outgoing: ssl.MemoryBIO
    _encrypted = b""  # the part of the outgoing bytes that the socket has not accepted yet
    _overhead_bytes = 0

    @classmethod
    def from_accepted(cls, accepted: socket, context: ssl.SSLContext) -> "TLSSocket":
        """Take over the descriptor of an accepted connection, before its handshake."""
        made = cls(accepted.family, accepted.type, accepted.proto, fileno=accepted.detach())
        made.setblocking(False)
        made._incoming, made._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        made._tls = context.wrap_bio(made._incoming, made._outgoing, server_side=True)
        return made

    def do_handshake(self) -> None:
        """Continue the handshake. A part of the first request can arrive with its end."""
        try:
            self._shake_hands()
        except ssl.SSLWantReadError:
            self._fill(_HANDSHAKE_BYTES)
            self._shake_hands()

    def _shake_hands(self) -> None:
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            self.flush()
            raise
        except ssl.SSLError:
            with suppress(OSError):
                self.flush()  # the alert
            raise
        self.flush()

    def getpeercert(self, binary_form: bool = False) -> Any:
        """Return the certificate of the client, as ``ssl.SSLSocket``."""
        return self._tls.getpeercert(binary_form)

    def recv(self, size: int, flags: int = 0, /) -> bytes:
        """Return the data of at most *size* further encrypted bytes; empty at the end.

        Raises ``RecordFloodError``.
        """
        del flags
        data = self._decrypt()
        if data is None:
            self._overhead_bytes += self._fill(size)
            data = self._decrypt()
        if data is not None:
            allowed = len(data) + len(data) // _OVERHEAD_SHARE
            self._overhead_bytes = max(0, self._overhead_bytes - allowed)
        if self._overhead_bytes > _MAX_OVERHEAD_BYTES:
            raise RecordFloodError
        if data is None:
            raise ssl.SSLWantReadError
        return data

    def _decrypt(self) -> bytes | None:
        """Return the data of all complete records; empty at the end, and ``None`` without data."""
        data = bytearray()
        try:
            while chunk := self._tls.read(_FLUSH_BYTES):
                data += chunk
        except ssl.SSLWantReadError:
            return bytes(data) or None
        except ssl.SSLEOFError:  # the client has closed without close_notify
            pass
        return bytes(data)

    def _fill(self, size: int) -> int:
        """Read encrypted bytes, and return their number."""
        try:
            data = super().recv(size)
        except BlockingIOError as error:
            raise ssl.SSLWantReadError from error
        if data:
            self._incoming.write(data)
        else:
            self._incoming.write_eof()
        return len(data)

    def send(self, data: Any, flags: int = 0, /) -> int:
        """Encrypt a part of the data, after the socket has accepted all data before it."""
        del flags
        self.flush()
        return self._tls.write(data)

    def flush(self) -> None:
        """Write the encrypted bytes."""
        while self._encrypted or self._outgoing.pending:
            self._encrypted = self._encrypted or self._outgoing.read(_FLUSH_BYTES)
            try:
                sent = super().send(self._encrypted)
            except BlockingIOError as error:
                raise ssl.SSLWantWriteError from error
            self._encrypted = self._encrypted[sent:]

    def unwrap(self) -> None:
        """Send the end of TLS, and do not wait for that of the client."""
        with suppress(ssl.SSLError):
            self._tls.unwrap()
        self.flush()
