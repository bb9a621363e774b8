"""JSON as Go's encoding/json reads it into an interface {}."""

import json
import math

from podgraft.gotemplate.quoting import REPLACEMENT
from podgraft.govalue import Value
from podgraft.patterns import lazy
from podgraft.records import dataclass

from .jsonfault import fault
from .runes import encoded, runes

_SURROGATE = lazy("[\ud800-\udfff]")
_TOO_DEEP = "exceeded max depth"
_ESCAPED_SURROGATE = lazy(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True)
class Read:
    """What was read, as far as it could be, and Go's error if there was one."""

    value: Value
    error: str | None = None


def unmarshal(text: str) -> Read:
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
            runes(text), parse_float=number, parse_int=number, parse_constant=_refuse
        )
    except RecursionError:
        return Read(None, _TOO_DEEP)
    except ValueError:
        return Read(None, fault(encoded(text)))
    if _ESCAPED_SURROGATE.search(text):
        value = _whole(value)
    if beyond:
        reason = f"cannot unmarshal number {beyond[0]} into Go value of type float64"
        return Read(value, f"json: {reason}")
    return Read(value)


def _refuse(word: str) -> Value:
    raise ValueError(word)


def _whole(value: Value) -> Value:
    """The value with U+FFFD for each half of a surrogate pair that stood alone."""
    if value.__class__ is dict:
        return {_whole(key): _whole(one) for key, one in value.items()}
    if value.__class__ is list:
        return [*map(_whole, value)]
    return _SURROGATE.sub(REPLACEMENT, value) if value.__class__ is str else value
