"""How much generated input the tests try: less by default, everything with ``make test-long``.

A test that generates its input takes its numbers from ``scaled``, and one that tries each of many
similar inputs takes a ``part`` of them. The goldens, the tables, and the laws are the same in both.
"""

import os
from collections.abc import Sequence
from typing import Final, TypeVar

T = TypeVar("T")

VARIABLE: Final = "LONG_TESTS"
IS_LONG: Final = bool(os.environ.get(VARIABLE))


def scaled(long: int, *, by: int = 5) -> int:
    """Return *long* examples in the long variant, and one *by*-th of them otherwise."""
    return long if IS_LONG else max(1, long // by)


def part(inputs: Sequence[T], *, by: int) -> Sequence[T]:
    """Return all *inputs* in the long variant, and each *by*-th of them otherwise."""
    return inputs if IS_LONG else inputs[::by]
