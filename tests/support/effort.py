"""How much generated input the tests try: less by default, everything with ``make test-long``.

A test that generates its input takes its numbers from ``scaled``. The recorded corpora, the tables,
and the laws are the same in both; only the number of generated examples differs.
"""

import os
from typing import Final

VARIABLE: Final = "LONG_TESTS"
IS_LONG: Final = bool(os.environ.get(VARIABLE))


def scaled(long: int, *, by: int = 5) -> int:
    """Return *long* examples in the long variant, and one *by*-th of them otherwise."""
    return long if IS_LONG else max(1, long // by)
