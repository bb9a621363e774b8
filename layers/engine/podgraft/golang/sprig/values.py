"""Functions of values of any type: emptiness, defaults, text, types, ternary, and fail."""

from typing import NoReturn

from podgraft.golang.errors import FunctionError
from podgraft.golang.fmt.sprintf import sprint
from podgraft.golang.reflect import STRINGS, UINT8, Kind, Slice, Value, type_of
from podgraft.golang.strconv.quote import UNESCAPED, merge_escaped_bytes
from podgraft.golang.strconv.quote import quote as go_quote
from podgraft.golang.utf8 import decode, encode

from .failures import check_text_size


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


def strval(value: Value) -> str:
    """Convert a value to a string: strings and []byte unchanged, anything else with ``%v``."""
    if isinstance(value, str):
        return value if value.__class__ is str else sprint(value)
    if isinstance(value, Slice) and value.type.elem is UINT8:
        return decode(bytes(value))
    return sprint(value)


def strslice(value: Value) -> list[str]:
    """The elements of a slice or array as strings, without nil; any other value as one string."""
    type_ = type_of(value)
    if type_ is None:
        return []
    if type_.kind in (Kind.SLICE, Kind.ARRAY):
        return [strval(element) for element in value if element is not None]
    return [strval(value)]


def to_strings(value: Value) -> Slice:
    """``strslice`` as []string; a []string does not change, even if it is nil."""
    return value if type_of(value) is STRINGS else Slice(STRINGS, strslice(value))


def join(separator: str, value: Value) -> str:
    """Join the elements as strings with a separator."""
    parts, between = [*map(encode, strslice(value))], encode(separator)
    check_text_size(sum(map(len, parts)) + len(between) * len(parts))
    return decode(between.join(parts))


def quote(*values: Value) -> str:
    r"""Quote each value as a Go string literal, without nil, with spaces between them.

    >>> quote("a", None, 'b"c')
    '"a" "b\\"c"'
    """
    return " ".join(_quote_value(value) for value in values if value is not None)


def _quote_value(value: Value) -> str:
    text = strval(value)
    return f'"{text}"' if UNESCAPED.fullmatch(text) else go_quote(text)


def squote(*values: Value) -> str:
    """Enclose each value in single quotes, without escapes."""
    return " ".join(f"'{sprint(value)}'" for value in values if value is not None)


def cat(*values: Value) -> str:
    """Join the values with spaces, without nil."""
    return merge_escaped_bytes(" ".join(sprint(value) for value in values if value is not None))


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


def ternary(yes: Value, no: Value, condition: Value) -> Value:
    """``yes`` if the condition is true, else ``no``."""
    return yes if condition else no


def fail(reason: str) -> NoReturn:
    """Stop the rendering with the reason."""
    raise FunctionError(reason)
