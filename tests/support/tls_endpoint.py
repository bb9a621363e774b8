"""TLS endpoints on this machine: one shows a certificate only, one sends a fixed response."""

import contextlib
import http.server
import json
import socket
import ssl
import threading
import warnings
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cryptography import x509

from podgraft.cli.certs import keys, pem
from podgraft.cli.certs.keys import PrivateKey
from support.server_thread import complete_handshake, run_server, use_tls


@contextlib.contextmanager
def serve_certificate(
    chain: Sequence[x509.Certificate], key: PrivateKey, folder: Path
) -> Generator[int]:
    """Complete TLS handshakes on a port of 127.0.0.1; yield the port."""
    context = _make_context(chain, key, folder)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=_serve, args=(listener, context))
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


@dataclass(slots=True)
class FixedEndpoint:
    """An endpoint that sends the same response to each POST; ``requests`` are those it received."""

    port: int
    requests: list[tuple[str, Any]] = field(default_factory=list[tuple[str, Any]])


@contextlib.contextmanager
def serve_response(
    chain: Sequence[x509.Certificate],
    key: PrivateKey,
    folder: Path,
    status: int,
    body: str,
    *,
    old_tls: bool = False,
) -> Generator[FixedEndpoint]:
    """Respond to each POST on a port of 127.0.0.1; ``{path}`` in *body* is that of the request.

    With *old_tls*, the endpoint also accepts TLS 1.1.
    """

    def respond(path: str) -> tuple[int, str]:
        return status, body.replace("{path}", path)

    with serve_posts(chain, key, folder, respond, old_tls=old_tls) as own:
        yield own


@contextlib.contextmanager
def serve_posts(
    chain: Sequence[x509.Certificate],
    key: PrivateKey,
    folder: Path,
    respond: Callable[[str], tuple[int, str]],
    *,
    old_tls: bool = False,
    trickles: bool = False,
) -> Generator[FixedEndpoint]:
    """Respond to each POST on a port of 127.0.0.1 with the status and the body of its path.

    With *trickles*, the body is sent in ten bytes a second.
    """
    ends = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            """Send the response."""
            content = self.rfile.read(int(self.headers["Content-Length"]))
            endpoint.requests.append((self.path, json.loads(content)))
            self._respond()

        def do_GET(self) -> None:
            """Send the response; the request is the value of the header Authorization."""
            endpoint.requests.append((self.path, self.headers["Authorization"]))
            self._respond()

        def _respond(self) -> None:
            status, body = respond(self.path)
            data = body.encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            with contextlib.suppress(OSError):  # the client did not wait
                for number in range(len(data) if trickles else 0):
                    self.wfile.write(data[number : number + 1])
                    ends.wait(0.1)
            if not trickles:
                self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Print nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        endpoint = FixedEndpoint(server.server_port)
        context = _make_context(chain, key, folder)
        if old_tls:
            context.set_ciphers("ALL:@SECLEVEL=0")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                context.minimum_version = ssl.TLSVersion.TLSv1_1
        use_tls(server, context)
        with run_server(server):
            yield endpoint
            ends.set()


def _make_context(
    chain: Sequence[x509.Certificate], key: PrivateKey, folder: Path
) -> ssl.SSLContext:
    (folder / "shown.pem").write_bytes(pem.dump_certificates(chain) + keys.encode_key(key, None))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "shown.pem")
    return context


def _serve(listener: socket.socket, context: ssl.SSLContext) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with contextlib.suppress(OSError), complete_handshake(connection, context) as tls:
            tls.recv(1)
