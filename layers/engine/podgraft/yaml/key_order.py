"""The order of a map's keys in go-yaml: letters last, digits by the number they make."""

from collections.abc import Iterable
from functools import cmp_to_key


def sort_keys(keys: Iterable[str]) -> list[str]:
    """The keys as ``keyList`` of go-yaml v2's sorter.go orders them.

    >>> sort_keys(["b10", "b9", "a-c", "ab"])
    ['a-c', 'ab', 'b9', 'b10']
    """
    in_order = sorted(keys)
    # Among letters alone code points decide, and most maps have no other keys.
    return in_order if "".join(in_order).isalpha() else sorted(in_order, key=cmp_to_key(_compare))


def _compare(left: str, right: str) -> int:
    """Negative where ``left`` goes before ``right``."""
    at = _first_difference(left, right)
    if at is None:
        return len(left) - len(right)
    one, other = left[at], right[at]
    if one.isalpha() or other.isalpha():
        if one.isalpha() and other.isalpha():
            return -1 if one < other else 1
        return 1 if one.isalpha() else -1
    seed = _is_inside_number(left, at) if "0" in (one, other) else 0
    (number, end), (other_number, other_end) = (
        _parse_number(left, at, seed),
        _parse_number(right, at, seed),
    )
    return number - other_number or end - other_end or (-1 if one < other else 1)


def _first_difference(left: str, right: str) -> int | None:
    pairs = zip(left, right, strict=False)
    return next((at for at, (one, other) in enumerate(pairs) if one != other), None)


def _is_inside_number(text: str, at: int) -> int:
    """1 where a digit other than zero stands among the digits just before ``at``, else 0.

    It makes the numbers count as continued, so that a zero there is no leading zero.
    """
    start = at
    while start and text[start - 1].isdecimal():
        start -= 1
    return 1 if text[start:at].strip("0") else 0


def _parse_number(text: str, at: int, seed: int) -> tuple[int, int]:
    """The number that the digits from ``at`` make, and where they end."""
    end = at
    while end < len(text) and text[end].isdecimal():
        end += 1
    number = seed
    for digit in text[at:end]:
        number = number * 10 + ord(digit) - ord("0")
    return _wrap_int64(number), end


def _wrap_int64(number: int) -> int:
    """The number as 64 bits hold it: Go lets it overflow."""
    return (number + 2**63) % 2**64 - 2**63
