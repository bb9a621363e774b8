"""JSON values: types, equality, lookup, strict parsing, and Go's number format.

In Python, ``True == 1 == 1.0``, which would hide changes from a patch. ``json.loads`` also accepts
NaN, duplicate keys, numbers that overflow, and lone surrogates. This module prevents both.
"""

import json
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from types import NoneType
from typing import Any, TypeAlias

import msgspec

JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"
Object: TypeAlias = dict[str, JSON]

# Deeper than any Kubernetes object (a CRD's schema nests about 60 levels), and shallow enough that
# a function that recurses with four frames a level stays below Python's limit of 1,000.
MAX_DEPTH = 200

# Few brackets need no walk over the value, but to count those of a longer text takes more time.
_SHORT = 16_384


class NotJSONError(ValueError):
    """The text is not one JSON value according to RFC 8259 and kube-apiserver."""


def equal(left: JSON, right: JSON) -> bool:
    """Whether two values are the same JSON: ``True``, ``1`` and ``1.0`` all differ."""
    return left is right or (left == right and _same_types(left, right))


def load(data: bytes | str) -> JSON:
    """Parse one JSON value.

    Raises ``NotJSONError`` for NaN, numbers that overflow a float, duplicate keys, invalid UTF-8,
    lone surrogates, and more than ``MAX_DEPTH`` levels.
    """
    if isinstance(data, bytes):
        with suppress(msgspec.MsgspecError, UnicodeError, RecursionError):
            parsed: JSON = _FAST_DECODER.decode(data)
            # If msgspec prints the same bytes again, perhaps with Go's escapes, the text contains
            # no duplicate key and no number that Python changes, so the slow and strict parser is
            # not needed.
            text, encoded = data.rstrip(), _FAST_ENCODER.encode(parsed)
            if encoded == text or (
                rb"\u" in text and escape_like_go(encoded.decode()).encode() == text
            ):
                is_flat = len(data) <= _SHORT and len(data.translate(None, _OTHERS)) <= MAX_DEPTH
                return parsed if is_flat else _check_depth(parsed)
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
        value: JSON = _DECODER.decode(text)
        # A lone surrogate comes from an escape, or from a str that was never bytes.
        if "\\u" in text or not (text.isascii() or isinstance(data, bytes)):
            dump(value).encode()
    except UnicodeDecodeError as error:
        raise NotJSONError(f"byte {error.start}: not UTF-8") from error
    except UnicodeEncodeError as error:
        raise NotJSONError("a string contains a lone surrogate") from error
    except RecursionError as error:
        raise NotJSONError(_TOO_DEEP) from error
    except json.JSONDecodeError as error:
        raise NotJSONError(f"line {error.lineno} column {error.colno}: {error.msg}") from error
    except NotJSONError:
        raise
    except ValueError as error:  # int() rejects more than 4,300 digits
        raise NotJSONError(f"a number is too long: {error}") from error
    return _check_depth(value)


def load_object(data: bytes | str) -> Object | None:
    """Parse an object; ``None`` for any other text, valid or not."""
    try:
        value = load(data)
    except NotJSONError:
        return None
    return value if isinstance(value, dict) else None


def _check_depth(value: JSON) -> JSON:
    """Return ``value`` if it is not too deep."""
    if is_deeper_than(MAX_DEPTH, value):
        raise NotJSONError(_TOO_DEEP)
    return value


def is_deeper_than(levels: int, value: JSON) -> bool:
    """Whether objects and lists nest more than ``levels`` deep. Does not recurse."""
    layer: list[Any] = [value] if value.__class__ in _COLLECTIONS else []
    for _ in range(levels):
        layer = [
            child
            for parent in layer
            for child in (parent.values() if parent.__class__ is dict else parent)
            if child.__class__ in _COLLECTIONS
        ]
        if not layer:
            return False
    return bool(layer)


def copy(value: JSON) -> JSON:
    """Copy all objects and lists; in the copy, each of them has only one parent."""
    match value:
        case dict():
            return {key: copy(member) for key, member in value.items()}
        case list():
            return [copy(element) for element in value]
        case _:
            return value


def dump(value: JSON) -> str:
    """Format as compact JSON, with the keys in their order and without escapes for Unicode."""
    return _ENCODER.encode(value)


def describe_type(value: JSON) -> str:
    """Describe the type of a value, without the value, which can be a misplaced secret.

    >>> describe_type("Bearer t0ken"), describe_type(None), describe_type([])
    ('a string', 'nothing', 'a list')
    """
    return _TYPE_DESCRIPTIONS[type(value)]


def object_at(parent: Mapping[str, JSON], *keys: str) -> Object:
    """The object at the end of the keys; an empty one if it is missing."""
    target: Object = {}
    for key in keys:
        value = parent.get(key)
        if not isinstance(value, dict):
            return {}
        parent = target = value
    return target


def without_keys(parent: Mapping[str, JSON], *keys: str) -> Object:
    """A copy of an object without some keys."""
    return {key: value for key, value in parent.items() if key not in keys}


def list_at(parent: Mapping[str, JSON], *keys: str) -> list[JSON]:
    """The list at the end of the keys; an empty one if it is missing."""
    value = _value_at(parent, keys)
    return value if isinstance(value, list) else []


def objects_at(parent: Mapping[str, JSON], *keys: str) -> list[Object]:
    """The objects in the list at the end of the keys."""
    value = _value_at(parent, keys)
    if not isinstance(value, list):
        return []
    return [element for element in value if isinstance(element, dict)]


def _value_at(parent: Mapping[str, JSON], keys: tuple[str, ...]) -> JSON:
    value = parent.get(keys[0])
    for key in keys[1:]:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def names_at(parent: Mapping[str, JSON], *keys: str) -> list[str]:
    """The names of the objects in the list at the end of the keys; empty for one without it."""
    return [string_at(element, "name") for element in objects_at(parent, *keys)]


def string_at(parent: Mapping[str, JSON], *keys: str) -> str:
    """The string at the end of the keys; an empty string if there is none."""
    value = _value_at(parent, keys)
    return value if isinstance(value, str) else ""


def string_members(parent: Mapping[str, JSON], *keys: str) -> tuple[str, ...]:
    """The string under each key; an empty string for each key without one."""
    values = map(parent.get, keys)
    return tuple([value if isinstance(value, str) else "" for value in values])


def strings_at(parent: Mapping[str, JSON], *keys: str) -> dict[str, str]:
    """The map of strings at the end of the keys, such as labels."""
    return {k: v for k, v in object_at(parent, *keys).items() if isinstance(v, str)}


def escape_like_go(text: str) -> str:
    """Escape JSON text as Go's encoding/json does by default: ``<``, ``>``, ``&``, U+2028/9."""
    for char, escaped in _ESCAPES_OF_GO.items():
        text = text.replace(char, escaped)
    return text


_COLLECTIONS = frozenset({dict, list})
_TYPE_DESCRIPTIONS = {
    NoneType: "nothing",
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "a list",
    dict: "a mapping",
}

_ESCAPES_OF_GO = {
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}


def _same_types(left: JSON, right: JSON) -> bool:
    """Whether two values that are equal in Python have the same types at all levels.

    Only a string equals a string, so strings, the most frequent values, need no check.
    """
    match left, right:
        case dict(), dict():
            for key, value in left.items():
                if value.__class__ is not str and not _same_types(value, right[key]):
                    return False
            return True
        case list(), list():
            return all(map(_same_types, left, right))
        case _:
            return type(left) is type(right)


def _reject_duplicate_keys(pairs: list[tuple[str, JSON]]) -> Object:
    result = dict(pairs)
    if len(result) != len(pairs):
        ((repeated, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise NotJSONError(f"duplicate key {repeated!r} in an object")
    return result


def _parse_finite_float(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise NotJSONError(f"{digits} is outside the range of a 64-bit float")
    return number


def _reject_constant(constant: str) -> JSON:
    raise NotJSONError(f"{constant} is not a JSON number")


_FAST_DECODER, _FAST_ENCODER = msgspec.json.Decoder(), msgspec.json.Encoder()
# All bytes but the opening brackets.
_OTHERS = bytes({*range(256)} - {*b"{["})
_TOO_DEEP = f"nested deeper than {MAX_DEPTH} levels"
_DECODER = json.JSONDecoder(
    object_pairs_hook=_reject_duplicate_keys,
    parse_float=_parse_finite_float,
    parse_constant=_reject_constant,
)
_ENCODER = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":")
)
