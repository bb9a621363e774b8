"""Something loaded from files: loaded anew when they change, the last good one kept meanwhile."""

from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import Generic, Protocol, TypeVar, cast

from msgspec import Struct

from podgraft.store.errors import StoreError, UnavailableError

T = TypeVar("T")

# A look takes 5 µs for each file: with many, looking takes a twentieth of the time, at most.
FREE_FILES = 100
SECONDS_PER_FILE = 0.0001

# Files that are written while they are read are read again, this often.
_MAX_READS = 3


class LoadedValue(Struct, Generic[T], frozen=True):
    """The value in force, and what came of loading a newer one, if that failed."""

    value: T
    error: StoreError | None = None


class _FileVersion(Struct, Generic[T], frozen=True):
    fingerprint: object
    value: T | None
    error: StoreError | None


class Keeper(Protocol[T]):
    """Keeps the last good value for all processes that load the same files."""

    def keep(self, value: T, /) -> None:
        """Keep a value that was loaded."""
        ...

    def restore(self) -> T | None:
        """The value that any process kept last, if there is one."""
        ...


class FileCache(Generic[T]):
    """A value and the fingerprint of the files it came from.

    *fingerprint* is never ``None``. It is taken at every look, except within *seconds* of a look
    that found nothing new; that rest is longer if a fingerprint is a tuple of very many marks. What
    does not load is not tried again until the files change; what cannot be reached is, and so is a
    value that is not *settled*. *fingerprint* and *load* raise ``StoreError`` only. *keeper*
    receives each value of files that did not change meanwhile, and is asked for one if the files do
    not load. Threads may share it.
    """

    def __init__(
        self,
        fingerprint: Callable[[], object],
        load: Callable[[], T],
        seconds: float = 0.0,
        clock: Callable[[], float] = monotonic,
        *,
        settled: Callable[[T], bool] = lambda _: True,
        keeper: Keeper[T] | None = None,
    ) -> None:
        self._fingerprint = fingerprint
        self._load = load
        self._is_settled = settled
        self._keeper = keeper
        self._seconds = seconds
        self._clock = clock
        self._rests_until = 0.0
        self._loaded: _FileVersion[T] | None = None
        self._lock = Lock()

    @property
    def is_empty(self) -> bool:
        """Whether nothing was ever good."""
        return self._loaded is None or self._loaded.value is None

    def current(self) -> LoadedValue[T]:
        """The value of the files as they are; raises ``StoreError`` where none was ever good."""
        loaded = self._check_files()
        if loaded.value is not None:
            return LoadedValue(loaded.value, loaded.error)
        # The same error is raised again and again: without its old traceback, which would grow.
        raise (loaded.error or AssertionError("neither")).with_traceback(None)

    def _check_files(self) -> _FileVersion[T]:
        loaded, now = self._loaded, self._clock()
        if loaded and loaded.value is not None and now < self._rests_until:
            return loaded
        try:
            fingerprint = self._fingerprint()
        except UnavailableError as error:
            # Not kept: the next look compares with the fingerprint of the last load again.
            return _FileVersion(None, self._last_good(loaded), error)
        if loaded is None or loaded.fingerprint != fingerprint:
            with self._lock:
                loaded = self._loaded
                if loaded is None or loaded.fingerprint != fingerprint:
                    loaded = self._loaded = self._reload(loaded)
        self._rests_until = now + self._rest(fingerprint)
        return loaded

    def _rest(self, fingerprint: object) -> float:
        """Seconds until the next look, which takes time for each file."""
        marks = cast("tuple[object, ...]", fingerprint) if isinstance(fingerprint, tuple) else ()
        return max(self._seconds, (len(marks) - FREE_FILES) * SECONDS_PER_FILE)

    def _reload(self, before: _FileVersion[T] | None) -> _FileVersion[T]:
        fingerprint: object = None
        try:
            fingerprint = self._fingerprint()
            return self._load_stable(fingerprint)
        except UnavailableError as error:
            return _FileVersion(None, self._last_good(before), error)
        except StoreError as error:
            return _FileVersion(fingerprint, self._last_good(before), error)

    def _last_good(self, before: _FileVersion[T] | None) -> T | None:
        """The value in force while the files do not load: the restored one, if there is one."""
        restored = self._keeper.restore() if self._keeper is not None else None
        if restored is not None:
            return restored
        return before.value if before else None

    def _load_stable(self, fingerprint: object) -> _FileVersion[T]:
        """A value of files that did not change while they were read."""
        for _ in range(_MAX_READS):
            value, was, fingerprint = self._load(), fingerprint, self._fingerprint()
            if was == fingerprint:
                if self._keeper is not None:
                    self._keeper.keep(value)
                return _FileVersion(fingerprint if self._is_settled(value) else None, value, None)
        raise UnavailableError("the files change faster than they can be read")
