"""strconv.FormatFloat: floating point numbers as text."""

from math import copysign, frexp, inf, isnan, ldexp

from podgraft.golang.reflect import round_to_float32

SHORTEST = -1  # the fewest digits that parse to the same number
_DOUBLE = 64
_SINGLE_DIGITS = 9  # always sufficient for a float32
_PLAIN = range(-4, 6)  # the exponents that %g does not write, with the fewest digits
_HEX_DIGITS = 13  # of the fraction of a float64


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
    """The digits without zeros at both ends, and their point; zero has no digits."""
    text = repr(value) if bits == _DOUBLE else _shortest_float32(value)
    mantissa, _, exponent = text.partition("e")
    integer, _, fraction = mantissa.partition(".")
    digits = (integer + fraction).lstrip("0")
    point = int(exponent or 0) - len(fraction) + len(digits) if digits else 0
    return digits.rstrip("0"), point


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


def _format_b(value: float, bits: int) -> str:
    """%b: ddddp±ddd, the mantissa and the binary exponent of the stored float."""
    size, least = (53, -1074) if bits == _DOUBLE else (24, -149)
    exponent = max(frexp(value)[1] - size, least) if value else least
    return f"{int(ldexp(value, -exponent))}p{exponent:+d}"


def _format_x(value: float, precision: int) -> str:
    """%x: 0x1.yyyyp±dd; halves are rounded to even."""
    count = precision if 0 <= precision < _HEX_DIGITS else _HEX_DIGITS
    mantissa, exponent = frexp(value)
    units = round(ldexp(mantissa, 4 * count + 1))
    if units >> 4 * count > 1:  # rounded up to 2
        units, exponent = units >> 1, exponent + 1
    digits = f"{units:0{count + 1}x}"
    fraction = digits[1:].ljust(precision, "0") if precision >= 0 else digits[1:].rstrip("0")
    leading = f"0x{digits[0]}{'.' if fraction else ''}"
    return f"{leading}{fraction}p{exponent - 1 if value else 0:+03d}"
