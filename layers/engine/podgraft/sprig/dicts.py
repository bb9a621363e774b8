"""Dictionaries, sprig's map[string]interface {}.

``set`` and ``unset`` change the map they are given, as in Go; ``changing`` tells which templates
call such functions, so that data which others see too can be handed over as a copy.
"""

from podgraft.go.reflect import ANY_MAP, STRING, STRINGS, Slice, Value, type_of
from podgraft.go.reflect.tainted_values import text_of
from podgraft.texttemplate.errors import FunctionError

from .conversion import strval
from .go_panics import ASSIGNMENT_TO_NIL_MAP, type_assertion_error

Dict = dict[str, Value]

_LEAST_DIG = 3  # a key, the default and the map


def entries(given: Value) -> Dict:
    """What a map holds; a nil map holds nothing."""
    return given if given.__class__ is dict else {}


def dict_(*values: Value) -> Dict:
    """Keys and values in turn; a last key without value gets the empty string."""
    keys = (text_of(key, strval) for key in values[::2])
    return dict(zip(keys, (*values[1::2], ""), strict=False))


def get(given: Value, key: str) -> Value:
    """The value, or the empty string."""
    return entries(given).get(key, "")


def set_(given: Value, key: str, value: Value) -> Value:
    """The same map with the key set."""
    if given.__class__ is not dict:
        raise FunctionError(ASSIGNMENT_TO_NIL_MAP)
    given[key] = value
    return given


def unset(given: Value, key: str) -> Value:
    """The same map without the key."""
    entries(given).pop(key, None)
    return given


def has_key(given: Value, key: str) -> bool:
    """Whether the key is there."""
    return key in entries(given)


def pluck(key: str, *dicts: Value) -> list[Value]:
    """The key's values, of those maps that have it."""
    return [entries(each)[key] for each in dicts if key in entries(each)]


def keys(*dicts: Value) -> Slice:
    """All keys as []string, each map's sorted (Go's order is random), repetitions kept."""
    return Slice(STRINGS, [key for each in dicts for key in sorted(entries(each))])


def values(given: Value) -> list[Value]:
    """The values by sorted keys (Go's order is random)."""
    held = entries(given)
    return [held[key] for key in sorted(held)]


def pick(given: Value, *wanted: str) -> Dict:
    """A new map of the named entries alone."""
    held = entries(given)
    return {key: held[key] for key in wanted if key in held}


def omit(given: Value, *unwanted: str) -> Dict:
    """A new map without the named entries."""
    return {key: value for key, value in entries(given).items() if key not in unwanted}


def dig(*path: Value) -> Value:
    """``dig KEY… DEFAULT MAP``: the value under nested keys, the default where one is missing."""
    if len(path) < _LEAST_DIG:
        raise FunctionError("dig needs at least three arguments")
    *steps, default, held = path
    _assert_map(held)
    for step in steps:
        if type_of(step) is not STRING:
            raise type_assertion_error(step, "string")
    for depth, step in enumerate(steps):
        if depth:
            _assert_map(held)
        if step not in entries(held):
            return default
        held = entries(held)[step]
    return held


def _assert_map(value: Value) -> None:
    if type_of(value) is not ANY_MAP:
        raise type_assertion_error(value, ANY_MAP.name)
