"""Sockets and calls with one deadline.

The hazard: a timeout of Python's sockets applies to each system call. A server that sends one byte
per second never exceeds a timeout of two seconds, and ``getaddrinfo`` has no timeout at all. A
review has one deadline for everything, so this module sets the remaining time before each call, and
runs functions without a timeout in a thread.
"""

from collections.abc import Callable
from io import BufferedReader, RawIOBase
from socket import IPPROTO_TCP, SOCK_STREAM, TCP_NODELAY, getaddrinfo, socket
from threading import Thread
from time import monotonic
from typing import Any, Generic, TypeVar

T = TypeVar("T")


def run_with_timeout(seconds: float, work: Callable[[], T]) -> T:
    """Return the result of *work*; raises ``TimeoutError`` if it takes longer.

    For functions without a timeout: name resolution and SDKs. After the timeout, *work* continues
    in its daemon thread, and its result is discarded.
    """
    running = _Task(work)
    thread = Thread(target=running.run, daemon=True)
    thread.start()
    thread.join(max(seconds, 0.0))
    if thread.is_alive():
        raise TimeoutError
    return running.result()


class _Task(Generic[T]):
    """The result of a function that runs in a thread."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._returned: list[T] = []
        self._raised: BaseException | None = None

    def run(self) -> None:
        try:
            self._returned.append(self._work())
        except BaseException as error:  # noqa: BLE001 — ``result`` raises it
            self._raised = error

    def result(self) -> T:
        if self._raised is not None:
            raise self._raised
        return self._returned[0]


class DeadlineSocket:
    """A connected socket for ``http.client`` that enforces ``deadline``.

    The timeout of a socket starts again with every part that arrives.
    """

    def __init__(self, to: socket) -> None:
        self._to = to
        self.deadline = 0.0

    def sendall(self, data: bytes) -> None:
        """Send all bytes."""
        self.set_remaining_timeout()
        self._to.sendall(data)

    def makefile(self, mode: str) -> BufferedReader:
        """Return the received bytes as a file."""
        del mode  # http.client only reads
        return BufferedReader(_DeadlineReader(self, self._to))

    def close(self) -> None:
        """Close the socket when its last file is closed."""
        self._to.close()

    def set_remaining_timeout(self) -> None:
        """Set the timeout of the next call; raises ``TimeoutError`` after the deadline."""
        left = self.deadline - monotonic()
        if left <= 0:
            raise TimeoutError
        self._to.settimeout(left)


class _DeadlineReader(RawIOBase):
    def __init__(self, line: DeadlineSocket, to: socket) -> None:
        self._line = line
        self._file = to.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int | None:
        self._line.set_remaining_timeout()
        return self._file.readinto(buffer)

    def close(self) -> None:
        self._file.close()
        super().close()


def connect(host: str, port: int, deadline: float) -> socket:
    """Return a connection to the first address that accepts one, before *deadline*.

    Each address gets half of the remaining time, the last one all of it. S3 has eight addresses.
    """
    addresses = run_with_timeout(
        deadline - monotonic(), lambda: getaddrinfo(host, port, type=SOCK_STREAM)
    )
    failure = OSError("no address")
    for further, (family, kind, protocol, _, address) in zip(
        range(len(addresses) - 1, -1, -1), addresses, strict=True
    ):
        left = deadline - monotonic()
        if left <= 0:
            raise TimeoutError
        connection = socket(family, kind, protocol)
        connection.settimeout(left / 2 if further else left)
        try:
            connection.connect(address)
        except OSError as error:
            connection.close()
            failure = error
        else:
            connection.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
            return connection
    raise failure
