"""A TLS connection with bounded steps: OpenSSL reads from memory, not from the socket.

The hazard. If OpenSSL reads from a socket, one read handles all records without data that arrive,
such as key updates (RFC 8446, section 4.6.3). ``ssl`` sets ``SSL_MODE_AUTO_RETRY`` and cannot clear
it. A client that sends key updates without a pause would keep the loop of all connections in this
read, before it has sent any credentials. So a step decrypts only what it has read before, and a
client that sends too many records without data is disconnected.
"""

import ssl
from contextlib import suppress
from socket import socket
from typing import Any

_FLUSH_BYTES = 65_536
_HANDSHAKE_BYTES = 4096
_HEADER_BYTES = 5  # of a record; the last two are the length of the rest (RFC 8446, section 5.1)
# Of a connection. Clients change their key after millions of records.
_MAX_EMPTY_RECORDS = 32


class RecordFloodError(OSError):
    """The client sends TLS records without data."""


class TLSSocket(socket):
    """A non-blocking TLS connection. Its methods raise ``ssl.SSLWantReadError`` and the like."""

    _tls: ssl.SSLObject
    _incoming: ssl.MemoryBIO
    _outgoing: ssl.MemoryBIO
    _encrypted = b""  # the part of the outgoing bytes that the socket has not accepted yet
    _begun = b""  # the header of a record that has not arrived completely
    _missing_bytes = 0  # of the record whose header has arrived
    _empty_records = 0

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
        self._empty_records = 0
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
            self._fill(size)
            data = self._decrypt()
        if self._empty_records > _MAX_EMPTY_RECORDS:
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
                self._empty_records -= 1  # a read returns the data of one record
        except ssl.SSLWantReadError:
            return bytes(data) or None
        except ssl.SSLEOFError:  # the client has closed without close_notify
            pass
        return bytes(data)

    def _fill(self, size: int) -> None:
        """Read encrypted bytes, and count their complete records."""
        try:
            data = super().recv(size)
        except BlockingIOError as error:
            raise ssl.SSLWantReadError from error
        if data:
            self._incoming.write(data)
            self._empty_records += self._count_records(data)
        else:
            self._incoming.write_eof()

    def _count_records(self, data: bytes) -> int:
        data = self._begun + data
        end = self._missing_bytes
        count = int(0 < end <= len(data))
        while end + _HEADER_BYTES <= len(data):
            end += _HEADER_BYTES + int.from_bytes(data[end + 3 : end + _HEADER_BYTES], "big")
            count += end <= len(data)
        self._begun, self._missing_bytes = data[end:], max(0, end - len(data))
        return count

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
