"""Replacement for orjson in the browser: the functions that podgraft calls, in Python.

It returns and raises what orjson does: integers have 64 bits, and NaN becomes null.
"""

import json
from collections.abc import Iterator
from json.encoder import encode_basestring
from math import isfinite
from typing import Any

_LOWEST, _HIGHEST = -(2**63), 2**64 - 1
_PLAIN_EXPONENT = 5  # the only negative exponent that Python prints and orjson does not


class JSONDecodeError(json.JSONDecodeError):
    """The text is not JSON."""


class JSONEncodeError(TypeError):
    """The value has no JSON text in orjson."""


def loads(data: bytes | bytearray | str) -> Any:
    """Return the value of a JSON text; raises ``JSONDecodeError``."""
    try:
        text = data if isinstance(data, str) else bytes(data).decode()
        value = json.loads(
            text,
            parse_constant=_reject_constant,
            parse_int=_parse_integer,
            parse_float=_parse_float,
        )
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise JSONDecodeError(str(error), "", 0) from error
    return value


def dumps(value: Any) -> bytes:
    """Return the compact JSON text of a value; raises ``JSONEncodeError``."""
    try:
        return "".join(_pieces(value)).encode()
    except (UnicodeEncodeError, RecursionError) as error:
        raise JSONEncodeError(str(error)) from error


def _reject_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _parse_integer(digits: str) -> int | float:
    number = int(digits)
    return number if _LOWEST <= number <= _HIGHEST else float(digits)


def _parse_float(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise ValueError(f"{digits} is out of range")
    return number


def _pieces(value: Any) -> Iterator[str]:  # noqa: C901 - one arm for each type of JSON
    match value:
        case str():
            yield encode_basestring(value)
        case None | bool():
            yield {None: "null", True: "true", False: "false"}[value]
        case int():
            if not _LOWEST <= value <= _HIGHEST:
                raise JSONEncodeError("Integer exceeds 64-bit range")
            yield int.__repr__(value)
        case float():
            yield _format_float(value)
        case dict():
            for number, (key, member) in enumerate(value.items()):
                if not isinstance(key, str):
                    raise JSONEncodeError("Dict key must be str")
                yield f"{',' if number else '{'}{encode_basestring(key)}:"
                yield from _pieces(member)
            yield "}" if value else "{}"
        case list() | tuple():
            for number, element in enumerate(value):
                yield "," if number else "["
                yield from _pieces(element)
            yield "]" if value else "[]"
        case _:
            raise JSONEncodeError(f"Type is not JSON serializable: {type(value).__name__}")


def _format_float(number: float) -> str:
    """The shortest digits in orjson's form: ``0.00001`` and ``1e-6`` where Python has exponents."""
    if not isfinite(number):
        return "null"
    digits, exponent, power = repr(number).partition("e-")
    if not exponent:
        return digits
    sign, digits = ("-", digits[1:]) if digits.startswith("-") else ("", digits)
    if int(power) == _PLAIN_EXPONENT:
        return f"{sign}0.0000{digits.replace('.', '')}"
    return f"{sign}{digits}e-{int(power)}"
