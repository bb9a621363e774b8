"""Number formats of sigs.k8s.io/yaml."""

from podgraft.golang.reflect import round_to_float32
from podgraft.golang.strconv.ftoa import format_float


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
    return format_float(round_to_float32(value), "g", bits=32)
