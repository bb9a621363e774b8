"""Number formats of encoding/json and sigs.k8s.io/yaml."""

import math

from podgraft.golang.reflect import round_to_float32

# Numbers outside this range have an exponent.
_JSON_SMALLEST, _JSON_LARGEST = 1e-6, 1e21
_TEXT_EXPONENTS = range(-4, 6)


def format_json_number(value: float) -> str:
    """Format as encoding/json: with an exponent only below 1e-6 and from 1e21.

    >>> format_json_number(1e-05), format_json_number(1e20)
    ('0.00001', '100000000000000000000')
    >>> format_json_number(1e-07), format_json_number(1e21)
    ('1e-7', '1e+21')
    """
    if isinstance(value, int):
        return str(value)
    if value and not _JSON_SMALLEST <= abs(value) < _JSON_LARGEST:
        return repr(value).replace("e-0", "e-")
    return _expand_exponent(repr(value))


def format_yaml_number(value: bool | float) -> str:
    """Format a number for a string field: strconv's shortest %g with 32 bits.

    >>> format_yaml_number(True), format_yaml_number(80), format_yaml_number(0.1)
    ('true', '80', '0.1')
    >>> format_yaml_number(1e6), format_yaml_number(1.123456789)
    ('1e+06', '1.1234568')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    rounded = round_to_float32(value)
    return f"{rounded:+}".title() if math.isinf(rounded) else _shortest_float32(rounded)


def _expand_exponent(spelled: str) -> str:
    """Format ``repr`` of a float without an exponent and without ``.0``."""
    mantissa, _, exponent = spelled.removesuffix(".0").partition("e")
    integer, _, fraction = mantissa.partition(".")
    shift = int(exponent or 0)
    if shift < 0:
        sign = "-" if integer.startswith("-") else ""
        return f"{sign}0.{'0' * (-shift - 1)}{integer.removeprefix('-')}{fraction}"
    fraction = fraction.ljust(shift, "0")
    return f"{integer}{fraction[:shift]}.{fraction[shift:]}".rstrip(".")


def _shortest_float32(value: float) -> str:
    """The fewest digits that identify a 32-bit float (at most nine)."""
    spellings = (f"{value:.{decimals}e}" for decimals in range(9))
    spelled = next(s for s in spellings if round_to_float32(float(s)) == value)
    mantissa, _, exponent = spelled.partition("e")
    if int(exponent) not in _TEXT_EXPONENTS:
        return spelled
    decimals = len(mantissa.partition(".")[2])
    return f"{value:.{max(0, decimals - int(exponent))}f}"
