"""The conversion of values to and from JSON."""

from podgraft.golang.json.marshal import marshal, marshal_indent
from podgraft.golang.json.unmarshal import unmarshal
from podgraft.golang.reflect import Value
from podgraft.golang.texttemplate.errors import FunctionError


def from_json(text: str) -> Value:
    """Parse JSON; nil if it is invalid."""
    return unmarshal(text).value


def must_from_json(text: str) -> Value:
    """Parse JSON; invalid JSON is an error."""
    result = unmarshal(text)
    if result.error is not None:
        raise FunctionError(result.error)
    return result.value


def must_to_json(value: Value) -> str:
    """Compact JSON with escapes for ``<``, ``>``, and ``&``."""
    return marshal(value)


def must_to_pretty_json(value: Value) -> str:
    """JSON with an indentation of two spaces."""
    return marshal_indent(value)


def to_raw_json(value: Value) -> str:
    """Compact JSON without escapes for ``<``, ``>``, and ``&``."""
    return marshal(value, escape_html=False)


def to_json(value: Value) -> str:
    """``mustToJson``, or an empty string if JSON cannot represent the value."""
    try:
        return marshal(value)
    except FunctionError:
        return ""


def to_pretty_json(value: Value) -> str:
    """``mustToPrettyJson``, or an empty string if JSON cannot represent the value."""
    try:
        return marshal_indent(value)
    except FunctionError:
        return ""
