"""Values by key, the latest ones alone: a memory that cannot grow beyond its bound."""

from collections import OrderedDict
from contextlib import suppress
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class LRUCache(Generic[K, V]):
    """The values that were put in or asked for last, at most ``limit`` of them.

    Several threads may share one: at worst a value is forgotten early.

    >>> recent: LRUCache[str, int] = LRUCache(limit=2)
    >>> recent["a"], recent["b"] = 1, 2
    >>> recent.get("a")
    1
    >>> recent["c"] = 3
    >>> recent.get("b"), recent.get("a")
    (None, 1)
    """

    __slots__ = ("_limit", "_values")

    def __init__(self, *, limit: int) -> None:
        self._limit = limit
        self._values: OrderedDict[K, V] = OrderedDict()  # the latest last

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: K) -> V | None:
        """The value under ``key``, which is the latest from now on."""
        value = self._values.get(key)
        if value is not None:
            with suppress(KeyError):  # another thread may have forgotten it just now
                self._values.move_to_end(key)
        return value

    def __setitem__(self, key: K, value: V) -> None:
        self._values[key] = value
        if len(self._values) > self._limit:
            self._values.popitem(last=False)
