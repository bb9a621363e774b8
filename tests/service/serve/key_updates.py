"""A TLS client that only changes its key, without a pause; prints after how many changes it ends.

``ssl`` of Python cannot change a key, so this calls the OpenSSL that it uses.
"""

import _ssl
import ctypes
import socket
import sys

MAX_UPDATES = 200_000
LIBRARY = ctypes.CDLL(_ssl.__file__)


def main(port: int) -> None:
    """Send the changes until the server closes the connection."""
    for name in ("TLS_client_method", "SSL_CTX_new", "SSL_new"):
        getattr(LIBRARY, name).restype = ctypes.c_void_p
    context = ctypes.c_void_p(LIBRARY.SSL_CTX_new(ctypes.c_void_p(LIBRARY.TLS_client_method())))
    client = ctypes.c_void_p(LIBRARY.SSL_new(context))
    with socket.create_connection(("127.0.0.1", port)) as connection:
        LIBRARY.SSL_set_fd(client, connection.fileno())
        assert LIBRARY.SSL_connect(client) == 1
        for number in range(MAX_UPDATES):
            if LIBRARY.SSL_key_update(client, 0) != 1 or LIBRARY.SSL_do_handshake(client) != 1:
                sys.stdout.write(f"{number}\n")
                return
    sys.stdout.write(f"{MAX_UPDATES}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]))
