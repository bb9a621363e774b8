"""What counts as empty, and what to take instead."""

from podgraft.go.reflect import Value


def empty(value: Value) -> bool:
    """Whether a value is nil, false, zero, or without elements; a struct never is.

    That is the truth that Go values have in Python (``govalue.values``).

    >>> [empty(value) for value in (None, "", 0, 0.0, False, [], {}, "0", [None])]
    [True, True, True, True, True, True, True, False, False]
    """
    return not value


def default(fallback: Value, *given: Value) -> Value:
    """The first given value, or ``fallback`` where there is none or it is empty."""
    return fallback if not given or empty(given[0]) else given[0]


def coalesce(*values: Value) -> Value:
    """The first value that is not empty, else nil."""
    return next((value for value in values if not empty(value)), None)


def all_(*values: Value) -> bool:
    """Whether no value is empty."""
    return not any(map(empty, values))


def any_(*values: Value) -> bool:
    """Whether some value is not empty."""
    return not all(map(empty, values))
