"""The steps of connections: one step runs when the operating system reports that it can.

``worker.py`` explains the phases. Everything here runs in one thread and nothing blocks. Three
rules keep it that way. If a change breaks one of them, a single client can stop the server:

- A step never waits. TLS can require to read before it can write, and to write before it can read,
  at any time, not only in the handshake. ``_take`` therefore handles ``SSLWantRead`` and
  ``SSLWantWrite`` for every step: it watches for the event, and the same step runs again.
- A turn is short. Handshakes and late connections come by the hundred in an attack, so one turn
  handles a few of them. The selector reports the others again.
- A phase starts its deadline once (``_enter``). Receiving bytes does not move it: a client that
  sends one byte per second is as late as a silent one. Only ``SERVING`` has no deadline, because
  the server acts there, not the client.

During ``SERVING``, the loop neither watches nor changes a connection until ``finish`` runs. A
complete request waits in a queue until the end of its turn, so a client that sends many requests
at once cannot make the steps recurse, and gets one response per turn.
"""

import selectors
import ssl
from collections import deque
from collections.abc import Callable
from typing import Any

from gunicorn.http.errors import ParseException

from podgraft.base import system
from podgraft.kube.admission import MAX_REQUEST_BYTES
from podgraft.service.http import format_traceback
from podgraft.service.serve import http_fault
from podgraft.service.serve.connection import Connection, Phase
from podgraft.service.serve.connection_set import ConnectionSet
from podgraft.service.serve.exchange import Exchange
from podgraft.service.serve.framing import read_message
from podgraft.service.serve.http_fault import HTTPFault
from podgraft.service.serve.incident_log import Incidents
from podgraft.service.serve.tls_socket import RecordFloodError

HANDSHAKE_SECONDS = 5.0
# Until the first byte of the first request. Go opens connections before it needs them; the webhook
# servers of controller-runtime use the same limit.
FIRST_REQUEST_SECONDS = 32.0
HEAD_SECONDS = 5.0
BODY_SECONDS = 10.0
SENDING_SECONDS = 10.0
CLOSING_SECONDS = 5.0
# For an idle connection of a worker that stops, because a review can be in transit.
STOPPING_SECONDS = 2.0

SMALL_BODY_BYTES = 65_536  # collected before the application knows the caller; most reviews fit
# For all large bodies together, because one token could fill the memory otherwise.
MAX_BODIES_BYTES = 8 * MAX_REQUEST_BYTES
# A client can send this much after the last response and still read the response.
MAX_DISCARDED_BYTES = 4 * MAX_REQUEST_BYTES

_AT_ONCE = 8  # handshakes or late connections of one turn; a handshake takes 1 to 2 ms
_PAUSE_SECONDS = 0.02


class ConnectionLoop:
    """The sockets of a worker. It calls ``serve`` with a connection and its complete request."""

    def __init__(
        self,
        configuration: Any,
        connections: ConnectionSet,
        incidents: Incidents,
        serve: Callable[[Connection], None],
    ) -> None:
        self.poller = selectors.DefaultSelector()
        self.connections = connections
        self._configuration = configuration
        self._incidents = incidents
        self._serve = serve
        self._bodies_bytes = 0
        self._is_stopping = False
        self._next_look_seconds = 0.0
        self._ready: deque[Connection] = deque()  # their requests are complete

    def turn(self, seconds: float) -> None:
        """Wait at most *seconds*, then run the steps that can run.

        One turn handles at most ``_AT_ONCE`` handshakes and as many late connections, so a review
        never waits for hundreds of them.
        """
        handshakes = 0
        for key, _ in self.poller.select(min(seconds, self._seconds_to_look(seconds))):
            connection = key.data
            if not isinstance(connection, Connection):
                connection()
            elif connection.phase is not Phase.HANDSHAKE:
                self._proceed(connection)
            elif handshakes < _AT_ONCE:  # the selector reports the others again
                handshakes += 1
                self._proceed(connection)
        for _ in range(len(self._ready)):
            self._take(self._ready.popleft(), self._serve)
        now = system.monotonic()
        if now >= self._next_look_seconds:
            rest = self._close_late(now)
            self._next_look_seconds = now + (_PAUSE_SECONDS if rest else seconds)

    def _seconds_to_look(self, seconds: float) -> float:
        if self._ready:
            return 0.0
        return max(0.0, min(seconds, self._next_look_seconds - system.monotonic()))

    def add(self, connection: Connection) -> None:
        """Start a connection."""
        self.connections.add(connection)
        self._enter(connection, Phase.HANDSHAKE, HANDSHAKE_SECONDS)
        self._watch(connection)

    def make_room(self, source: str | None) -> bool:
        """Close a connection in favor of another one of *source*; False if all are in use."""
        victim = self.connections.find_victim(source)
        if victim is None:
            return False
        self._incidents.count("made room")
        self.close(victim)
        return True

    def finish(self, connection: Connection, exchange: Exchange) -> None:
        """Continue after the application has run."""
        connection.is_proven = connection.is_proven or exchange.is_review
        connection.closes = exchange.closes
        self._take(connection, self._collect if exchange.needs_body else self._respond)

    def stop(self) -> None:
        """Close idle connections soon; the deadlines of partial requests do not change."""
        self._is_stopping = True
        ends = system.monotonic() + STOPPING_SECONDS
        for connection in self.connections:
            if connection.phase is Phase.IDLE:
                connection.deadline_seconds = min(connection.deadline_seconds, ends)

    def close(self, connection: Connection) -> None:
        """Close a connection at once."""
        if self.connections.remove(connection):
            self._release(connection)
            self._watch(connection, 0)
            connection.close()

    def _close_late(self, now: float) -> bool:
        """End some connections after their deadline; return whether there are more."""
        late_connections = [
            connection
            for connection in self.connections
            if now >= connection.deadline_seconds and connection.phase is not Phase.SERVING
        ]
        for connection in late_connections[:_AT_ONCE]:
            phase = connection.phase
            if phase not in {Phase.IDLE, Phase.CLOSING}:
                self._incidents.count(f"{phase.name.lower()} timeout")
            self._take(connection, self._end)
        return len(late_connections) > _AT_ONCE

    def _end(self, connection: Connection) -> None:
        match connection.phase:
            case Phase.HEAD:
                self._refuse(connection, http_fault.HEAD_TIMEOUT)
            case Phase.BODY:
                self._refuse(connection, http_fault.BODY_TIMEOUT)
            case Phase.IDLE:
                connection.end_output()
                self.close(connection)
            case _:
                self.close(connection)

    def _watch(self, connection: Connection, events: int = selectors.EVENT_READ) -> None:
        if events == connection.watched_events:
            return
        if connection.watched_events:
            self.poller.unregister(connection.socket)
        connection.watched_events = events
        if events:
            self.poller.register(connection.socket, events, connection)

    def _enter(self, connection: Connection, phase: Phase, seconds: float) -> None:
        connection.phase = phase
        connection.deadline_seconds = system.monotonic() + seconds

    def _proceed(self, connection: Connection) -> None:
        """Run the next step of a connection."""
        if connection not in self.connections:  # closed in this turn to make room
            return
        match connection.phase:
            case Phase.HANDSHAKE:
                self._take(connection, self._shake_hands)
            case Phase.SENDING:
                self._take(connection, self._send)
            case Phase.CLOSING:
                self._take(connection, self._discard)
            case Phase.SERVING:  # it started in this turn
                pass
            case _:
                self._take(connection, self._receive)

    def _take(self, connection: Connection, step: Callable[[Connection], None]) -> None:
        """Run a step. An error ends only this connection."""
        try:
            step(connection)
        except (ssl.SSLWantReadError, BlockingIOError):
            self._watch(connection)
        except ssl.SSLWantWriteError:
            self._watch(connection, selectors.EVENT_WRITE)
        except OSError:  # the client is gone, or does not use TLS
            self.close(connection)
        except Exception as error:  # noqa: BLE001  a bug must not end all connections
            self._incidents.report("internal_error", connection.source, format_traceback(error))
            self.close(connection)

    def _shake_hands(self, connection: Connection) -> None:
        try:
            connection.shake_hands()
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise
        except ssl.SSLError as error:
            if error.reason == "HTTP_REQUEST":
                connection.send_plain(http_fault.PLAIN_HTTP.encode())
            if not isinstance(error, ssl.SSLEOFError):  # health checks of load balancers
                self._incidents.report_tls_failure(str(error.reason), connection.source)
            raise
        self._enter(connection, Phase.IDLE, FIRST_REQUEST_SECONDS)
        self._receive(connection)  # the handshake can have read a part of the request

    def _receive(self, connection: Connection) -> None:
        try:
            is_open = connection.receive()
        except RecordFloodError:
            self._incidents.count("TLS records without data")
            raise
        if not is_open:
            self.close(connection)
            return
        self._watch(connection)
        if connection.phase is Phase.IDLE:
            self._enter(connection, Phase.HEAD, HEAD_SECONDS)
        if connection.awaits_body:
            self._count_body(connection)
            if self._bodies_bytes > MAX_BODIES_BYTES:
                self._incidents.count("no memory for large bodies")
                self._refuse(connection, http_fault.BUSY)
                return
        self._advance(connection)

    def _count_body(self, connection: Connection) -> None:
        self._bodies_bytes += len(connection.received) - connection.counted_bytes
        connection.counted_bytes = len(connection.received)

    def _advance(self, connection: Connection) -> None:
        """Process the received bytes as far as possible."""
        if connection.message is None:
            try:
                connection.message = read_message(
                    connection.received,
                    connection.searched,
                    self._configuration,
                    connection.client,
                )
            except ParseException as error:
                problem = f"invalid HTTP: {type(error).__name__}; check the client"
                self._incidents.report("invalid_request", connection.source, problem)
                self._refuse(connection, http_fault.parse_fault(error))
                return
        message = connection.message
        if message is None:
            connection.searched = len(connection.received)
        elif message.is_complete(connection.received) or (
            message.body_bytes > SMALL_BODY_BYTES and not connection.awaits_body
        ):
            self._watch(connection, 0)
            connection.phase = Phase.SERVING
            self._ready.append(connection)
        elif connection.phase is not Phase.BODY:
            self._await_body(connection)

    def _await_body(self, connection: Connection) -> None:
        self._enter(connection, Phase.BODY, BODY_SECONDS)
        self._watch(connection)
        message = connection.message
        if message is not None and message.expects_continue:
            connection.outgoing = b"HTTP/1.1 100 Continue\r\n\r\n"
            connection.send()

    def _collect(self, connection: Connection) -> None:
        """Collect a large body that the application requested."""
        message = connection.message
        if message is not None and message.body_bytes > MAX_REQUEST_BYTES:
            self._refuse(connection, http_fault.BODY_TOO_LARGE)
        else:
            connection.awaits_body = True
            self._count_body(connection)
            self._await_body(connection)

    def _refuse(self, connection: Connection, fault: HTTPFault) -> None:
        """Send an error without the application, and close the connection."""
        connection.outgoing = fault.encode()
        connection.closes = True
        self._respond(connection)

    def _respond(self, connection: Connection) -> None:
        """Send the rest of a response, then continue."""
        self._enter(connection, Phase.SENDING, SENDING_SECONDS)
        self._send(connection)

    def _send(self, connection: Connection) -> None:
        connection.send()
        message = connection.message
        self._release(connection)
        if connection.closes or message is None or not message.is_complete(connection.received):
            self._begin_closing(connection)
            return
        connection.begin_next()
        self.connections.renew(connection)
        self._watch(connection)
        if connection.received:  # the next request, sent without waiting for this response
            self._enter(connection, Phase.HEAD, HEAD_SECONDS)
            self._advance(connection)
        else:
            idle_seconds = STOPPING_SECONDS if self._is_stopping else self._configuration.keepalive
            self._enter(connection, Phase.IDLE, idle_seconds)

    def _begin_closing(self, connection: Connection) -> None:
        connection.end_output()
        connection.received.clear()
        self._enter(connection, Phase.CLOSING, CLOSING_SECONDS)
        self._watch(connection)

    def _discard(self, connection: Connection) -> None:
        if not connection.discard() or connection.discarded_bytes > MAX_DISCARDED_BYTES:
            self.close(connection)

    def _release(self, connection: Connection) -> None:
        self._bodies_bytes -= connection.counted_bytes
        connection.counted_bytes = 0
        connection.awaits_body = False
