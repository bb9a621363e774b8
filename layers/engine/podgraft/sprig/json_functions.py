"""JSON to and from values."""

from podgraft.go.json.marshal import marshal, marshal_indent
from podgraft.go.json.unmarshal import unmarshal
from podgraft.go.reflect import Value
from podgraft.texttemplate.errors import FunctionError


def from_json(text: str) -> Value:
    """What the text holds, or nil."""
    return unmarshal(text).value


def must_from_json(text: str) -> Value:
    """What the text holds."""
    read = unmarshal(text)
    if read.error is not None:
        raise FunctionError(read.error)
    return read.value


def must_to_json(value: Value) -> str:
    """Compact JSON, ``<``, ``>`` and ``&`` escaped."""
    return marshal(value)


def must_to_pretty_json(value: Value) -> str:
    """JSON indented by two blanks."""
    return marshal_indent(value)


def to_raw_json(value: Value) -> str:
    """Compact JSON, ``<``, ``>`` and ``&`` as they are."""
    return marshal(value, escape_html=False)


def to_json(value: Value) -> str:
    """``mustToJson``, but nothing for what JSON cannot hold."""
    try:
        return marshal(value)
    except FunctionError:
        return ""


def to_pretty_json(value: Value) -> str:
    """``mustToPrettyJson``, but nothing for what JSON cannot hold."""
    try:
        return marshal_indent(value)
    except FunctionError:
        return ""
