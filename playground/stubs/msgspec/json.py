"""Replacement for msgspec.json: untyped JSON, decoded and encoded as msgspec does."""

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from math import isfinite
from typing import Any

from . import DecodeError

_FIRST_EXPONENT = -6  # smaller numbers have an exponent in msgspec's text
_CONTROL = re.compile(r'[\x00-\x1f"\\]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


class Decoder:
    """A decoder of any JSON value; ``type`` is not checked."""

    def __init__(self, type: Any = Any) -> None:  # noqa: A002 - the name in msgspec
        del type

    def decode(self, data: bytes | str) -> Any:
        """Return the value of a JSON text; raises ``DecodeError``, ``UnicodeDecodeError``."""
        return decode(data)


class Encoder:
    """An encoder of JSON values."""

    def __init__(self, *, enc_hook: Callable[[Any], Any] | None = None) -> None:
        self._hook = enc_hook

    def encode(self, value: Any) -> bytes:
        """Return the compact JSON text; raises ``TypeError``, ``UnicodeEncodeError``."""
        return "".join(_pieces(value, self._hook)).encode()


def decode(data: bytes | str) -> Any:
    """Return the value of a JSON text; raises ``DecodeError``, ``UnicodeDecodeError``."""
    text = data if isinstance(data, str) else _decode_utf8(data)
    try:
        value = json.loads(text, parse_constant=_reject_constant, parse_float=_parse_float)
    except RecursionError:
        raise
    except ValueError as error:
        raise DecodeError(f"JSON is malformed: {error}") from error
    if "\\u" in text:
        _reject_surrogates(value)
    return value


def _decode_utf8(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        if b'"' in data:
            raise
        raise DecodeError("JSON is malformed: invalid character") from None


def _reject_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _parse_float(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise ValueError("Number out of range")
    return number


def _reject_surrogates(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise DecodeError("Invalid unicode surrogate pair") from error


def _pieces(value: Any, hook: Callable[[Any], Any] | None) -> Iterator[str]:  # noqa: C901 - one arm for each type of JSON
    match value:
        case str():
            yield _quote(value)
        case None | bool():
            yield {None: "null", True: "true", False: "false"}[value]
        case int():
            yield int.__repr__(value)
        case float():
            yield _format_float(value)
        case dict():
            for number, (key, member) in enumerate(value.items()):
                yield f"{',' if number else '{'}{_quote(_format_key(key))}:"
                yield from _pieces(member, hook)
            yield "}" if value else "{}"
        case list() | tuple():
            for number, element in enumerate(value):
                yield "," if number else "["
                yield from _pieces(element, hook)
            yield "]" if value else "[]"
        case bytes():
            yield _quote(b64encode(value).decode())
        case _:
            if hook is None:
                raise TypeError(f"Encoding objects of type {type(value).__name__} is unsupported")
            yield from _pieces(hook(value), hook)


def _format_key(key: Any) -> str:
    if isinstance(key, bool) or not isinstance(key, str | int | float):
        raise TypeError("Only dicts with str-like or number-like keys are supported")
    return _format_float(key) if isinstance(key, float) else str(key)


def _quote(text: str) -> str:
    return f'"{_CONTROL.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    return _SHORT.get(char) or f"\\u{ord(char):04x}"


def _format_float(number: float) -> str:
    """The shortest digits in msgspec's form: ``0.00001`` and ``1e-7`` and ``1e16``."""
    if not isfinite(number):
        return "null"
    digits, exponent, power = repr(number).partition("e")
    if not exponent:
        return digits
    sign, digits = ("-", digits[1:]) if digits.startswith("-") else ("", digits)
    if _FIRST_EXPONENT < int(power) < 0:
        return f"{sign}0.{'0' * (-int(power) - 1)}{digits.replace('.', '')}"
    return f"{sign}{digits}e{int(power)}"
