"""JSON text as Go's encoding/json writes it: compact, with ``<``, ``>``, and ``&`` escaped."""

from __future__ import annotations

from json.encoder import encode_basestring as quote

from podgraft.base.jsonvalue import JSON, dump, escape_like_go, format_float_like_go


def encode(value: JSON) -> str:
    r"""Encode ``value``, with keys in their order.

    >>> encode({"b": [1.0, 2.5, 1e21], "a": "<&>"})
    '{"b":[1,2.5,1e+21],"a":"\\u003c\\u0026\\u003e"}'
    """
    return escape_like_go(_encode(value))


def encode_number(value: float) -> str:
    """Encode a float64: plain from 1e-6 to 1e21, else with an exponent of minimal digits.

    >>> encode_number(15020.0), encode_number(1e-7), encode_number(-0.5)
    ('15020', '1e-7', '-0.5')
    """
    text = format_float_like_go(value, exponent_from=21, exponent_below=-6)
    return text.replace("e-0", "e-")


def _encode(value: JSON) -> str:
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, dict):
        members = [f"{quote(key)}:{_encode(member)}" for key, member in value.items()]
        return "{" + ",".join(members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_encode, value)) + "]"
    return encode_number(value) if isinstance(value, float) else dump(value)
