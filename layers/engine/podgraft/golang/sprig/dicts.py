"""Dictionaries, sprig's map[string]interface {}.

As in Go, ``set`` and ``unset`` change their argument, so a template that calls them needs a copy of
shared data.
"""

from podgraft.golang.errors import FunctionError
from podgraft.golang.reflect import ANY_MAP, STRING, STRINGS, Slice, Value, type_of
from podgraft.golang.reflect.tainted_values import to_text

from .failures import ASSIGNMENT_TO_NIL_MAP, type_assertion_error
from .values import strval

Dict = dict[str, Value]

_LEAST_DIG = 3  # a key, the default and the map


def entries(mapping: Value) -> Dict:
    """The entries of a map; a nil map has none."""
    return mapping if mapping.__class__ is dict else {}


def dict_(*values: Value) -> Dict:
    """A map of alternating keys and values; a last key without a value gets the empty string."""
    keys = (key if key.__class__ is str else to_text(key, strval) for key in values[::2])
    return dict(zip(keys, (*values[1::2], ""), strict=False))


def get(mapping: Value, key: str) -> Value:
    """The value of the key, or the empty string."""
    return entries(mapping).get(key, "")


def set_(mapping: Value, key: str, value: Value) -> Value:
    """Set the key, and return the same map."""
    if mapping.__class__ is not dict:
        raise FunctionError(ASSIGNMENT_TO_NIL_MAP)
    mapping[key] = value
    return mapping


def unset(mapping: Value, key: str) -> Value:
    """Delete the key, and return the same map."""
    entries(mapping).pop(key, None)
    return mapping


def has_key(mapping: Value, key: str) -> bool:
    """Whether the map has the key."""
    return key in entries(mapping)


def pluck(key: str, *dicts: Value) -> list[Value]:
    """The values of the key in the maps that have it."""
    return [entries(mapping)[key] for mapping in dicts if key in entries(mapping)]


def keys(*dicts: Value) -> Slice:
    """All keys as []string, sorted for each map (Go's order is random), with duplicates."""
    return Slice(STRINGS, [key for mapping in dicts for key in sorted(entries(mapping))])


def values(mapping: Value) -> list[Value]:
    """The values in the order of the keys (Go's order is random)."""
    members = entries(mapping)
    return [members[key] for key in sorted(members)]


def pick(mapping: Value, *names: str) -> Dict:
    """A new map of the named entries."""
    members = entries(mapping)
    return {key: members[key] for key in names if key in members}


def omit(mapping: Value, *names: str) -> Dict:
    """A new map without the named entries."""
    return {key: value for key, value in entries(mapping).items() if key not in names}


def dig(*path: Value) -> Value:
    """``dig KEY… DEFAULT MAP``: the value under nested keys, or the default if one is missing."""
    if len(path) < _LEAST_DIG:
        raise FunctionError("dig needs at least three arguments")
    *steps, default, mapping = path
    _assert_map(mapping)
    for step in steps:
        if type_of(step) is not STRING:
            raise type_assertion_error(step, "string")
    for depth, step in enumerate(steps):
        if depth:
            _assert_map(mapping)
        if step not in entries(mapping):
            return default
        mapping = entries(mapping)[step]
    return mapping


def _assert_map(value: Value) -> None:
    if type_of(value) is not ANY_MAP:
        raise type_assertion_error(value, ANY_MAP.name)
