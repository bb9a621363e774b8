"""The Go type and kind of a value as strings."""

from podgraft.golang.reflect import Value, type_of


def type_name(value: Value) -> str:
    """The type in the format ``%T``.

    >>> type_name({"a": 1})
    'map[string]interface {}'
    """
    type_ = type_of(value)
    return "<nil>" if type_ is None else type_.name


def type_is(target: str, value: Value) -> bool:
    """Whether the type has the name ``target``."""
    return target == type_name(value)


def type_is_like(target: str, value: Value) -> bool:
    """Whether the type, or the type of a pointer's target, has the name ``target``."""
    return type_name(value) in (target, f"*{target}")


def kind_name(value: Value) -> str:
    """The name of the reflect.Kind; ``invalid`` for nil."""
    type_ = type_of(value)
    return "invalid" if type_ is None else str(type_.kind)


def kind_is(target: str, value: Value) -> bool:
    """Whether the kind has the name ``target``."""
    return target == kind_name(value)
