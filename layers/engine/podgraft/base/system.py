"""Time, threads, locks, and random bytes: what a process gets from its machine.

All of ``service``, ``core``, and ``cli`` take these from here, and import contracts forbid other
sources. Each function asks the current ``Machine`` when it is called. So ``tests/simulation`` can
replace the machine for code that is already loaded, and a run follows from one seed. A function
here is also safe as a default argument, which ``time.monotonic`` is not: Python reads a default
argument only once.
"""

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from threading import Lock, Thread


class AgeClock:
    """A clock that never runs back, for ages and due times: it adds the larger step of two clocks.

    Neither clock is sufficient. The monotonic clock can stop while Lambda freezes an environment,
    and it continues from the snapshot when SnapStart restores one. The wall clock can be set back.
    So a value that was read before a freeze of hours could seem to be seconds old, and a revoked
    token would still work. Waits and durations within one request use ``monotonic``: a step of the
    wall clock must not end the deadline of a review.

    An age is at least what the monotonic clock says, and at least what the wall clock says. A
    wall clock that is set back adds nothing, and a later freeze still counts in full. Threads can
    share an instance: its state is one tuple, which a call replaces with a complete new one.
    """

    __slots__ = ("_last", "_monotonic", "_wall")

    def __init__(self, monotonic: Callable[[], float], wall: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._wall = wall
        self._last = (monotonic(), wall(), 0.0)

    def __call__(self) -> float:
        """Return the seconds since an arbitrary moment; only differences have a meaning."""
        monotonic_before, wall_before, elapsed = self._last
        monotonic, wall = self._monotonic(), self._wall()
        elapsed += max(monotonic - monotonic_before, wall - wall_before, 0.0)
        self._last = (monotonic, wall, elapsed)
        return elapsed


class Machine:
    """The real machine. The simulation has a subclass, whose time is virtual."""

    def __init__(self) -> None:
        self.ages = AgeClock(self.monotonic, self.wall_seconds)  # of a subclass, where there is one

    def monotonic(self) -> float:
        """Return the seconds of a clock that no one sets."""
        return time.monotonic()

    def wall_seconds(self) -> float:
        """Return the seconds since 1970."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)

    def random_bytes(self, count: int) -> bytes:
        """Return bytes that nobody can predict."""
        return os.urandom(count)

    def make_lock(self) -> Lock:
        """Return a new lock."""
        return Lock()

    def start_thread(self, target: Callable[[], object]) -> Thread:
        """Start a thread that does not keep the process alive."""
        thread = Thread(target=target, daemon=True)
        thread.start()
        return thread

    def age_clock(self) -> float:
        """Return the seconds of the clock that all caches of the process share."""
        return self.ages()


_machine = Machine()


def replace_machine(machine: Machine) -> Machine:
    """Let all following calls ask *machine*; return the one before. Only the simulation does."""
    global _machine
    before, _machine = _machine, machine
    return before


def monotonic() -> float:
    """Return the seconds of a clock that no one sets: for durations and deadlines."""
    return _machine.monotonic()


def wall_seconds() -> float:
    """Return the seconds since 1970."""
    return _machine.wall_seconds()


def now() -> datetime:
    """Return the current time, in UTC."""
    return datetime.fromtimestamp(_machine.wall_seconds(), UTC)


def timestamp() -> str:
    """Return the current time as Kubernetes writes it, such as ``2026-11-21T03:20:00Z``."""
    return f"{now():%Y-%m-%dT%H:%M:%SZ}"


def age_clock() -> float:
    """Return the seconds since an arbitrary moment: for ages and due times (``AgeClock``)."""
    return _machine.age_clock()


def sleep(seconds: float) -> None:
    """Wait."""
    _machine.sleep(seconds)


def random_bytes(count: int) -> bytes:
    """Return bytes that nobody can predict."""
    return _machine.random_bytes(count)


def make_lock() -> Lock:
    """Return a new lock."""
    return _machine.make_lock()


def start_thread(target: Callable[[], object]) -> Thread:
    """Start a thread that does not keep the process alive, and return it."""
    return _machine.start_thread(target)
