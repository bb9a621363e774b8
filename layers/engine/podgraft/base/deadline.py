"""The time that one review can wait for its stores.

kube-apiserver sends its timeout with each review. If podgraft exceeds it, failurePolicy applies:
pods start without their sidecar, or do not start. A review therefore has a deadline, a moment that
all its stores share. A duration per call would be wrong: three calls of 1 s each would exceed a
timeout of 2 s, although each call keeps its limit.

There are two moments, because the two kinds of waiting have different costs:

- Without a loaded version, the review has no other way to succeed. It waits for almost all of its
  time, but at most ``MAX_WAIT_SECONDS``, so that a cold start can still report the problem.
- With a loaded version, the review needs no newer one. It waits for a share of its time, then it
  uses the loaded version and reports it as stale.

A caller of a store never receives a new period of waiting: a call that starts later has less time.
This module does not wait; it computes the remaining seconds.
"""

from collections.abc import Callable
from math import inf

from msgspec import Struct

from podgraft.base import system

# If AWS is unreachable, a cold start must respond within 2 s, including interpreter start.
MAX_WAIT_SECONDS = 1.4
# kube-apiserver's default, for a review without a timeout.
_DEFAULT_TIMEOUT_SECONDS = 10.0
# A review with a loaded version waits this share of its timeout for a newer one.
_REFRESH_SHARE = 0.25


class Deadline(Struct, frozen=True):
    """The moments at which a review stops waiting, in seconds of ``clock``.

    ``initial_deadline`` applies if no version is loaded, and ``refresh_deadline`` if one is.
    ``review_deadline`` is the end of the review, ``timeout_seconds`` after its start.
    """

    initial_deadline: float
    refresh_deadline: float
    clock: Callable[[], float] = system.monotonic
    review_deadline: float = inf
    timeout_seconds: float = _DEFAULT_TIMEOUT_SECONDS

    @classmethod
    def from_timeout(
        cls, seconds: float | None, clock: Callable[[], float] = system.monotonic
    ) -> "Deadline":
        """Return the deadline of a review with *seconds* left; ``None`` if it has no timeout."""
        now = clock()
        initial = MAX_WAIT_SECONDS if seconds is None else min(MAX_WAIT_SECONDS, seconds)
        refresh = (
            MAX_WAIT_SECONDS if seconds is None else min(MAX_WAIT_SECONDS, seconds * _REFRESH_SHARE)
        )
        timeout = _DEFAULT_TIMEOUT_SECONDS if seconds is None else seconds
        return cls(now + initial, now + refresh, clock, now + timeout, timeout)

    def remaining_seconds(self, *, has_value: bool) -> float:
        """Return the remaining seconds; *has_value* if a version is loaded already."""
        return (self.refresh_deadline if has_value else self.initial_deadline) - self.clock()

    @property
    def review_seconds(self) -> float:
        """The remaining seconds of the review."""
        return self.review_deadline - self.clock()
