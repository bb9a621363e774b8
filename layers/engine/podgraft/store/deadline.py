"""How long one review may wait for what it is answered from, all its stores together."""

from collections.abc import Callable
from time import monotonic

from podgraft.lazy_dataclass import dataclass

# A cold start with AWS out of reach must answer within two seconds, interpreter start included.
MAX_WAIT_SECONDS = 1.4
# A review that could go on with what is held waits this share of its time for something newer.
_REFRESH_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class Deadline:
    """Until when a review waits, by the clock: who asks later finds what the earlier one left.

    ``first`` is the moment for what there is nothing of yet, ``newer`` that for a newer version of
    what is held.
    """

    initial_deadline: float
    refresh_deadline: float
    clock: Callable[[], float] = monotonic

    @classmethod
    def from_timeout(
        cls, seconds: float | None, clock: Callable[[], float] = monotonic
    ) -> "Deadline":
        """The deadline of a review that has *seconds* from now; ``None`` where nobody said."""
        now = clock()
        whole = MAX_WAIT_SECONDS if seconds is None else min(MAX_WAIT_SECONDS, seconds)
        newer = (
            MAX_WAIT_SECONDS if seconds is None else min(MAX_WAIT_SECONDS, seconds * _REFRESH_SHARE)
        )
        return cls(now + whole, now + newer, clock)

    def remaining_seconds(self, *, has_value: bool) -> float:
        """Seconds that are left, by whether there is something to go on with."""
        return (self.refresh_deadline if has_value else self.initial_deadline) - self.clock()
