"""The characters that Go prints without an escape (strconv.IsPrint, Unicode 15.0).

``str.isprintable`` depends on the Unicode release of the Python version, so it cannot be used here.
"""

from bisect import bisect_right
from functools import cache
from itertools import accumulate

from podgraft.base.tables import read_table


def is_print(char: str) -> bool:
    """Whether Go prints ``char`` without an escape.

    >>> is_print("é"), is_print(chr(0x200B))
    (True, False)
    """
    return " " <= char <= "~" or bisect_right(_boundaries(), ord(char)) % 2 == 1


@cache
def _boundaries() -> list[int]:
    """The code points at which the result changes; the result at 0 is false.

    The table has their distances; ``oracle printable`` (tests/oracle) writes it.
    """
    steps = " ".join(read_table(__file__, "isprint.json")).split()
    return list(accumulate(int(step, 16) for step in steps))
