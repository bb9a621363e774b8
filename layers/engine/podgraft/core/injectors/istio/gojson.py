"""JSON text as Go's encoding/json writes it: compact, with ``<``, ``>``, and ``&`` escaped."""

from __future__ import annotations

from json.encoder import encode_basestring as quote

from podgraft.base.jsonvalue import JSON, dump, escape_like_go
from podgraft.golang.json.numbers import format_number


def encode(value: JSON) -> str:
    r"""Encode ``value``, with keys in their order.

    >>> encode({"b": [1.0, 2.5, 1e21], "a": "<&>"})
    '{"b":[1,2.5,1e+21],"a":"\\u003c\\u0026\\u003e"}'
    """
    return escape_like_go(_encode(value))


def _encode(value: JSON) -> str:
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, dict):
        members = [f"{quote(key)}:{_encode(member)}" for key, member in value.items()]
        return "{" + ",".join(members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_encode, value)) + "]"
    return format_number(value) if isinstance(value, float) else dump(value)
