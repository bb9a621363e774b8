"""encoding/json's Marshal for JSON values: compact, with ``<``, ``>``, and ``&`` escaped."""

from json.encoder import encode_basestring as quote

from podgraft.base.jsonvalue import JSON, dump, escape_like_go

from .numbers import format_number


def encode(value: JSON) -> str:
    r"""Encode ``value``, with keys in their order.

    >>> encode({"b": [1.0, 2.5, 1e21], "a": "<&>"})
    '{"b":[1,2.5,1e+21],"a":"\\u003c\\u0026\\u003e"}'
    """
    return escape_like_go(_encode(value))


def _encode(value: JSON) -> str:
    match value:
        case str():
            return quote(value)
        case dict():
            members = [
                f"{quote(key)}:{quote(member) if isinstance(member, str) else _encode(member)}"
                for key, member in value.items()
            ]
            return f"{{{','.join(members)}}}"
        case list():
            return f"[{','.join(map(_encode, value))}]"
        case bool() | None:
            return dump(value)
        case _:
            return format_number(value)
