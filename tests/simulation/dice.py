"""Decisions of a run: each is a function of the seed and of its path, such as ``env/2/call/7``.

No decision depends on the number or the order of others. So a run without one cluster makes the
same decisions for all other clusters, which the shrinker needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """The decisions of one seed."""

    def __init__(self, seed: int) -> None:
        self._key = f"{seed}/".encode()

    def bytes(self, path: str, count: int) -> bytes:
        """Return *count* bytes, at most 64."""
        return blake2b(self._key + path.encode(), digest_size=count).digest()

    def unit(self, path: str) -> float:
        """Return a number from 0 to 1, without 1."""
        return int.from_bytes(self.bytes(path, 6), "big") / 2**48

    def chance(self, path: str, probability: float) -> bool:
        """Whether something happens that has *probability*."""
        return self.unit(path) < probability

    def between(self, path: str, low: float, high: float) -> float:
        """Return a number between both limits."""
        return low + (high - low) * self.unit(path)

    def scale(self, path: str, low: float, high: float) -> float:
        """Return a number between both limits; each order of magnitude is as probable."""
        return low * (high / low) ** self.unit(path)

    def whole(self, path: str, low: int, high: int) -> int:
        """Return a whole number, from *low* to *high*."""
        return low + int(self.unit(path) * (high - low + 1))

    def pick(self, path: str, options: Sequence[T]) -> T:
        """Return one of *options*."""
        return options[int(self.unit(path) * len(options))]
