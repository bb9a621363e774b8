"""Text of the Common Expression Language: literals, and label selectors as expressions."""

from collections.abc import Iterable

_ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r"})


def text(value: str) -> str:
    """A string literal."""
    return f"'{value.translate(_ESCAPES)}'"


def texts(values: Iterable[str]) -> str:
    """A list of string literals."""
    return f"[{', '.join(map(text, values))}]"
