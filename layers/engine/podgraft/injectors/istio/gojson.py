"""JSON text as Go's encoding/json writes it: compact, ``<``, ``>`` and ``&`` escaped."""

from __future__ import annotations

from json.encoder import encode_basestring as quote

from podgraft.jsonvalue import JSON, dump, escape_like_go, format_float_like_go


def encode(value: JSON) -> str:
    r"""The text of ``value``, keys in their own order.

    >>> encode({"b": [1.0, 2.5, 1e21], "a": "<&>"})
    '{"b":[1,2.5,1e+21],"a":"\\u003c\\u0026\\u003e"}'
    """
    return escape_like_go(_encode(value))


def encode_number(value: float) -> str:
    """A float64: plain between 1e-6 and 1e21, else with an exponent of as few digits as it has.

    >>> encode_number(15020.0), encode_number(1e-7), encode_number(-0.5)
    ('15020', '1e-7', '-0.5')
    """
    text = format_float_like_go(value, exponent_from=21, exponent_below=-6)
    return text.replace("e-0", "e-")


def _encode(value: JSON) -> str:
    match value:
        case dict():
            return "{" + ",".join(f"{quote(key)}:{_encode(value[key])}" for key in value) + "}"
        case str():
            return quote(value)
        case list():
            return "[" + ",".join(map(_encode, value)) + "]"
        case float():
            return encode_number(value)
        case _:
            return dump(value)
