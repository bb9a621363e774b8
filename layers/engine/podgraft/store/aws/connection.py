"""Waiting that ends at one moment, whatever is waited for."""

from collections.abc import Callable
from io import BufferedReader, RawIOBase
from socket import IPPROTO_TCP, SOCK_STREAM, TCP_NODELAY, getaddrinfo, socket
from threading import Thread
from time import monotonic
from typing import Any, Generic, TypeVar

T = TypeVar("T")


def run_with_timeout(seconds: float, work: Callable[[], T]) -> T:
    """What *work* returns; ``TimeoutError`` where it takes longer.

    For what cannot be told a time: name resolution and software development kits. It then goes on
    in a thread of its own until it ends by itself, and nobody hears of it.
    """
    running = _Task(work)
    thread = Thread(target=running.run, daemon=True)
    thread.start()
    thread.join(max(seconds, 0.0))
    if thread.is_alive():
        raise TimeoutError
    return running.result()


class _Task(Generic[T]):
    """What becomes of a piece of work."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._returned: list[T] = []
        self._raised: BaseException | None = None

    def run(self) -> None:
        try:
            self._returned.append(self._work())
        except BaseException as error:  # noqa: BLE001 — raised where it is waited for
            self._raised = error

    def result(self) -> T:
        if self._raised is not None:
            raise self._raised
        return self._returned[0]


class DeadlineSocket:
    """A connected socket for ``http.client`` that waits until ``ends`` and no longer.

    A socket's own time limit begins anew with every piece that arrives.
    """

    def __init__(self, to: socket) -> None:
        self._to = to
        self.deadline = 0.0

    def sendall(self, data: bytes) -> None:
        """Send everything."""
        self.set_remaining_timeout()
        self._to.sendall(data)

    def makefile(self, mode: str) -> BufferedReader:
        """What arrives, as a file."""
        del mode  # http.client only reads
        return BufferedReader(_DeadlineReader(self, self._to))

    def close(self) -> None:
        """Close it once the last file of it is closed."""
        self._to.close()

    def set_remaining_timeout(self) -> None:
        """Let the next call wait as long as there is time; ``TimeoutError`` where there is none."""
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
    """A connection to the first address that answers, found and made until *ends*.

    Each address has half of the time that is left, and the last one all of it: S3's name has eight.
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
        made = socket(family, kind, protocol)
        made.settimeout(left / 2 if further else left)
        try:
            made.connect(address)
        except OSError as error:
            made.close()
            failure = error
        else:
            made.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
            return made
    raise failure
