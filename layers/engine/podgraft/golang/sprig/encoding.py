"""Base64, base32, checksums of the bytes of a string, and JSON."""

import hashlib
from base64 import b32decode, b32encode
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable
from functools import partial
from zlib import adler32

from podgraft.golang.errors import FunctionError
from podgraft.golang.json.marshal import marshal, marshal_indent
from podgraft.golang.json.unmarshal import unmarshal
from podgraft.golang.reflect import Value
from podgraft.golang.utf8 import decode, encode

_BASE64 = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
_BASE32 = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
_PAD = ord("=")
_DIGITS64, _DIGITS32 = 4, 8  # the digits of a group of complete bytes
_LEAST_DIGITS = 2  # the fewest digits before padding
_LINE_BREAKS = b"\r\n"


def b64enc(text: str) -> str:
    """Standard base64."""
    return b2a_base64(encode(text), newline=False).decode("ascii")


def b64dec(text: str) -> str:
    """The decoded text, or Go's error text as the result.

    >>> b64dec("aGk="), b64dec("aGk")
    ('hi', 'illegal base64 data at input byte 0')
    """
    data = encode(text)
    error_offset = _base64_error_offset(data)
    if error_offset is not None:
        return f"illegal base64 data at input byte {error_offset}"
    return decode(a2b_base64(data))


def _base64_error_offset(data: bytes) -> int | None:
    """The offset of encoding/base64's error, including line breaks; None if the data is valid."""
    offsets = [offset for offset, byte in enumerate(data) if byte not in _LINE_BREAKS]
    stop = next(
        (index for index, offset in enumerate(offsets) if data[offset] not in _BASE64), None
    )
    if stop is None:
        filled = len(offsets) % _DIGITS64
        return len(data) - filled if filled else None
    filled = stop % _DIGITS64
    if data[offsets[stop]] != _PAD or filled < _LEAST_DIGITS:
        return offsets[stop]
    if filled == _LEAST_DIGITS:
        stop += 1
        if stop == len(offsets):
            return len(data)
        if data[offsets[stop]] != _PAD:
            return offsets[stop] - 1
    return offsets[stop + 1] if stop + 1 < len(offsets) else None


def b32enc(text: str) -> str:
    """Standard base32."""
    return b32encode(encode(text)).decode("ascii")


def b32dec(text: str) -> str:
    """The decoded text, or Go's error text as the result."""
    data = encode(text).translate(None, _LINE_BREAKS)
    stop = next((index for index, byte in enumerate(data) if byte not in _BASE32), len(data))
    error_offset = _base32_error_offset(data, stop)
    if error_offset is not None:
        return f"illegal base32 data at input byte {error_offset}"
    return decode(b32decode(data[:stop] + b"=" * (-stop % _DIGITS32)))


def _base32_error_offset(data: bytes, stop: int) -> int | None:
    """The offset of encoding/base32's error, given the first byte that is not a digit.

    Fewer than eight bytes after complete padding are ignored.
    """
    size, filled = len(data), stop % _DIGITS32
    if stop == size:
        return size - filled if filled else None
    after = size - stop - 1
    if data[stop] != _PAD or filled < _LEAST_DIGITS or after >= _DIGITS32:
        return stop
    if filled + 1 + after < _DIGITS32:
        return size
    padding = data[stop + 1 : stop + _DIGITS32 - filled]
    invalid = next((index for index, byte in enumerate(padding) if byte != _PAD), None)
    if invalid is not None:
        return stop + invalid
    return stop if filled in (3, 6) else None


def _digest(algorithm: str) -> Callable[[str], str]:
    """A function that returns the digest of a text in hexadecimal."""
    return lambda text: hashlib.new(algorithm, encode(text), usedforsecurity=False).hexdigest()


sha1sum, sha256sum, sha512sum = map(_digest, ("sha1", "sha256", "sha512"))


def adler32sum(text: str) -> str:
    """Adler-32 in decimal."""
    return str(adler32(encode(text)))


def from_json(text: str) -> Value:
    """Parse JSON; nil if it is invalid."""
    return unmarshal(text).value


def must_from_json(text: str) -> Value:
    """Parse JSON; invalid JSON is an error."""
    result = unmarshal(text)
    if result.error is not None:
        raise FunctionError(result.error)
    return result.value


def _write_or_empty(write: Callable[[Value], str]) -> Callable[[Value], str]:
    """A function that returns an empty string for a value that JSON cannot represent."""

    def call(value: Value) -> str:
        try:
            return write(value)
        except FunctionError:
            return ""

    return call


must_to_json, must_to_pretty_json = marshal, marshal_indent
to_json, to_pretty_json = _write_or_empty(marshal), _write_or_empty(marshal_indent)
to_raw_json = partial(marshal, escape_html=False)
