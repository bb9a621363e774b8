"""Numbers and lists in messages."""

from collections.abc import Sequence


def format_count(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> format_count(1, "pod"), format_count(2, "pod")
    ('1 pod', '2 pods')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def list_examples(names: Sequence[str], most: int) -> str:
    """Return the first names, and how many are left out.

    >>> list_examples(["a", "b", "c"], 1)
    'a, … (2 more)'
    """
    more = f", … ({len(names) - most} more)" if len(names) > most else ""
    return ", ".join(names[:most]) + more
