"""strconv.ParseFloat with 64 bits: floating point numbers from text."""

import re
from math import isinf

from .atoi import fail_range, fail_syntax, has_valid_underscores

_SPECIAL = re.compile(r"[+-]?inf(?:inity)?|nan", re.ASCII | re.IGNORECASE)
_DECIMAL = re.compile(
    r"[+-]?(?=[_.]*[0-9])[0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9][0-9_]*)?", re.ASCII
)
_HEXADECIMAL = re.compile(
    r"[+-]?0[xX](?=[_.]*[0-9a-fA-F])[0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?[pP][+-]?[0-9][0-9_]*",
    re.ASCII,
)


def parse_float(text: str) -> float:
    """strconv.ParseFloat; raises ``NumError``, also for a number that overflows.

    >>> parse_float("1e3"), parse_float("0x1p-2"), parse_float("1_000.5"), parse_float("-Inf")
    (1000.0, 0.25, 1000.5, -inf)
    """
    if _SPECIAL.fullmatch(text):
        return float(text)
    bare = text.replace("_", "")
    if bare != text and not has_valid_underscores(text):
        fail_syntax("ParseFloat", text)
    if _DECIMAL.fullmatch(text):
        number = float(bare)
        return fail_range("ParseFloat", text) if isinf(number) else number
    if not _HEXADECIMAL.fullmatch(text):
        fail_syntax("ParseFloat", text)
    try:
        return float.fromhex(bare)
    except OverflowError:
        fail_range("ParseFloat", text)
