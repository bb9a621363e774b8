"""A cache of a value from files: reloaded on changes, with the last known good value."""

from collections.abc import Callable
from typing import Generic, TypeVar, cast

from msgspec import Struct

from podgraft.base import system
from podgraft.core.versions.errors import StoreError, UnavailableError

T = TypeVar("T")

# A check takes 5 µs per file. With many files, checks take at most a twentieth of the time.
FREE_FILES = 100
SECONDS_PER_FILE = 0.0001

# The number of attempts to read files that change during the reading.
_MAX_READS = 3


class LoadedValue(Struct, Generic[T], frozen=True):
    """The value in force, and the error if a newer value did not load."""

    value: T
    error: StoreError | None = None


class _FileVersion(Struct, Generic[T], frozen=True):
    fingerprint: object
    value: T | None
    error: StoreError | None


class FileCache(Generic[T]):
    """A value and the fingerprint of its files. Threads can share it.

    - *fingerprint* never returns ``None``. Each call of ``current`` compares it, except for
      *seconds* after a comparison without a change. That pause is longer for very many files.
    - If the files do not load, the cache tries again when they change. If they are unreachable, or
      the value is not *settled*, it tries again at every call.
    - *fingerprint* and *load* raise only ``StoreError``.
    - *keep* receives each value of files that did not change during the reading. *restore* returns
      the last one that any process kept, for files that do not load.
    """

    def __init__(
        self,
        fingerprint: Callable[[], object],
        load: Callable[[], T],
        seconds: float = 0.0,
        *,
        settled: Callable[[T], bool] = lambda _: True,
        keep: Callable[[T], None] = lambda _: None,
        restore: Callable[[], T | None] = lambda: None,
    ) -> None:
        self._fingerprint = fingerprint
        self._load = load
        self._is_settled = settled
        self._keep = keep
        self._restore = restore
        self._seconds = seconds
        self._check_at = 0.0
        self._loaded: _FileVersion[T] | None = None
        self._lock = system.make_lock()

    @property
    def is_empty(self) -> bool:
        """Whether no value ever loaded."""
        return self._loaded is None or self._loaded.value is None

    def current(self) -> LoadedValue[T]:
        """Return the value of the files; raises ``StoreError`` if no value ever loaded."""
        loaded = self._check_files()
        if loaded.value is not None:
            return LoadedValue(loaded.value, loaded.error)
        # The same error is raised repeatedly. Without this, its traceback would grow.
        raise (loaded.error or AssertionError("neither")).with_traceback(None)

    def _check_files(self) -> _FileVersion[T]:
        loaded, now = self._loaded, system.age_clock()
        if loaded and loaded.value is not None and now < self._check_at:
            return loaded
        try:
            fingerprint = self._fingerprint()
        except UnavailableError as error:
            # Not stored: the next check compares with the fingerprint of the last load.
            return _FileVersion(None, self._load_last_known_good(loaded), error)
        if loaded is None or loaded.fingerprint != fingerprint:
            with self._lock:
                loaded = self._loaded
                if loaded is None or loaded.fingerprint != fingerprint:
                    loaded = self._loaded = self._reload(loaded)
        self._check_at = now + self._pause_seconds(fingerprint)
        return loaded

    def _pause_seconds(self, fingerprint: object) -> float:
        """Return the seconds until the next check; they grow with the number of files."""
        stats = cast("tuple[object, ...]", fingerprint) if isinstance(fingerprint, tuple) else ()
        return max(self._seconds, (len(stats) - FREE_FILES) * SECONDS_PER_FILE)

    def _reload(self, before: _FileVersion[T] | None) -> _FileVersion[T]:
        fingerprint: object = None
        try:
            fingerprint = self._fingerprint()
            return self._load_stable(fingerprint)
        except UnavailableError as error:
            return _FileVersion(None, self._load_last_known_good(before), error)
        except StoreError as error:
            return _FileVersion(fingerprint, self._load_last_known_good(before), error)

    def _load_last_known_good(self, before: _FileVersion[T] | None) -> T | None:
        """Return the value for files that do not load: the restored one, else the last one."""
        restored = self._restore()
        if restored is not None:
            return restored
        return before.value if before else None

    def _load_stable(self, fingerprint: object) -> _FileVersion[T]:
        """Load a value from files that did not change during the reading."""
        for _ in range(_MAX_READS):
            value, was, fingerprint = self._load(), fingerprint, self._fingerprint()
            if was == fingerprint:
                self._keep(value)
                return _FileVersion(fingerprint if self._is_settled(value) else None, value, None)
        raise UnavailableError("the files change faster than they can be read")
