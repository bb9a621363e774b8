"""JSON as Go's encoding/json reads it into an interface {}."""

import json
import math

from podgraft.go.reflect import Value
from podgraft.go.strconv.quote import REPLACEMENT
from podgraft.go.utf8 import encode, to_runes
from podgraft.lazy_dataclass import dataclass
from podgraft.lazy_re import lazy_compile

from .syntax import syntax_error

_SURROGATE = lazy_compile("[\ud800-\udfff]")
_TOO_DEEP = "exceeded max depth"
_ESCAPED_SURROGATE = lazy_compile(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True)
class DecodeResult:
    """What was read, as far as it could be, and Go's error if there was one."""

    value: Value
    error: str | None = None


def unmarshal(text: str) -> DecodeResult:
    r"""json.Unmarshal: every number a float64, later keys win, what is not Unicode is U+FFFD.

    A number beyond float64 is nil and an error; the rest is read nevertheless. Python's stack
    bounds the depth, near 1,000 levels where Go takes 10,000.

    >>> unmarshal('{"a": [1, "\u00e9", null]}').value
    {'a': [1.0, 'é', None]}
    >>> unmarshal("[1,]").error
    "invalid character ']' looking for beginning of value"
    """
    beyond: list[str] = []

    def number(digits: str) -> float | None:
        value = float(digits)
        if math.isfinite(value):
            return value
        beyond.append(digits)
        return None

    try:
        value = json.loads(
            to_runes(text), parse_float=number, parse_int=number, parse_constant=_reject_constant
        )
    except RecursionError:
        return DecodeResult(None, _TOO_DEEP)
    except ValueError:
        return DecodeResult(None, syntax_error(encode(text)))
    if _ESCAPED_SURROGATE.search(text):
        value = _replace_lone_surrogates(value)
    if beyond:
        reason = f"cannot unmarshal number {beyond[0]} into Go value of type float64"
        return DecodeResult(value, f"json: {reason}")
    return DecodeResult(value)


def _reject_constant(word: str) -> Value:
    raise ValueError(word)


def _replace_lone_surrogates(value: Value) -> Value:
    """The value with U+FFFD for each half of a surrogate pair that stood alone."""
    if value.__class__ is dict:
        return {
            _replace_lone_surrogates(key): _replace_lone_surrogates(one)
            for key, one in value.items()
        }
    if value.__class__ is list:
        return [*map(_replace_lone_surrogates, value)]
    return _SURROGATE.sub(REPLACEMENT, value) if value.__class__ is str else value
