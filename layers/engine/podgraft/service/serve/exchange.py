"""One request and its response, with the web application, which never waits for a client."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Protocol, TypeAlias

from gunicorn.http import wsgi

from podgraft.kube.admission import MAX_REQUEST_BYTES
from podgraft.service.http import format_traceback
from podgraft.service.serve import http_fault
from podgraft.service.serve.connection import Connection

Application: TypeAlias = Callable[[dict[str, Any], Any], Iterable[bytes]]
# Whether the client of a WSGI environment may send a large body.
BodyCheck: TypeAlias = Callable[[Mapping[str, Any]], bool]


class Host(Protocol):
    """The attributes of a worker that an exchange uses."""

    alive: bool
    cfg: Any
    log: Any


@dataclass(frozen=True, slots=True)
class Exchange:
    """The result of a request."""

    response: bytes = b""
    closes: bool = True  # whether the connection ends with the response
    is_review: bool = False  # whether it is a review of an authenticated caller
    needs_body: bool = False  # no response yet: the client may send its large body


class ResponseOutput:
    """A replacement for the socket of the client.

    It collects the response, so the loop can send it, and a failure can still replace it.
    """

    __slots__ = ("_peer", "chunks")

    def __init__(self, peer: Any) -> None:
        self._peer = peer
        self.chunks: list[bytes] = []

    def sendall(self, data: bytes) -> None:
        """Collect a part of the response."""
        self.chunks.append(data)

    def send(self, data: bytes) -> int:
        """Ignore ``100 Continue``, the only use of this method: the worker has already sent it."""
        return len(data)

    def getpeercert(self, binary_form: bool = False) -> Any:
        """Return the certificate of the client for service/http/request.py."""
        return self._peer.getpeercert(binary_form)


def run_exchange(
    host: Host, connection: Connection, application: Application, admits_body: BodyCheck
) -> Exchange:
    """Run an application for a request; an error becomes a response, too.

    A large body arrives only after *admits_body* has accepted the client. Without it, the
    application reads no body, because it rejects the client first.
    """
    message = connection.message
    if message is None:
        return Exchange()
    message.request.body = message.body(connection.received)
    output: Any = ResponseOutput(connection.socket)
    is_complete = message.is_complete(connection.received)
    try:
        response, environ = wsgi.create(
            message.request, output, connection.client, connection.server, host.cfg
        )
        if not is_complete and message.body_bytes <= MAX_REQUEST_BYTES and admits_body(environ):
            return Exchange(needs_body=True)
        if not (host.alive and is_complete):
            response.force_close()
        _respond(application, response, environ)
    except Exception as error:  # noqa: BLE001  every request gets a response
        _report(host, connection, error)
        return Exchange(http_fault.INTERNAL.encode())
    is_review = response.status_code == HTTPStatus.OK and response.req.method == "POST"
    return Exchange(b"".join(output.chunks), response.should_close(), is_review)


def _report(host: Host, connection: Connection, error: Exception) -> None:
    """Log an internal error, without its message, which can quote the request."""
    host.log.error("request from %s failed: %s", connection.source, format_traceback(error))


def _respond(application: Application, response: Any, environ: Any) -> None:
    """Let the application write its response."""
    environ["wsgi.multithread"] = True
    chunks: Any = application(environ, response.start_response)
    try:
        for chunk in chunks:
            response.write(chunk)
        response.close()
    finally:
        if hasattr(chunks, "close"):
            chunks.close()
