"""Names that are alike, to suggest one for a typing error."""

from __future__ import annotations

from collections.abc import Iterable


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return the known name that is most like *name*, or nothing.

    >>> suggestion("polcy", ["policy", "templates"]), suggestion("x", ["policy"])
    ('policy', '')
    """
    from difflib import get_close_matches

    by_lower = {each.lower(): each for each in known}
    match = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[match[0]] if match else ""
