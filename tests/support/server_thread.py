"""A server of the standard library or of Werkzeug in a thread, while a test needs it."""

import ssl
from collections.abc import Generator
from contextlib import contextmanager
from socket import socket
from socketserver import TCPServer
from threading import Thread

# How long a server takes to notice that it must stop: half a second by default.
_POLL_SECONDS = 0.02


@contextmanager
def run_server(server: TCPServer) -> Generator[None]:
    """Serve requests in a thread; at the end, stop it, and close the server."""
    thread = Thread(target=server.serve_forever, args=(_POLL_SECONDS,))
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def use_tls(server: TCPServer, context: ssl.SSLContext) -> None:
    """Have a server accept TLS connections."""

    def get_request() -> tuple[ssl.SSLSocket, object]:
        accepted, address = server.socket.accept()
        return complete_handshake(accepted, context), address

    server.get_request = get_request


def complete_handshake(accepted: socket, context: ssl.SSLContext) -> ssl.SSLSocket:
    """Return the TLS connection of an accepted socket; raises ``OSError``.

    ``wrap_socket`` leaves the socket open if the client reset the connection before.
    """
    try:
        accepted.getpeername()
    except OSError:
        accepted.close()
        raise
    return context.wrap_socket(accepted, server_side=True)
