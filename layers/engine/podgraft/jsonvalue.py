"""JSON as a value: its type, its equality, strict reading, and printing as Go prints it.

Python's ``True == 1 == 1.0`` would make changes vanish from patches, and ``json.loads`` takes NaN,
repeated keys, lone surrogates and numbers without end; this module is where both end.
"""

import json
import math
from collections.abc import Iterable
from typing import TypeAlias

JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"
Object: TypeAlias = dict[str, JSON]


class NotJSONError(ValueError):
    """The text is not one JSON value as RFC 8259 and kube-apiserver understand it."""


class TooDeepError(NotJSONError):
    """The text is nested deeper than the interpreter reads."""


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

    Raises ``NotJSONError`` for NaN, repeated keys, invalid UTF-8, half surrogate pairs and numbers
    beyond float64, ``TooDeepError`` for nesting too deep to read.
    """
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
        value: JSON = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_constant=_refuse_constant,
            parse_float=_finite,
        )
        if "\\ud" in text or "\\uD" in text:  # nothing else can bring half a pair
            dump(value).encode()
    except UnicodeDecodeError as error:
        raise NotJSONError(f"byte {error.start}: not UTF-8") from error
    except UnicodeEncodeError as error:
        raise NotJSONError("an escape is half of a surrogate pair") from error
    except RecursionError as error:
        raise TooDeepError("nested too deeply") from error
    except json.JSONDecodeError as error:
        raise NotJSONError(f"line {error.lineno} column {error.colno}: {error.msg}") from error
    except NotJSONError:
        raise
    except ValueError as error:  # CPython's limit on the digits of an integer
        raise NotJSONError("a number has too many digits") from error
    return value


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


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise NotJSONError(f"{digits} is beyond float64")
    return number
