"""Empty values and defaults."""

from podgraft.golang.reflect import Value


def empty(value: Value) -> bool:
    """Whether a value is nil, false, zero, or without elements; a struct is never empty.

    This is the truth value of Go values in Python (``golang/reflect/values.py``).

    >>> [empty(value) for value in (None, "", 0, 0.0, False, [], {}, "0", [None])]
    [True, True, True, True, True, True, True, False, False]
    """
    return not value


def default(fallback: Value, *values: Value) -> Value:
    """The first value, or ``fallback`` if it is missing or empty."""
    return fallback if not values or empty(values[0]) else values[0]


def coalesce(*values: Value) -> Value:
    """The first value that is not empty, or nil."""
    return next((value for value in values if not empty(value)), None)


def all_(*values: Value) -> bool:
    """Whether no value is empty."""
    return not any(map(empty, values))


def any_(*values: Value) -> bool:
    """Whether some value is not empty."""
    return not all(map(empty, values))
