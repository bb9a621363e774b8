"""A WSGI application as ASGI, run in the event loop itself.

Lambda gives a process one request at a time, so nothing waits while the application runs. The
library adapters hand each request over to worker threads and back several times, which costs more
than a whole review.
"""

import sys
from collections.abc import Awaitable, Callable, MutableMapping
from io import BytesIO
from typing import Any, TypeAlias
from wsgiref.types import WSGIApplication

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]


class WsgiToAsgi:
    """The ASGI face of a WSGI application that answers HTTP requests one by one."""

    def __init__(self, app: WSGIApplication) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, its body read whole before and its answer sent whole after."""
        body, more = b"", True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        status, headers, answer = _call_wsgi(self._app, wsgi_environ(scope, body))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": answer})


def wsgi_environ(scope: Scope, body: bytes) -> dict[str, Any]:
    """The WSGI environment (PEP 3333) of an ASGI request.

    ``CONTENT_LENGTH`` is that of the body at hand: not every event carries the header. Lambda's
    own event stays within reach as ``aws.event``.
    """
    made: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": scope["path"].encode().decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": scope["server"][0],
        "SERVER_PORT": str(scope["server"][1]),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": scope["client"][0],
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
        made[f"HTTP_{key}"] = value.decode("latin-1")
    made["CONTENT_TYPE"] = made.pop("HTTP_CONTENT_TYPE", "")
    made["CONTENT_LENGTH"] = str(len(body))
    return made


def _call_wsgi(
    app: WSGIApplication, made: dict[str, Any]
) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
    started: list[tuple[str, list[tuple[str, str]]]] = []

    def start_response(
        status: str, headers: list[tuple[str, str]], exc_info: object = None, /
    ) -> Callable[[bytes], object]:
        del exc_info
        started[:] = [(status, headers)]
        return lambda _: None

    answer = b"".join(app(made, start_response))
    [(status, headers)] = started
    return (
        int(status.partition(" ")[0]),
        [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers],
        answer,
    )
