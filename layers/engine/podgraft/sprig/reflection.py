"""A value's Go type and kind as words."""

from podgraft.go.reflect import Value, type_of


def type_name(value: Value) -> str:
    """The type as ``%T`` prints it.

    >>> type_name({"a": 1})
    'map[string]interface {}'
    """
    type_ = type_of(value)
    return "<nil>" if type_ is None else type_.name


def type_is(target: str, value: Value) -> bool:
    """Whether the type has exactly that name."""
    return target == type_name(value)


def type_is_like(target: str, value: Value) -> bool:
    """Whether the type, or what it points to, has that name."""
    return type_name(value) in (target, f"*{target}")


def kind_name(value: Value) -> str:
    """The word for the reflect.Kind; ``invalid`` for nil."""
    type_ = type_of(value)
    return "invalid" if type_ is None else str(type_.kind)


def kind_is(target: str, value: Value) -> bool:
    """Whether the kind has that name."""
    return target == kind_name(value)
