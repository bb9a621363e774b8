"""Random choices that the bytes of an input determine.

A fuzzer changes bytes, and the generators of the tests take a ``Random``. This class connects the
two. Each choice reads its own bytes, so a small change of the input is a small change of the
choices. After the last byte, choices come from a fixed sequence: each input is long enough.
"""

from __future__ import annotations

from random import Random
from typing import Any

_FRACTION_BYTES = 2  # of a number between 0 and 1


class ByteRandom(Random):
    """A source of choices; equal bytes make equal choices."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._offset = 0
        self._rest = Random(len(data))  # noqa: S311 - reproducible on purpose
        super().__init__(0)

    def random(self) -> float:
        """A number from 0 to less than 1."""
        return self._read(_FRACTION_BYTES) / (1 << 8 * _FRACTION_BYTES)

    def getrandbits(self, k: int) -> int:
        """A number of *k* bits."""
        count = (k + 7) // 8
        return self._read(count) >> (8 * count - k) if count else 0

    def _randbelow(self, n: int) -> int:  # the hook of randrange, choice, sample, and shuffle
        if n <= 1:
            return 0
        return self._read(((n - 1).bit_length() + 7) // 8) % n

    def seed(self, *_: Any, **__: Any) -> None:
        """Nothing: the bytes are the seed."""

    def take_text(self, limit: int) -> str:
        """Text that the input contains as it is, up to *limit* bytes."""
        size = min(limit, self._read(1) if limit < 256 else self._read(2))
        taken = self._data[self._offset : self._offset + size]
        self._offset += len(taken)
        return taken.decode("utf-8", "replace")

    def _read(self, count: int) -> int:
        taken = self._data[self._offset : self._offset + count]
        self._offset += count
        if len(taken) < count:
            taken += self._rest.randbytes(count - len(taken))
        return int.from_bytes(taken, "big")
