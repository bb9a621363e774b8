"""The clock for ages and due times: how long ago was a value read, and is the next reading due.

Neither clock of the machine is sufficient. The monotonic clock can stop while Lambda freezes an
environment, and it continues from the snapshot when SnapStart restores one. The wall clock can be
set back. So a value that was read before a freeze of hours could seem to be seconds old, and a
revoked token would still work.

Waits and durations within one request use ``system.monotonic``: a step of the wall clock must not
end the deadline of a review.
"""

from collections.abc import Callable


class AgeClock:
    """A clock that never runs back: each call adds the larger step of two clocks.

    So an age is at least what the monotonic clock says, and at least what the wall clock says. A
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
