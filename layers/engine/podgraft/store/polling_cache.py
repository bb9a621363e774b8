"""A value from the network: fresh for a while, then asked for again, kept where that fails."""

from collections.abc import Callable
from dataclasses import replace
from threading import Lock
from typing import Generic, TypeVar

from podgraft.deadline import Deadline
from podgraft.lazy_dataclass import dataclass

from .aws.client import RetryBudget
from .errors import StoreError

T = TypeVar("T")

# After a refresh that failed, nobody is held up by the next one for this long.
_RETRY_SECONDS = 5.0

# The value that is there now, from the one before (``None`` at first); raises ``StoreError``.
Refresh = Callable[[T | None, RetryBudget], T]


@dataclass(frozen=True, slots=True)
class CachedValue(Generic[T]):
    """A value, when it was last confirmed, when to ask again, and why it may be out of date."""

    value: T
    confirmed_at: float
    refresh_at: float
    error: StoreError | None = None


class PollingCache(Generic[T]):
    """Holds one value. Threads may share it: one refreshes, the others go on with what is held."""

    def __init__(self, refresh: Refresh[T], seconds: float, clock: Callable[[], float]) -> None:
        self._refresh = refresh
        self._seconds = seconds
        self._clock = clock
        self._held: CachedValue[T] | None = None
        self._lock = Lock()

    def current(self, deadline: Deadline | None = None) -> CachedValue[T]:
        """What holds now; raises ``StoreError`` where there was never anything to hold.

        Who has no time left for something newer goes on with what is held, due as it is.
        """
        held = self._held
        if held is not None and self._clock() < held.refresh_at:
            return held
        limit = deadline or Deadline.from_timeout(None)
        if held is not None and limit.remaining_seconds(has_value=True) <= 0:
            return held
        if not self._lock.acquire(blocking=held is None):
            return held or self.current(limit)
        try:
            if self._held is held:
                self._held = self._refresh_value(held, limit)
            return self._held or self._refresh_value(None, limit)
        finally:
            self._lock.release()

    def expire(self) -> None:
        """Let the next caller refresh the value."""
        with self._lock:
            if self._held is not None:
                self._held = replace(self._held, refresh_at=self._clock())

    def _refresh_value(self, held: CachedValue[T] | None, limit: Deadline) -> CachedValue[T]:
        patience = RetryBudget.from_seconds(
            limit.remaining_seconds(has_value=held is not None), self._clock
        )
        try:
            value = self._refresh(held.value if held else None, patience)
        except StoreError as error:
            if held is None:
                raise
            due = self._clock() + min(self._seconds, _RETRY_SECONDS)
            return CachedValue(held.value, held.confirmed_at, due, error)
        now = self._clock()
        return CachedValue(value, now, now + self._seconds)
