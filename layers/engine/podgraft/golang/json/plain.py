"""encoding/json's Marshal for JSON values: compact, with ``<``, ``>``, and ``&`` escaped."""

from json.encoder import encode_basestring as quote

from podgraft.base.jsonvalue import JSON, dump, escape_like_go
from podgraft.golang.strconv.ftoa import format_float


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


# Numbers outside this range have an exponent.
_LEAST_PLAIN, _LEAST_EXPONENT = 1e-6, 1e21


def format_number(value: float, bits: int = 64) -> str:
    """Format a finite number as ECMAScript does: with an exponent only below 1e-6 and from 1e21.

    >>> format_number(1e-05), format_number(1e20), format_number(15020.0)
    ('0.00001', '100000000000000000000', '15020')
    >>> format_number(1e-07), format_number(1e21)
    ('1e-7', '1e+21')
    """
    if isinstance(value, int):
        return str(value)
    if not value or _LEAST_PLAIN <= abs(value) < _LEAST_EXPONENT:
        return format_float(value, "f", bits=bits)
    return format_float(value, "e", bits=bits).replace("e-0", "e-")
