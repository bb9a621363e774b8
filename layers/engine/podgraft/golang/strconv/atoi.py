"""strconv.ParseInt and ParseUint: integers from text."""

from collections.abc import Callable
from typing import NoReturn, TypeVar

from .quote import quote

T = TypeVar("T")

_BASES = {"b": 2, "o": 8, "x": 16}
_DIGITS = {char: value for value, char in enumerate("0123456789abcdefghijklmnopqrstuvwxyz")}
_LIMIT = 1 << 64
# A text this short has no prefix, but the octal 0.
_PREFIX_SIZE = len("0x")


class NumError(ValueError):
    """The text is not a number, or the number is too large; the message is Go's."""


class RangeNumError(NumError):
    """The number is too large (strconv.ErrRange)."""


def parse_int(text: str, base: int = 10, bits: int = 64, function: str = "ParseInt") -> int:
    """strconv.ParseInt; base 0 reads the base from the prefix, and allows underscores.

    ``function`` is the name in errors: ``Atoi`` is the function with the default base and bits.

    >>> parse_int("-42"), parse_int("0x1f", 0), parse_int("1_000", 0)
    (-42, 31, 1000)
    """
    bare = text[1:] if text[:1] in ("+", "-") else text
    number = _parse_digits(function, text, bare, base)
    number = -number if text.startswith("-") else number
    if not -(1 << bits - 1) <= number < 1 << bits - 1:
        fail_range(function, text)
    return number


def atoi(text: str) -> int:
    """strconv.Atoi without its error: 0 for an invalid number, the nearest int on overflow.

    Digits that overflow a uint64 are an overflow, independent of the following text.
    """
    try:
        return parse_int(text)
    except RangeNumError:
        return -(1 << 63) if text.startswith("-") else (1 << 63) - 1
    except NumError:
        return 0


def parse_uint(text: str, base: int = 10, bits: int = 64) -> int:
    """strconv.ParseUint; without a sign, else as ``parse_int``."""
    number = _parse_digits("ParseUint", text, text, base)
    return number if number < 1 << bits else fail_range("ParseUint", text)


def _parse_digits(function: str, text: str, bare: str, base: int) -> int:
    allows_underscores = base == 0
    digits, base = _split_prefix(bare) if base == 0 else (bare, base)
    if not bare:
        fail_syntax(function, text)
    number = 0
    for char in digits.lstrip("0"):  # a text of an object can have a million
        if char == "_" and allows_underscores:
            continue
        digit = _DIGITS.get(char.lower() if char.isascii() else char, base)
        if digit >= base:
            fail_syntax(function, text)
        number = number * base + digit
        if number >= _LIMIT:
            fail_range(function, text)
    if "_" in digits and allows_underscores and not has_valid_underscores(bare):
        fail_syntax(function, text)
    return number


def _split_prefix(text: str) -> tuple[str, int]:
    """The digits after the prefix, and its base."""
    if not text.startswith("0"):
        return text, 10
    base = _BASES.get(text[1].lower()) if len(text) > _PREFIX_SIZE else None
    return (text[2:], base) if base else (text[1:], 8)


def has_valid_underscores(text: str) -> bool:
    """underscoreOK: each underscore between digits, or between a prefix and a digit."""
    bare = (text[1:] if text[:1] in ("+", "-") else text).lower()
    digits = "0123456789"
    if bare[:1] == "0" and bare[1:2] in _BASES:
        digits += "abcdef" if bare[1] == "x" else ""
        bare = "0" + bare[2:]  # a prefix counts as a digit
    return all(
        index > 0 and bare[index - 1] in digits and bare[index + 1 : index + 2] in tuple(digits)
        for index, char in enumerate(bare)
        if char == "_"
    )


def fail_syntax(function: str, text: str) -> NoReturn:
    """Raise the error for a text that is not a number."""
    raise NumError(f"strconv.{function}: parsing {quote(text)}: invalid syntax")


def fail_range(function: str, text: str) -> NoReturn:
    """Raise the error for a number that is too large."""
    raise RangeNumError(f"strconv.{function}: parsing {quote(text)}: value out of range")


_TRUE = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE = frozenset({"0", "f", "F", "FALSE", "false", "False"})


def parse_bool(text: str) -> bool:
    """strconv.ParseBool; raises ``NumError``."""
    if text in _TRUE:
        return True
    return False if text in _FALSE else fail_syntax("ParseBool", text)


def parse_or_none(parse: Callable[..., T], text: str, *base: int) -> T | None:
    """The result of a parser, or ``None`` if it raises ``NumError``."""
    try:
        return parse(text, *base)
    except NumError:
        return None
