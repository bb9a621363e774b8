"""The conversion of values to strings: toString, toStrings, quote, and join."""

from podgraft.golang.fmt.sprintf import sprint
from podgraft.golang.reflect import STRINGS, UINT8, Kind, Slice, Value, type_of
from podgraft.golang.strconv.quote import UNESCAPED, merge_escaped_bytes
from podgraft.golang.strconv.quote import quote as go_quote
from podgraft.golang.utf8 import decode, encode

from .limits import check_text_size


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
