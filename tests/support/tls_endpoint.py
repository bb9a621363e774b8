"""A TLS endpoint on this machine that shows a certificate, and nothing else."""

import contextlib
import socket
import ssl
import threading
from collections.abc import Generator, Sequence
from pathlib import Path

from cryptography import x509

from podgraft.cli.certs import keys, pem
from podgraft.cli.certs.keys import PrivateKey


@contextlib.contextmanager
def serve_certificate(
    chain: Sequence[x509.Certificate], key: PrivateKey, folder: Path
) -> Generator[int]:
    """Complete TLS handshakes on a port of 127.0.0.1; yield the port."""
    (folder / "shown.pem").write_bytes(pem.dump_certificates(chain) + keys.encode_key(key, None))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "shown.pem")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=_serve, args=(listener, context))
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def _serve(listener: socket.socket, context: ssl.SSLContext) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection, contextlib.suppress(OSError), context.wrap_socket(connection, True) as tls:
            tls.recv(1)
