"""A cached value from a store: refreshed after some seconds, retained if the refresh fails.

An old value is not retained without limit. SnapStart can restore an environment months after its
init, with the policy of that day.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from podgraft.base import system
from podgraft.base.deadline import Deadline
from podgraft.core.versions.errors import StoreError, UnavailableError

from .client import RetryBudget

T = TypeVar("T")

# After a failed refresh, no review waits for another one during this time.
_RETRY_SECONDS = 5.0

# If callers are unreadable, and all reviews wait for them, no review reads the policy any more: a
# push, a denial, and a brake would have no effect.
_SHARE_AFTER_FAILURE = 0.5

# A value that was confirmed longer ago is never in force. An environment that is in use is replaced
# earlier, so this limit concerns restored and frozen ones, and very long outages.
MAX_AGE_SECONDS = 86_400.0

# Returns the current value, from the cached one (``None`` at first); raises ``StoreError``.
Refresh = Callable[[T | None, RetryBudget], T]


class CachedValue(Struct, Generic[T], frozen=True):
    """A value, when it was last confirmed, when to refresh it, and why the last refresh failed."""

    value: T
    confirmed_at: float
    refresh_at: float
    error: StoreError | None = None


class PollingCache(Generic[T]):
    """A cache of one value. Threads can share it: one refreshes, the others use the value.

    A value that is not *usable* answers no review. As without a value, each review refreshes it.
    """

    def __init__(
        self,
        refresh: Refresh[T],
        seconds: float,
        clock: Callable[[], float],
        *,
        usable: Callable[[T], bool] = lambda _: True,
    ) -> None:
        self._refresh = refresh
        self._seconds = seconds
        self._clock = clock
        self._is_usable = usable
        self._cached: CachedValue[T] | None = None
        self._lock = system.make_lock()

    def current(self, deadline: Deadline | None = None) -> CachedValue[T]:
        """Return the value in force; raises ``StoreError`` without one of ``MAX_AGE_SECONDS``.

        After the refresh deadline, a review uses the cached value without a refresh, with the
        reason.
        """
        cached = self._cached
        now = self._clock()
        if cached is not None and now < cached.refresh_at:
            return cached
        usable = cached if cached and now - cached.confirmed_at <= MAX_AGE_SECONDS else None
        usable = usable if usable and self._is_usable(usable.value) else None
        limit = deadline or Deadline.from_timeout(None)
        if usable is not None and limit.remaining_seconds(has_value=True) <= 0:
            return replace(usable, error=usable.error or UnavailableError("no time to read it"))
        if not self._lock.acquire(blocking=usable is None):
            return usable or self.current(limit)
        try:
            if self._cached is cached:
                self._cached = self._refresh_value(cached, usable, limit)
            return self._cached or self._refresh_value(None, None, limit)
        finally:
            self._lock.release()

    @property
    def cached_value(self) -> CachedValue[T] | None:
        """The cached value, without a refresh."""
        return self._cached

    def expire(self) -> None:
        """Let the next caller refresh the value."""
        with self._lock:
            if self._cached is not None:
                self._cached = replace(self._cached, refresh_at=self._clock())

    def drop(self) -> None:
        """Discard the value: without a refresh, there is none."""
        with self._lock:
            self._cached = None

    def _refresh_value(
        self, cached: CachedValue[T] | None, usable: CachedValue[T] | None, limit: Deadline
    ) -> CachedValue[T]:
        """Return the refreshed value, or *usable* with the error.

        A value that is too old still saves work: the refresh compares the stored version with it.
        After a failure, the next attempt leaves time for the other values that the review reads.
        """
        seconds = limit.remaining_seconds(has_value=usable is not None)
        if usable is not None and usable.error is not None:
            seconds *= _SHARE_AFTER_FAILURE
        patience = RetryBudget.from_seconds(seconds, limit.clock)
        try:
            value = self._refresh(cached.value if cached else None, patience)
        except StoreError as error:
            if usable is None:
                raise
            due = self._clock() + min(self._seconds, _RETRY_SECONDS)
            return CachedValue(usable.value, usable.confirmed_at, due, error)
        now = self._clock()
        return CachedValue(value, now, now + (self._seconds if self._is_usable(value) else 0))
