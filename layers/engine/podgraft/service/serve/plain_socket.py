"""A socket without TLS, with the interface of the TLS sockets of ``connection.py``.

The metrics port uses plain HTTP, as Prometheus expects inside of a cluster.
"""

import ssl
from socket import socket
from typing import Any


class PlainSocket(socket):
    """A non-blocking socket. Its methods raise the errors of ``ssl`` that the loop waits for."""

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

    def pending(self) -> int:
        """Return zero: nothing is buffered above the operating system."""
        return 0

    def unwrap(self) -> None:
        """Do nothing: there is no end of TLS to send."""

    def send(self, data: Any, flags: int = 0, /) -> int:
        """Send what the operating system accepts."""
        try:
            return super().send(data, flags)
        except BlockingIOError as error:
            raise ssl.SSLWantWriteError from error
