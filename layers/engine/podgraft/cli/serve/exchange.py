"""One request and its response: the application runs in a thread and waits for no client."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Protocol

from gunicorn.http import wsgi
from gunicorn.http.errors import ParseException

from podgraft.cli.serve import http_fault
from podgraft.cli.serve.connection import Connection
from podgraft.cli.serve.framing import BodyPendingError
from podgraft.web import format_traceback


class Host(Protocol):
    """What an exchange uses of its worker."""

    alive: bool
    cfg: Any
    log: Any
    wsgi: Callable[[dict[str, Any], Callable[..., object]], Iterable[bytes]]


@dataclass(frozen=True, slots=True)
class Exchange:
    """What came of a request."""

    response: bytes = b""
    closes: bool = True  # whether the connection ends with the response
    is_review: bool = False  # whether it was answered as only authenticated callers are
    needs_body: bool = False  # there is no response yet: the application waits for the body


class _Output:
    """What gunicorn and the application take for the client's socket.

    The response is collected, so that the loop sends it and a failure can still replace it.
    """

    __slots__ = ("_peer", "chunks")

    def __init__(self, peer: Any) -> None:
        self._peer = peer
        self.chunks: list[bytes] = []

    def sendall(self, data: bytes) -> None:
        """Collect a part of the response."""
        self.chunks.append(data)

    def send(self, data: bytes) -> int:
        """Drop ``100 Continue``, for which alone gunicorn uses this: the worker has sent it."""
        return len(data)

    def getpeercert(self, binary_form: bool = False) -> Any:
        """The client's certificate, which web/credentials.py reads."""
        return self._peer.getpeercert(binary_form)


def run_exchange(host: Host, connection: Connection) -> Exchange:
    """Run the application on a request; whatever happens, there is an exchange."""
    message = connection.message
    if message is None:
        return Exchange()
    message.request.body = message.body(connection.received)
    output: Any = _Output(connection.socket)
    try:
        response, environ = wsgi.create(
            message.request, output, connection.client, connection.server, host.cfg
        )
    except ParseException as error:  # a SCRIPT_NAME that the path does not begin with
        return Exchange(http_fault.parse_fault(error).encode())
    try:
        if not (host.alive and message.is_complete(connection.received)):
            response.force_close()
        _respond(host, response, environ)
    except BodyPendingError:
        return Exchange(needs_body=True)
    except Exception as error:  # noqa: BLE001  the last line: whatever happened is answered
        # Without the error's message, which can quote the request.
        host.log.error("request from %s failed: %s", connection.source, format_traceback(error))  # noqa: TRY400
        return Exchange(http_fault.INTERNAL.encode())
    return Exchange(
        b"".join(output.chunks),
        closes=response.should_close(),
        is_review=response.status_code == HTTPStatus.OK and message.request.method == "POST",
    )


def _respond(host: Host, response: Any, environ: Any) -> None:
    """Let the application write its response."""
    environ["wsgi.multithread"] = True
    chunks: Any = host.wsgi(environ, response.start_response)
    try:
        for chunk in chunks:
            response.write(chunk)
        response.close()
    finally:
        if hasattr(chunks, "close"):
            chunks.close()
