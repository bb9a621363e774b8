"""strconv.ParseBool: booleans from text."""

from .atoi import fail_syntax

_TRUE = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE = frozenset({"0", "f", "F", "FALSE", "false", "False"})


def parse_bool(text: str) -> bool:
    """strconv.ParseBool; raises ``NumError``."""
    if text in _TRUE:
        return True
    return False if text in _FALSE else fail_syntax("ParseBool", text)
