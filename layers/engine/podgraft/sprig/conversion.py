"""Values as text: toString and its list forms, quoting and joining."""

from podgraft.go.fmt.sprintf import sprint
from podgraft.go.reflect import STRINGS, UINT8, Kind, Slice, Value, type_of
from podgraft.go.strconv.quote import merge_escaped_bytes
from podgraft.go.strconv.quote import quote as go_quote
from podgraft.go.utf8 import decode, encode

from .limits import check_text_size


def strval(value: Value) -> str:
    """A value as text: strings and []byte as they are, anything else as ``%v`` prints it."""
    if isinstance(value, str):
        return value if value.__class__ is str else sprint(value)
    if isinstance(value, Slice) and value.type.elem is UINT8:
        return decode(bytes(value))
    return sprint(value)


def strslice(value: Value) -> list[str]:
    """The elements of a slice or array as text, nil ones left out; of anything else itself."""
    type_ = type_of(value)
    if type_ is None:
        return []
    if type_.kind in (Kind.SLICE, Kind.ARRAY):
        return [strval(one) for one in value if one is not None]
    return [strval(value)]


def to_strings(value: Value) -> Slice:
    """``strslice`` as []string; a []string stays what it is, nil too."""
    return value if type_of(value) is STRINGS else Slice(STRINGS, strslice(value))


def join(separator: str, value: Value) -> str:
    """The elements as text with a separator between them."""
    parts, between = [*map(encode, strslice(value))], encode(separator)
    check_text_size(sum(map(len, parts)) + len(between) * len(parts))
    return decode(between.join(parts))


def quote(*values: Value) -> str:
    r"""Each value as a Go string literal, nil left out, blanks between them.

    >>> quote("a", None, 'b"c')
    '"a" "b\\"c"'
    """
    return " ".join(go_quote(strval(value)) for value in values if value is not None)


def squote(*values: Value) -> str:
    """Each value in single quotes, nothing escaped."""
    return " ".join(f"'{sprint(value)}'" for value in values if value is not None)


def cat(*values: Value) -> str:
    """The values with blanks between them, nil left out."""
    return merge_escaped_bytes(" ".join(sprint(value) for value in values if value is not None))
