"""How long one review may wait for what it is answered from, all its stores together."""

from collections.abc import Callable
from time import monotonic

from podgraft.records import dataclass

# A cold start with AWS out of reach must answer within two seconds, interpreter start included.
PATIENCE_SECONDS = 1.4
# A review that could go on with what is held waits this share of its time for something newer.
_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class Deadline:
    """Until when a review waits, by the clock: who asks later finds what the earlier one left.

    ``first`` is the moment for what there is nothing of yet, ``newer`` that for a newer version of
    what is held.
    """

    first: float
    newer: float
    clock: Callable[[], float] = monotonic

    @classmethod
    def of(cls, seconds: float | None, clock: Callable[[], float] = monotonic) -> "Deadline":
        """The deadline of a review that has *seconds* from now; ``None`` where nobody said."""
        now = clock()
        whole = PATIENCE_SECONDS if seconds is None else min(PATIENCE_SECONDS, seconds)
        newer = PATIENCE_SECONDS if seconds is None else min(PATIENCE_SECONDS, seconds * _SHARE)
        return cls(now + whole, now + newer, clock)

    def left(self, *, held: bool) -> float:
        """Seconds that are left, by whether there is something to go on with."""
        return (self.newer if held else self.first) - self.clock()
