"""An adapter from WSGI to ASGI that runs the application in the event loop.

Lambda sends one request at a time to a process, so the application blocks no other request. The
adapters of libraries pass each request to worker threads several times, which costs more time than
a review.
"""

import logging
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from io import BytesIO
from typing import Any, TypeAlias
from wsgiref.types import WSGIApplication

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]

# The longest text of an address and a port.
_MAX_ADDRESS = 64


class WsgiToAsgi:
    """An ASGI application that runs a WSGI application, one request at a time."""

    def __init__(self, app: WSGIApplication) -> None:
        self._app = app
        # Mangum logs each path at INFO, and a path can contain a token.
        logging.getLogger("mangum.http").setLevel(logging.WARNING)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request: read the complete body, run the application, send the response."""
        body, more = b"", True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        status, headers, content = _call_wsgi(self._app, wsgi_environ(scope, body))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": content})


def wsgi_environ(scope: Scope, body: bytes) -> dict[str, Any]:
    """Return the WSGI environment (PEP 3333) of an ASGI request.

    ``CONTENT_LENGTH`` is the length of the body, because some events omit the header. ``aws.event``
    is the event of Lambda.
    """
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": scope["path"].encode().decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": scope["server"][0],
        "SERVER_PORT": str(scope["server"][1]),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": source_address(scope["client"][0]),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": False,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        "aws.event": scope.get("aws.event", {}),
    }
    for name, value in scope["headers"]:
        key = name.decode("latin-1").upper().replace("-", "_")
        environ[f"HTTP_{key}"] = value.decode("latin-1")
    environ["CONTENT_TYPE"] = environ.pop("HTTP_CONTENT_TYPE", "")
    environ["CONTENT_LENGTH"] = str(len(body))
    return environ


def source_address(client: object) -> str:
    """Return the address of the client, without a port.

    A load balancer passes the complete header ``X-Forwarded-For``. It appends the address of the
    client, and the client can send any text before it. An event that AWS does not send can have
    another type here.
    """
    text = client if isinstance(client, str) else ""
    address = text.rpartition(",")[2].strip()[-_MAX_ADDRESS:]
    if address.startswith("["):
        return address[1:].partition("]")[0]
    # A port follows an IPv4 address if the load balancer has the attribute xff_client_port.
    host, _, port = address.rpartition(":")
    return host if port and "." in host and ":" not in host else address


def _call_wsgi(
    app: WSGIApplication, environ: dict[str, Any]
) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
    started: list[tuple[str, list[tuple[str, str]]]] = []

    def start_response(
        status: str, headers: list[tuple[str, str]], exc_info: object = None, /
    ) -> Callable[[bytes], object]:
        del exc_info
        started[:] = [(status, headers)]
        return lambda _: None

    content = b"".join(app(environ, start_response))
    [(status, headers)] = started
    return (
        int(status.partition(" ")[0]),
        [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers],
        content,
    )
