"""strconv.FormatFloat: floating point numbers as text."""

import struct
from math import copysign, frexp, inf, isnan

from podgraft.golang.reflect import round_to_float32

SHORTEST = -1  # the fewest digits that parse to the same number
_DOUBLE = 64
_SINGLE_DIGITS = 9  # always sufficient for a float32
_PLAIN = range(-4, 6)  # the exponents that %g does not write, with the fewest digits
_FRACTION_BITS = 60  # after the leading digit, while %x is rounded


def format_float(value: float, verb: str, precision: int = SHORTEST, bits: int = 64) -> str:
    """Format the number as %b, %e, %f, %g, or %x (or in upper case), without flags.

    >>> format_float(1500000.0, "g"), format_float(0.1, "e", 3), format_float(0.1, "g", bits=32)
    ('1.5e+06', '1.000e-01', '0.1')
    """
    if isnan(value):
        return "NaN"
    if abs(value) == inf:
        return "+Inf" if value > 0 else "-Inf"
    sign = "-" if copysign(1, value) < 0 else ""
    value = abs(value)
    match verb:
        case "b":
            return sign + _format_b(value, bits)
        case "x" | "X":
            text = _format_x(value, precision)
            return sign + (text.upper() if verb == "X" else text)
        case _ if precision >= 0:
            return sign + format(value, f".{precision}{verb}")
        case _:
            text = _format_shortest(value, verb.lower(), bits)
            return sign + (text.upper() if verb in "EG" else text)


def _format_shortest(value: float, verb: str, bits: int) -> str:
    """Format a number in decimal, with or without exponent (formatDigits)."""
    digits, point = _shortest_digits(value, bits)
    if verb == "e" or (verb == "g" and point - 1 not in _PLAIN):
        fraction = f".{digits[1:]}" if digits[1:] else ""
        return f"{digits[:1] or '0'}{fraction}e{point - 1 if digits else 0:+03d}"
    integer, fraction = digits[: max(point, 0)], "0" * -point + digits[max(point, 0) :]
    return (integer.ljust(point, "0") or "0") + (f".{fraction}" if fraction else "")


def _shortest_digits(value: float, bits: int) -> tuple[str, int]:
    text = repr(value) if bits == _DOUBLE else _shortest_float32(value)
    mantissa, _, exponent = text.partition("e")
    integer, _, fraction = mantissa.partition(".")
    return _trim_zeros(integer + fraction, len(integer) + int(exponent or 0))


def _trim_zeros(digits: str, point: int) -> tuple[str, int]:
    """Remove the zeros at both ends; zero has no digits, and its point is at 0."""
    bare = digits.lstrip("0")
    return bare.rstrip("0"), point - (len(digits) - len(bare)) if bare else 0


def _shortest_float32(value: float) -> str:
    """The fewest digits that parse to the same float32.

    At a power of two, the gap below is half the gap above. The decimal above can then parse to the
    same number if the nearest decimal does not. If both are equally near, Go uses the one above.
    """
    for count in range(1, _SINGLE_DIGITS):
        nearest = format(value, f".{count - 1}e")
        digits, exponent = nearest.replace(".", "").split("e")
        above = f"{int(digits) + 1}e{int(exponent) - count + 1}"
        fits = round_to_float32(float(nearest)) == value
        if fits and not _is_halfway(value, count):
            return nearest
        if fits or round_to_float32(float(above)) == value:
            return above
    return format(value, f".{_SINGLE_DIGITS - 1}e")


def _is_halfway(value: float, count: int) -> bool:
    """Whether a power of two lies halfway between two numbers of ``count`` digits."""
    following = format(value, f".{count + _SINGLE_DIGITS}e").replace(".", "")[count:]
    return frexp(value)[0] == 0.5 and following.startswith(f"5{'0' * _SINGLE_DIGITS}")  # noqa: PLR2004


def _mantissa_and_exponent(value: float, bits: int) -> tuple[int, int]:
    """The mantissa and the binary exponent of the stored float."""
    packed, stored, bias = (">d", 52, 1075) if bits == _DOUBLE else (">f", 23, 150)
    raw = int.from_bytes(struct.pack(packed, value), "big")
    mantissa, exponent = raw & ((1 << stored) - 1), raw >> stored
    return (mantissa | 1 << stored, exponent - bias) if exponent else (mantissa, 1 - bias)


def _format_b(value: float, bits: int) -> str:
    """%b: ddddp±ddd."""
    mantissa, exponent = _mantissa_and_exponent(value, bits)
    return f"{mantissa}p{exponent:+d}"


def _format_x(value: float, precision: int) -> str:
    """%x: 0x1.yyyyp±dd; the leading digit is above the bits of the fraction during rounding."""
    mantissa, exponent = _mantissa_and_exponent(value, 64)
    if mantissa == 0:
        fraction = "0" * max(precision, 0)
        return f"0x0{'.' if fraction else ''}{fraction}p+00"
    exponent += mantissa.bit_length() - 1
    mantissa <<= _FRACTION_BITS + 1 - mantissa.bit_length()
    unit = _FRACTION_BITS - 4 * precision
    if 0 < unit <= _FRACTION_BITS:
        rounded, rest = mantissa >> unit, mantissa & ((1 << unit) - 1)
        rounded += rest | (rounded & 1) > 1 << (unit - 1)
        mantissa = rounded << unit
        if mantissa >> (_FRACTION_BITS + 1):
            mantissa, exponent = mantissa >> 1, exponent + 1
    digits = f"{mantissa & ((1 << _FRACTION_BITS) - 1):015x}"
    fraction = digits.rstrip("0") if precision < 0 else digits.ljust(precision, "0")[:precision]
    leading = f"0x{mantissa >> _FRACTION_BITS}{'.' if fraction else ''}"
    return f"{leading}{fraction}p{exponent:+03d}"
