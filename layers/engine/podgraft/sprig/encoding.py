"""Base64, base32 and checksums of a text's bytes."""

from podgraft.go.utf8 import decode, encode

_BASE64 = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
_BASE32 = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
_PAD = ord("=")
_DIGITS64, _DIGITS32 = 4, 8  # that make whole bytes
_LEAST_DIGITS = 2  # that padding may follow
_LINE_BREAKS = b"\r\n"


def b64enc(text: str) -> str:
    """Standard base64."""
    from binascii import b2a_base64

    return b2a_base64(encode(text), newline=False).decode("ascii")


def b64dec(text: str) -> str:
    """The decoded text, or what Go says is wrong, as the result.

    >>> b64dec("aGk="), b64dec("aGk")
    ('hi', 'illegal base64 data at input byte 0')
    """
    from binascii import a2b_base64

    data = encode(text)
    fault = _base64_error_offset(data)
    if fault is not None:
        return f"illegal base64 data at input byte {fault}"
    return decode(a2b_base64(data))


def _base64_error_offset(data: bytes) -> int | None:
    """Where encoding/base64 stops, line breaks counted; None if all is well."""
    places = [place for place, byte in enumerate(data) if byte not in _LINE_BREAKS]
    stop = next((at for at, place in enumerate(places) if data[place] not in _BASE64), None)
    if stop is None:
        filled = len(places) % _DIGITS64
        return len(data) - filled if filled else None
    filled = stop % _DIGITS64
    if data[places[stop]] != _PAD or filled < _LEAST_DIGITS:
        return places[stop]
    if filled == _LEAST_DIGITS:
        stop += 1
        if stop == len(places):
            return len(data)
        if data[places[stop]] != _PAD:
            return places[stop] - 1
    return places[stop + 1] if stop + 1 < len(places) else None


def b32enc(text: str) -> str:
    """Standard base32."""
    from base64 import b32encode

    return b32encode(encode(text)).decode("ascii")


def b32dec(text: str) -> str:
    """The decoded text, or what Go says is wrong, as the result."""
    from base64 import b32decode

    data = encode(text).translate(None, _LINE_BREAKS)
    stop = next((at for at, byte in enumerate(data) if byte not in _BASE32), len(data))
    fault = _base32_error_offset(data, stop)
    if fault is not None:
        return f"illegal base32 data at input byte {fault}"
    return decode(b32decode(data[:stop] + b"=" * (-stop % _DIGITS32)))


def _base32_error_offset(data: bytes, stop: int) -> int | None:
    """Where encoding/base32 stops, given the first byte that is no digit.

    What follows a complete padding is ignored if it is shorter than eight bytes.
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
    wrong = next((at for at, byte in enumerate(padding) if byte != _PAD), None)
    if wrong is not None:
        return stop + wrong
    return stop if filled in (3, 6) else None


def _hexdigest(algorithm: str, text: str) -> str:
    import hashlib

    return hashlib.new(algorithm, encode(text), usedforsecurity=False).hexdigest()


def sha1sum(text: str) -> str:
    """SHA-1 in hexadecimal."""
    return _hexdigest("sha1", text)


def sha256sum(text: str) -> str:
    """SHA-256 in hexadecimal."""
    return _hexdigest("sha256", text)


def sha512sum(text: str) -> str:
    """SHA-512 in hexadecimal."""
    return _hexdigest("sha512", text)


def adler32sum(text: str) -> str:
    """Adler-32 in decimal."""
    from zlib import adler32

    return str(adler32(encode(text)))
