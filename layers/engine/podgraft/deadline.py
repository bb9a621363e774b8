"""How long one review can wait for its stores, all of them together."""

from collections.abc import Callable
from time import monotonic

from podgraft.lazy_dataclass import dataclass

# A cold start with AWS out of reach must respond within two seconds, interpreter start included.
MAX_WAIT_SECONDS = 1.4
# A review that has a loaded value waits this share of its time for a newer one.
_REFRESH_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class Deadline:
    """The moments until which a review waits, by its clock; each wait uses what is left.

    ``initial_deadline`` applies if nothing is loaded yet, ``refresh_deadline`` to a newer version
    of what is loaded.
    """

    initial_deadline: float
    refresh_deadline: float
    clock: Callable[[], float] = monotonic

    @classmethod
    def from_timeout(
        cls, seconds: float | None, clock: Callable[[], float] = monotonic
    ) -> "Deadline":
        """The deadline of a review that has *seconds* from now; ``None`` without a timeout."""
        now = clock()
        initial = MAX_WAIT_SECONDS if seconds is None else min(MAX_WAIT_SECONDS, seconds)
        refresh = (
            MAX_WAIT_SECONDS if seconds is None else min(MAX_WAIT_SECONDS, seconds * _REFRESH_SHARE)
        )
        return cls(now + initial, now + refresh, clock)

    def remaining_seconds(self, *, has_value: bool) -> float:
        """Seconds that are left, by whether a loaded value exists."""
        return (self.refresh_deadline if has_value else self.initial_deadline) - self.clock()
