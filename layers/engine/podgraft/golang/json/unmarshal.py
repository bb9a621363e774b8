"""encoding/json's Unmarshal into an interface {}."""

import json
import math
import re

from msgspec import Struct

from podgraft.base.jsonvalue import MAX_DEPTH, is_deeper_than
from podgraft.golang.reflect import Value
from podgraft.golang.strconv.quote import REPLACEMENT
from podgraft.golang.utf8 import encode, to_runes

from .syntax import syntax_error

_SURROGATE = re.compile("[\ud800-\udfff]")
_TOO_DEEP = "exceeded max depth"
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class DecodeResult(Struct, frozen=True):
    """The decoded value, complete or partial, and Go's error if decoding failed."""

    value: Value
    error: str | None = None


def unmarshal(text: str) -> DecodeResult:
    r"""json.Unmarshal: all numbers are float64, later keys win, and invalid Unicode is U+FFFD.

    A number that overflows float64 becomes nil and an error; decoding continues. The limit is
    ``MAX_DEPTH`` levels; Go's limit is 10,000.

    >>> unmarshal('{"a": [1, "\u00e9", null]}').value
    {'a': [1.0, 'é', None]}
    >>> unmarshal("[1,]").error
    "invalid character ']' looking for beginning of value"
    """
    overflows: list[str] = []

    def number(digits: str) -> float | None:
        value = float(digits)
        if math.isfinite(value):
            return value
        overflows.append(digits)
        return None

    try:
        value = json.loads(
            to_runes(text), parse_float=number, parse_int=number, parse_constant=_reject_constant
        )
    except RecursionError:
        return DecodeResult(None, _TOO_DEEP)
    except ValueError:
        return DecodeResult(None, syntax_error(encode(text)))
    if is_deeper_than(MAX_DEPTH, value):
        return DecodeResult(None, _TOO_DEEP)
    if _ESCAPED_SURROGATE.search(text):
        value = _replace_lone_surrogates(value)
    if overflows:
        reason = f"cannot unmarshal number {overflows[0]} into Go value of type float64"
        return DecodeResult(value, f"json: {reason}")
    return DecodeResult(value)


def _reject_constant(constant: str) -> Value:
    raise ValueError(constant)


def _replace_lone_surrogates(value: Value) -> Value:
    """Return the value with U+FFFD instead of each lone surrogate."""
    if value.__class__ is dict:
        return {
            _replace_lone_surrogates(key): _replace_lone_surrogates(member)
            for key, member in value.items()
        }
    if value.__class__ is list:
        return [*map(_replace_lone_surrogates, value)]
    return _SURROGATE.sub(REPLACEMENT, value) if value.__class__ is str else value
