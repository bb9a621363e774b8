"""Numbers as encoding/json writes them."""

from podgraft.golang.strconv.ftoa import format_float

# Numbers outside this range have an exponent.
_LEAST_PLAIN, _LEAST_EXPONENT = 1e-6, 1e21


def format_number(value: float, bits: int = 64) -> str:
    """Format a finite number as ECMAScript does: with an exponent only below 1e-6 and from 1e21.

    >>> format_number(1e-05), format_number(1e20), format_number(15020.0)
    ('0.00001', '100000000000000000000', '15020')
    >>> format_number(1e-07), format_number(1e21)
    ('1e-7', '1e+21')
    """
    if isinstance(value, int):
        return str(value)
    if not value or _LEAST_PLAIN <= abs(value) < _LEAST_EXPONENT:
        return format_float(value, "f", bits=bits)
    return format_float(value, "e", bits=bits).replace("e-0", "e-")
