"""A server of the standard library or of Werkzeug in a thread, while a test needs it."""

from collections.abc import Generator
from contextlib import contextmanager
from socketserver import BaseServer
from threading import Thread

# How long a server takes to notice that it must stop: half a second by default.
_POLL_SECONDS = 0.02


@contextmanager
def run_server(server: BaseServer) -> Generator[None]:
    """Serve requests in a thread; at the end, stop it, and close the server."""
    thread = Thread(target=server.serve_forever, args=(_POLL_SECONDS,))
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
