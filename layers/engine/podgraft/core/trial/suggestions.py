"""Suggestions for misspelled names."""

from collections.abc import Iterable
from difflib import get_close_matches


def suggest_name(name: str, names: Iterable[str]) -> str:
    """Return the most similar of the names, or an empty string.

    >>> suggest_name("polcy", ["policy", "templates"]), suggest_name("x", ["policy"])
    ('policy', '')
    """
    by_lower = {candidate.lower(): candidate for candidate in names}
    match = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[match[0]] if match else ""
