"""Resource quantities: ``100m``, ``1.5Gi``, ``12e6`` (k8s.io/apimachinery 0.37, api/resource).

A quantity is a decimal number with the family of its suffix. There are two differences from Go: the
``value`` of a number that overflows 64 bits. In Go, it overflows or loses its sign; here, it is 0
or exact. A text with more than 4,000 digits is an error.
"""

import re
from enum import StrEnum

from msgspec import Struct

from podgraft.golang import strings
from podgraft.golang.json.plain import format_number
from podgraft.golang.strconv.atoi import parse_int, parse_or_none

from .errors import QuantityError

# Possessive: with digits that several parts can contain, 1,000 zeros and a letter take 4 s.
_PATTERN = (
    r"(?P<sign>[+-]?)0*+(?P<whole>[0-9]*+)(?:\.(?P<fraction>[0-9]*+))?"
    r"(?P<suffix>[eEinumkKMGTP]*[-+]?[0-9]*)"
)
_INVALID_FORMAT = (
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)
_NUMERIC = "unable to parse numeric part of quantity"
_SUFFIX = "unable to parse quantity's suffix"

_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_SUFFIXES = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_BINARY_SUFFIXES = {exponent // 10: suffix for suffix, exponent in _BINARY.items()}

_MAX_DIGITS = 400
_MAX_TEXT_DIGITS = 4_000  # Python's int refuses a text of more than 4,300
_TOO_LARGE = "the result is too large"

_MILLI = -3
_NANO = -9  # the smallest unit; smaller numbers are rounded up to it
_INT64 = range(-(2**63), 2**63)
_KIBI = 1024
_SHORT_DIGITS = 18  # always fit 64 bits


class Format(StrEnum):
    """The family of suffixes; the value of a member is Go's name."""

    UNSET = ""
    EXPONENT = "DecimalExponent"
    BINARY = "BinarySI"
    DECIMAL = "DecimalSI"


class Quantity(Struct, frozen=True):
    """``unscaled`` × 10^``exponent``; ``spelling`` is the text, if Go treats it as canonical.

    (Go's test is fast, but not exact: it also accepts ``+5`` and ``1.250``.)
    """

    unscaled: int = 0
    exponent: int = 0
    format: Format = Format.UNSET
    spelling: str = ""

    def __str__(self) -> str:
        """The canonical text: no fraction, the largest suffix that leaves an integer."""
        if self.spelling:
            return self.spelling
        if not self.unscaled:
            return "0"
        if self.format is Format.BINARY and self._is_binary():
            return _binary_text(self.scale_unbounded(0))
        return _decimal_text(self)

    @property
    def sign(self) -> int:
        """-1, 0, or 1."""
        return (self.unscaled > 0) - (self.unscaled < 0)

    def value(self) -> int:
        """The number rounded away from zero to an integer; 0 if it overflows int64."""
        return self.scaled_value(0)

    def milli_value(self) -> int:
        """``value`` in thousandths."""
        return self.scaled_value(-3)

    def scaled_value(self, exponent: int) -> int:
        """``value`` in units of 10^``exponent``."""
        if self.length - exponent > len(str(_INT64.stop)):
            return 0
        scaled = self.scale_unbounded(exponent)
        return scaled if scaled in _INT64 else 0

    def scale_unbounded(self, exponent: int) -> int:
        """The number in units of 10^``exponent``, rounded away from zero, without a limit."""
        if exponent <= self.exponent:
            return self.unscaled and self.unscaled * 10 ** (self.exponent - exponent)
        return self.sign * _divide_rounding_up(abs(self.unscaled), exponent - self.exponent)

    def compare(self, other: "Quantity") -> int:
        """-1, 0, or 1 if this quantity is less than, equal to, or greater than ``other``."""
        if self.sign != other.sign or not self.sign:
            return (self.sign > other.sign) - (self.sign < other.sign)
        if self.length != other.length:
            return self.sign if self.length > other.length else -self.sign
        unit = min(self.exponent, other.exponent)
        first, second = self.scale_unbounded(unit), other.scale_unbounded(unit)
        return (first > second) - (first < second)

    def add(self, other: "Quantity", sign: int = 1) -> "Quantity":
        """The sum, or the difference if ``sign`` is -1, with the suffixes of this quantity.

        If it is 0, the result has those of ``other``. Raises ``QuantityError`` if the result has
        more than 400 digits.
        """
        if not self.unscaled:
            return Quantity(sign * other.unscaled, other.exponent, other.format or self.format)
        unit = min(self.exponent, other.exponent) if other.unscaled else self.exponent
        if max(self.length, other.length) - unit > _MAX_DIGITS:
            raise QuantityError(_TOO_LARGE)
        total = self.scale_unbounded(unit) + sign * other.scale_unbounded(unit)
        return Quantity(total, unit, self.format)

    def multiply(self, factor: "Quantity") -> "Quantity":
        """The product with the suffixes of this quantity, rounded away from zero.

        It is an integer with binary suffixes, and otherwise a number of thousandths. Raises
        ``QuantityError`` if it has more than 400 digits.
        """
        product = Quantity(
            self.unscaled * factor.unscaled, self.exponent + factor.exponent, self.format
        )
        if product.length > _MAX_DIGITS:
            raise QuantityError(_TOO_LARGE)
        unit = 0 if self.format is Format.BINARY else _MILLI
        if product.exponent >= unit:
            return product
        return Quantity(product.scale_unbounded(unit), unit, self.format)

    def approximate(self) -> float:
        """An approximate float; infinite on overflow."""
        try:
            return float(self.unscaled) * float(f"1e{self.exponent}")
        except OverflowError:
            return self.sign * float("inf")

    def _is_binary(self) -> bool:
        """Whether a binary suffix can represent the number: an integer of at least 1024."""
        is_integer = self.exponent >= 0 or self.unscaled % 10**-self.exponent == 0
        return is_integer and abs(self.scale_unbounded(0)) >= _KIBI

    @property
    def length(self) -> int:
        """The number of digits before the point, computed without the zeros of 1e999999999."""
        return len(str(abs(self.unscaled))) + self.exponent


def parse(text: str) -> Quantity:
    """Parse a quantity; raises ``QuantityError`` with Go's message."""
    match = re.fullmatch(_PATTERN, text) if text else None
    if match is None:
        raise QuantityError(_INVALID_FORMAT)
    if text == "0":
        return Quantity(format=Format.DECIMAL, spelling=text)
    exponent, family = _parse_suffix(match["suffix"])
    integer, fraction = match["whole"] or "0", match["fraction"] or ""
    binary = family is Format.BINARY
    if _fits_int64(integer, fraction, exponent, binary):
        return _short_quantity(text, match["sign"], (integer, fraction), exponent, family)
    if not re.search(r"[0-9]", text.removesuffix(match["suffix"])):
        raise QuantityError(_NUMERIC)
    if len(integer + fraction) > _MAX_TEXT_DIGITS:
        raise QuantityError(f"a quantity has at most {_MAX_TEXT_DIGITS} digits")
    unscaled = int(integer + fraction) << (exponent if binary else 0)
    scale = -len(fraction) if binary else _int32(exponent - len(fraction))
    return _clamp(unscaled, scale, family, negative=match["sign"] == "-")


def is_short(text: str) -> bool:
    """Whether Go holds a valid quantity in 64 bits, and not as a decimal of any length."""
    match = re.fullmatch(_PATTERN, text)
    if match is None or text == "0":
        return match is not None
    exponent, family = _parse_suffix(match["suffix"])
    binary = family is Format.BINARY
    return _fits_int64(match["whole"] or "0", match["fraction"] or "", exponent, binary)


def from_json(raw: str | float) -> Quantity:
    """The quantity of a JSON string or number (Quantity.UnmarshalJSON)."""
    return parse(strings.trim_space(raw) if isinstance(raw, str) else format_number(raw))


def round_to_milli(text: str) -> str:
    """The text of a quantity in thousandths, rounded away from zero, as for all resources."""
    if text[-1] not in "nu" and "e-" not in text:
        return text
    parsed = parse(text)
    unit = max(parsed.exponent, _MILLI)
    return str(Quantity(parsed.scale_unbounded(unit), unit, parsed.format))


def _parse_suffix(suffix: str) -> tuple[int, Format]:
    """Parse a suffix to a power of ten (of two for binary suffixes) and a family."""
    if suffix in _DECIMAL:
        return _DECIMAL[suffix], Format.DECIMAL
    if suffix in _BINARY:
        return _BINARY[suffix], Format.BINARY
    exponent = parse_or_none(parse_int, suffix[1:]) if suffix[:1] in ("e", "E") else None
    if exponent is None:
        raise QuantityError(_SUFFIX)
    return _int32(exponent), Format.EXPONENT


def _fits_int64(integer: str, fraction: str, exponent: int, binary: bool) -> bool:
    """Whether Go stores the number in 64 bits, and the text if it looks canonical."""
    if binary:
        return not fraction and 14 - len(integer) - exponent * 3 // 10 >= 0
    scale = _int32(exponent - len(fraction))
    return len(integer) + len(fraction) <= _SHORT_DIGITS and scale >= _NANO


def _short_quantity(
    text: str, sign: str, digits: tuple[str, str], exponent: int, family: Format
) -> Quantity:
    shifted = "".join(digits)
    number = -int(shifted) if sign == "-" else int(shifted)
    if family is Format.BINARY:
        is_canonical = number % 8 != 0
        return Quantity(number << exponent, 0, family, text if is_canonical else "")
    scale = _int32(exponent - len(digits[1]))
    is_canonical = scale % 3 == 0 and not shifted.endswith("000") and shifted[0] != "0"
    return Quantity(number, scale, family, text if is_canonical else "")


def _clamp(unscaled: int, exponent: int, family: Format, *, negative: bool) -> Quantity:
    """Round to the smallest unit and, for binary suffixes, limit to the largest number."""
    if unscaled and exponent <= _MAX_DIGITS:  # Go also writes 1e999999999 in that unit
        unscaled, exponent = Quantity(unscaled, exponent).scale_unbounded(_NANO), _NANO
    if family is Format.BINARY:
        limit = Quantity(_INT64.stop - 1)
        if Quantity(unscaled, exponent).compare(limit) > 0:
            unscaled, exponent = limit.unscaled, 0
        if unscaled and Quantity(unscaled, exponent).compare(Quantity(1)) < 0:
            family = Format.DECIMAL
    return Quantity(-unscaled if negative else unscaled, exponent, family)


def _divide_rounding_up(number: int, places: int) -> int:
    """Divide ``number`` by 10^``places`` and round up; fast if the result is less than 1."""
    if places > len(str(number)):
        return int(number > 0)
    return -(-number // 10**places)


def _int32(number: int) -> int:
    """Wrap around as Go's int32."""
    return (number + 2**31) % 2**32 - 2**31


def _decimal_text(quantity: Quantity) -> str:
    digits = str(quantity.unscaled).rstrip("0")
    exponent = quantity.exponent + len(str(quantity.unscaled)) - len(digits)
    digits, exponent = digits + "0" * (exponent % 3), exponent - exponent % 3
    if quantity.format is Format.DECIMAL or quantity.format is Format.BINARY:
        return digits + _DECIMAL_SUFFIXES.get(exponent, "")
    return f"{digits}e{exponent}" if exponent else digits


def _binary_text(number: int) -> str:
    exponent = 0
    while number % _KIBI == 0:
        number, exponent = number // _KIBI, exponent + 1
    return f"{number}{_BINARY_SUFFIXES.get(exponent, '')}"
