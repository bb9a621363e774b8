"""A bounded cache that evicts the least recently used value.

With ``PODGRAFT_CACHES=off``, it returns no value, so everything is computed: with a correct key,
each result is the same.
"""

import os
from collections import OrderedDict
from contextlib import suppress
from typing import Generic, TypeVar

_IS_OFF = os.environ.get("PODGRAFT_CACHES") == "off"
K = TypeVar("K")
V = TypeVar("V")


class LRUCache(Generic[K, V]):
    """A cache of the ``limit`` most recently used values.

    Threads can share a cache. In the worst case, a value is evicted early.

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
        self._values: OrderedDict[K, V] = OrderedDict()  # the most recent value is last

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: K) -> V | None:
        """Return the value under ``key``, and make it the most recently used."""
        if _IS_OFF:
            return None
        value = self._values.get(key)
        if value is not None:
            with suppress(KeyError):  # another thread can evict the key at any time
                self._values.move_to_end(key)
        return value

    def __setitem__(self, key: K, value: V) -> None:
        self._values[key] = value
        if len(self._values) > self._limit:
            self._values.popitem(last=False)
