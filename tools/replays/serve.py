"""Send the same bytes to ``podgraft serve`` of two checkouts."""

import os
import re
import socket
import ssl
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

from replays.requests import Request

_SECONDS = 20.0
_DATE = re.compile(rb"\r\nDate: [^\r]*")


def encode(random: Random, request: Request) -> bytes:
    """The bytes of a request; rarely with a wrong length, no length, or in chunks."""
    body = request.body.encode(errors="replace")
    query = f"?{request.query}" if request.query else ""
    target = (request.path + query).replace(" ", "%20").encode("utf-8", "replace")
    version = b"HTTP/1.1" if random.random() < 0.97 else b"HTTP/1.0"
    lines = [request.method.encode() + b" " + target + b" " + version, b"Host: podgraft"]
    lines += [f"{name}: {value}".encode() for name, value in request.fields]
    choice = random.random()
    if choice < 0.02:
        return b"\r\n".join([*lines, b"", b""]) + body
    if choice < 0.05:
        lines.append(b"Transfer-Encoding: chunked")
        body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body) if body else b"0\r\n\r\n"
    elif choice < 0.06:
        lines += [b"Content-Length: 5", b"Content-Length: 6"]
    else:
        lines.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join([*lines, b"Connection: close", b"", b""]) + body


@contextmanager
def running_server(
    root: Path, store: Path, tls: Path, environment: Mapping[str, str]
) -> Generator[int]:
    """The port of a server of a checkout."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "podgraft",
        "serve",
        "--store",
        str(store),
        "--port",
        str(port),
    ]
    command += [
        "--host",
        "127.0.0.1",
        "--cert",
        str(tls / "server.pem"),
        "--key",
        str(tls / "server.key"),
    ]
    command += ["--workers", "1"]
    log = (store.parent / f"{root.name}.log").open("w")
    process = subprocess.Popen(command, env={**os.environ, **environment}, stdout=log, stderr=log)
    try:
        _await_server(process, port)
        yield port
    finally:
        process.terminate()
        process.wait()
        log.close()


def _await_server(process: "subprocess.Popen[bytes]", port: int) -> None:
    while process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
    raise SystemExit(f"the server has ended: {process.returncode}")


def send(port: int, request: bytes) -> Any:
    """The response to a request, as text, without its date."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    chunks: list[bytes] = []
    with (
        socket.create_connection(("127.0.0.1", port), timeout=_SECONDS) as raw,
        context.wrap_socket(raw) as connection,
    ):
        connection.sendall(request)
        with suppress(ConnectionError, ssl.SSLError, TimeoutError):
            while chunk := connection.recv(65_536):
                chunks.append(chunk)
    return _DATE.sub(b"", b"".join(chunks)).decode("latin-1")
