"""JSON as a value: its type, its equality, strict reading, and printing as Go prints it.

Python's ``True == 1 == 1.0`` would make changes vanish from patches, and ``json.loads`` takes NaN,
repeated keys and lone surrogates; this module is where both end.
"""

import json
from collections.abc import Iterable
from typing import TypeAlias

JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"
Object: TypeAlias = dict[str, JSON]


class NotJSONError(ValueError):
    """The text is not one JSON value as RFC 8259 and kube-apiserver understand it."""


def equal(left: JSON, right: JSON) -> bool:
    """Whether two values are the same JSON: ``True``, ``1`` and ``1.0`` all differ."""
    match left, right:
        case dict(), dict():
            return left.keys() == right.keys() and all(equal(left[k], right[k]) for k in left)
        case list(), list():
            return len(left) == len(right) and all(map(equal, left, right))
        case _:
            return type(left) is type(right) and left == right


def load(data: bytes | str) -> JSON:
    """Read one JSON value.

    Raises ``NotJSONError`` for NaN, repeated keys, invalid UTF-8 and nesting too deep to read.
    """
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise NotJSONError(f"byte {error.start}: not UTF-8") from error
    except RecursionError as error:
        raise NotJSONError("nested too deeply") from error
    except json.JSONDecodeError as error:
        raise NotJSONError(f"line {error.lineno} column {error.colno}: {error.msg}") from error


def dump(value: JSON) -> str:
    """Print compactly, keys in their own order, text as it is."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


_GO_ESCAPES = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


def go_escape(text: str) -> str:
    """Escape printed JSON as Go's encoding/json does by default: ``<``, ``>``, ``&``, U+2028/9."""
    return text.translate(_GO_ESCAPES)


def _unique(pairs: Iterable[tuple[str, JSON]]) -> Object:
    result: Object = {}
    for key, value in pairs:
        if key in result:
            raise NotJSONError(f"the key {key!r} stands twice in one object")
        result[key] = value
    return result


def _refuse_constant(word: str) -> JSON:
    raise NotJSONError(f"{word} is not a JSON number")
