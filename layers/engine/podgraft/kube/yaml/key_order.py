"""The order of map keys in go-yaml: letters last, digits by their number."""

import re
from collections.abc import Iterable
from functools import cmp_to_key
from posixpath import commonprefix

from podgraft.golang.time import wrap_int64

_BITS = 64
_DIGITS = re.compile(r"\d+")


def sort_keys(keys: Iterable[str]) -> list[str]:
    """Sort the keys as ``keyList`` of go-yaml v2's sorter.go.

    >>> sort_keys(["b10", "b9", "a-c", "ab"])
    ['a-c', 'ab', 'b9', 'b10']
    """
    in_order = sorted(keys)
    # For letters only, the order is by code points. Most maps have only such keys.
    return in_order if "".join(in_order).isalpha() else sorted(in_order, key=cmp_to_key(_compare))


def _compare(left: str, right: str) -> int:
    """A negative number if ``left`` is before ``right``."""
    index = len(commonprefix((left, right)))
    if index in (len(left), len(right)):
        return len(left) - len(right)
    left_char, right_char = left[index], right[index]
    if left_char.isalpha() or right_char.isalpha():
        if left_char.isalpha() and right_char.isalpha():
            return -1 if left_char < right_char else 1
        return 1 if left_char.isalpha() else -1
    seed = _is_inside_number(left, index) if "0" in (left_char, right_char) else 0
    number, end = _parse_number(left, index, seed)
    other_number, other_end = _parse_number(right, index, seed)
    return number - other_number or end - other_end or (-1 if left_char < right_char else 1)


def _is_inside_number(text: str, index: int) -> int:
    """1 if the digits directly before ``index`` contain a digit other than zero, else 0.

    A zero is then not a leading zero.
    """
    start = index
    while start and text[start - 1].isdecimal():
        start -= 1
    return 1 if text[start:index].strip("0") else 0


def _parse_number(text: str, index: int, seed: int) -> tuple[int, int]:
    """The number of the digits from ``index``, and the end of the digits.

    Go's number wraps around at 64 bits. 10**64 is a multiple of 2**64, so the last digits decide.
    """
    match = _DIGITS.match(text, index)
    digits, end = ("", index) if match is None else (match[0], match.end())
    values = digits[-_BITS:]
    if len(values) == len(digits):
        values = f"{seed}{values}"
    if values.isascii():
        return wrap_int64(int(values)), end
    number = 0
    for digit in values:
        number = number * 10 + ord(digit) - ord("0")
    return wrap_int64(number), end
