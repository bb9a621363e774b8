"""gunicorn's worker for ``podgraft serve``: no thread waits for a client.

The hazard. If threads read requests, a few clients can stop the server: each one connects, sends
half of a request, and is silent. A client needs no credentials for this, because the server checks
them after it has read the request. Time limits alone do not help, because the client can connect
again. gunicorn's threaded worker has this weakness in the TLS handshake, the head, the body, and
the end of a connection.

The design. One loop owns all sockets, and no socket blocks. A thread receives only complete
requests, and returns a response that the loop sends:

    HANDSHAKE ──▶ IDLE ──▶ HEAD ──▶ BODY ──▶ SERVING ──▶ SENDING ──▶ IDLE, or CLOSING

The threads. A thread runs the web application for a complete request.

The bounds. A silent client uses a file descriptor and some memory. Four bounds limit this:

- Each phase in which the client must act has a deadline. A trickle of bytes does not extend it.
- Each address has a share of the connections.
- A step decrypts a few kilobytes, and 32 records without data end a connection (``tls_socket.py``).
- If there is no room, the oldest connection without a review is closed (``connection_set.py``).

The workers. A client such as kube-apiserver retains its connections, so a worker that has more
than the others leaves a new one to them for a moment (``connection_counts.py``).

The bodies. A head has at most 64 KiB, and so has the body of a client that is not authenticated
yet. For a larger body, a thread checks the credentials in the head (``web.admits_body``), and then
the loop collects the body. So only authenticated callers can send up to 6 MiB, and only a bounded
number of them at the same time.

Not covered: floods of handshakes and of complete requests. They use processor time, and a proxy in
front of the server must limit them.
"""

import errno
import gc
import os
import resource
import selectors
import socket
import ssl
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from gunicorn.workers.base import Worker as BaseWorker
from gunicorn.workers.gthread import PollableMethodQueue

from podgraft.base import system
from podgraft.service.http import format_traceback
from podgraft.service.http.request_log import make_stream_log
from podgraft.service.serve.arbiter import unblock_stop_signals
from podgraft.service.serve.connection import Connection, PlainSocket, source_of
from podgraft.service.serve.connection_counts import ConnectionCounts
from podgraft.service.serve.connection_loop import ConnectionLoop
from podgraft.service.serve.connection_set import ConnectionSet
from podgraft.service.serve.exchange import Application, BodyCheck, Exchange, run_exchange
from podgraft.service.serve.incident_log import Incidents
from podgraft.service.serve.tls_socket import TLSSocket

# Connections of a worker, and of one address. A kube-apiserver opens up to 200, its default limit
# of concurrent changes, and several can share an address.
MAX_CONNECTIONS = 1000
DEFAULT_CONNECTIONS_PER_ADDRESS = 500

_OTHER_FILES = 64  # other files that a worker opens
_TICK_SECONDS = 0.5
_ACCEPTED_AT_ONCE = 8
# How long a new connection waits for a worker that has fewer connections.
_YIELD_SECONDS = 0.02
_COLLECTION_THRESHOLD = 10_000  # as in the function: a review creates hardly any cycles
_NO_FILES = frozenset({errno.EMFILE, errno.ENFILE})


@dataclass(frozen=True, slots=True)
class MetricsPort:
    """The application of the metrics port, and the function that selects the worker's counters.

    The metrics port is the last listener.
    """

    application: Application
    enter_slot: Callable[[int], None]


class RedactingWorker(BaseWorker):
    """A loop that owns the connections, and threads that run the application."""

    # What BaseWorker sets; its stubs are narrower, or leave them out.
    cfg: Any
    sockets: list[Any]
    wsgi: Any

    connections_per_address = DEFAULT_CONNECTIONS_PER_ADDRESS
    admits_body: BodyCheck  # ``https.py`` sets it
    metrics: MetricsPort | None = None
    counts = ConnectionCounts(1)  # of all workers; ``https.py`` sets it
    slot = 0  # the number of this worker among those that run; ``https.py`` sets it

    def init_process(self) -> None:
        """Make the objects that processes cannot share, then run the loop."""
        self.counts.publish(self.slot, 0)
        if self.metrics is not None:
            self.metrics.enter_slot(self.slot)
        self._incidents = Incidents(make_stream_log())
        self._connections = ConnectionSet(_capacity(), self.connections_per_address)
        self._loop = ConnectionLoop(self.cfg, self._connections, self._incidents, self._serve)
        self._threads = ThreadPoolExecutor(self.cfg.threads)
        self._queue: Any = PollableMethodQueue()
        self._queue.init()
        self._is_accepting = False
        self._accepts_again_seconds = 0.0
        self._yielded_seconds = 0.0
        gc.freeze()  # all loaded objects stay alive, so the collector can skip them
        gc.set_threshold(_COLLECTION_THRESHOLD)
        super().init_process()

    def init_signals(self) -> None:
        """Install the handlers, then receive the signals that the arbiter has blocked."""
        super().init_signals()
        unblock_stop_signals()

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Start to stop, after SIGTERM."""
        del sig, frame
        if self.alive:
            self.alive = False
            self._queue.defer(lambda: None)  # wakes the loop

    def handle_quit(self, sig: int, frame: Any) -> None:
        """Stop at once, after SIGQUIT or SIGINT."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        super().handle_quit(sig, frame)

    def run(self) -> None:
        """Serve until the worker must stop, then finish the requests in progress."""
        wake = partial(self._queue.run_callbacks, None)
        self._loop.poller.register(self._queue.fileno(), selectors.EVENT_READ, wake)
        while self.alive and os.getppid() == self.ppid:
            self._set_accepting(self._can_accept())
            self._turn()
        self.alive = False
        self._set_accepting(is_accepting=False)
        for listener in self.sockets:  # new clients go elsewhere at once, and wait for no one here
            listener.close()
        self.counts.close(self.slot)
        ends = system.monotonic() + self.cfg.graceful_timeout
        self._loop.stop()
        while len(self._connections) and system.monotonic() < ends:
            self._turn()
        self._threads.shutdown(wait=False)
        self._incidents.flush(system.monotonic(), at_once=True)
        for connection in self._connections:
            self._loop.close(connection)

    def _turn(self) -> None:
        self.notify()
        pause = self._accepts_again_seconds - system.monotonic()
        self._loop.turn(min(_TICK_SECONDS, pause) if pause > 0 else _TICK_SECONDS)
        if self.alive:
            self.counts.publish(self.slot, len(self._connections))
        self._incidents.flush(system.monotonic())

    def _can_accept(self) -> bool:
        """Whether there is room, or a connection that can be closed to make room."""
        if system.monotonic() < self._accepts_again_seconds:
            return False
        return self._connections.has_room("") or self._connections.find_victim(None) is not None

    def _set_accepting(self, is_accepting: bool) -> None:
        if is_accepting is self._is_accepting:
            return
        self._is_accepting = is_accepting
        for listener in self.sockets:
            if is_accepting:
                listener.setblocking(False)
                accept = partial(self._accept, listener)
                self._loop.poller.register(listener, selectors.EVENT_READ, accept)
            else:
                self._loop.poller.unregister(listener)

    def _accept(self, listener: Any) -> None:
        for _ in range(_ACCEPTED_AT_ONCE):
            if self._yields():
                return
            try:
                accepted, client = listener.accept()
            except BlockingIOError:
                return
            except OSError as error:
                if error.errno in _NO_FILES:
                    if self._loop.make_room(None):
                        continue
                    # The listener stays readable: without a pause, the loop would never wait.
                    self._accepts_again_seconds = system.monotonic() + _TICK_SECONDS
                return
            self._admit(accepted, client, listener)
            self.counts.publish(self.slot, len(self._connections))

    def _yields(self) -> bool:
        """Whether to leave a new connection to a worker with fewer ones, for a moment."""
        if not self.counts.has_fewer(self.slot, len(self._connections)):
            return False
        now = system.monotonic()
        if self._yielded_seconds <= now - _YIELD_SECONDS < self._yielded_seconds + _YIELD_SECONDS:
            self._yielded_seconds = 0.0  # that worker did not take it: take one
            return False
        self._yielded_seconds, self._accepts_again_seconds = now, now + _YIELD_SECONDS
        return True

    def _admit(self, accepted: socket.socket, client: Any, listener: Any) -> None:
        source, server = source_of(client), listener.getsockname()
        if not self._connections.has_room(source) and not self._loop.make_room(source):
            self._incidents.count("no room")
            accepted.close()
            return
        if self.metrics is not None and listener is self.sockets[-1]:
            plain = PlainSocket.from_accepted(accepted)
            self._loop.add(Connection(plain, client, server, source, is_metrics=True))
            return
        # One context per connection, because certificates change while the server runs.
        secure = TLSSocket.from_accepted(accepted, self.cfg.ssl_context(self.cfg, None))
        self._loop.add(Connection(secure, client, server, source))

    def _serve(self, connection: Connection) -> None:
        """Respond to a request in a thread."""
        task = self._threads.submit(self._run, connection)
        task.add_done_callback(lambda done: self._queue.defer(self._finish, connection, done))

    def _run(self, connection: Connection) -> Exchange:
        """Complete an exchange in a thread; send the bytes that the socket accepts at once."""
        exchange = run_exchange(self, connection, self._application(connection), self.admits_body)
        if not exchange.needs_body:
            connection.outgoing = exchange.response
            with suppress(ssl.SSLWantReadError, ssl.SSLWantWriteError):
                connection.send()
        return exchange

    def _application(self, connection: Connection) -> Application:
        if self.metrics is not None and connection.is_metrics:
            return self.metrics.application
        return self.wsgi

    def _finish(self, connection: Connection, done: "Future[Exchange]") -> None:
        """Continue a connection after its thread is done."""
        error = None if done.cancelled() else done.exception()
        if error is not None and not isinstance(error, OSError):
            self._incidents.report("internal_error", connection.source, format_traceback(error))
        if done.cancelled() or error is not None:  # mostly, the client is gone
            self._loop.close(connection)
        else:
            self._loop.finish(connection, done.result())


def _capacity() -> int:
    """Return the number of connections that the limit on open files allows."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    return max(1, min(MAX_CONNECTIONS, soft - _OTHER_FILES))
