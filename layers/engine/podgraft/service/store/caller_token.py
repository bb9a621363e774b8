"""The text of a token: ``pg1-ID-DATE-SECRET-CHECKSUM``, 82 characters.

=========  ========================================================  ======
part       content                                                   secret
=========  ========================================================  ======
ID         40 random bits, 8 characters                              no
DATE       the last day of validity in UTC, ``00000000`` for none    no
SECRET     260 random bits, 52 characters                            yes
CHECKSUM   CRC-32 of all text before it, 7 characters                no
=========  ========================================================  ======

ID, SECRET, and CHECKSUM are in base32 with the alphabet of RFC 4648 in lower case: kube-apiserver
accepts neither upper-case letters nor ``_`` in the path of a Service. The checksum finds a token
that was cut or mistyped, without the store. The document of the cluster decides on the validity;
the date in the text is a hint for people and for ``podgraft tokens``. Earlier tokens have 64
hexadecimal digits, no id, and no date; they stay valid.

This module is pure: the caller supplies the random bytes.
"""

import re
import zlib
from base64 import b32encode

from msgspec import Struct

PREFIX = "pg1-"
NEVER = "00000000"
ID_BYTES = 5
# 260 bits are 52 characters; the 33rd byte supplies the last four bits.
SECRET_BYTES = 33

_SECRET_DIGITS, _CHECKSUM_DIGITS = 52, 7
_TOKEN = re.compile(r"pg1-([a-z2-7]{8})-([0-9]{8})-[a-z2-7]{52}-([a-z2-7]{7})")


class TokenText(Struct, frozen=True):
    """The public parts of a token. ``expires`` is ``YYYY-MM-DD``, or empty for none."""

    id: str
    expires: str


def make_token(id_bytes: bytes, secret: bytes, expires: str) -> str:
    """Return the token of random bytes; *expires* is ``YYYY-MM-DD``, or empty for none."""
    date = expires.replace("-", "") or NEVER
    parts = (_encode(id_bytes, ID_BYTES * 8 // 5), date, _encode(secret, _SECRET_DIGITS))
    body = f"{PREFIX}{'-'.join(parts)}-"
    return f"{body}{_checksum(body)}"


def parse_token(text: str) -> TokenText | None:
    """Return the public parts of a token; ``None`` for a damaged token and for other text.

    >>> parse_token("pg1-cut")
    """
    match = _TOKEN.fullmatch(text)
    if match is None or _checksum(text[:-_CHECKSUM_DIGITS]) != match[3]:
        return None
    date = match[2]
    return TokenText(match[1], "" if date == NEVER else f"{date[:4]}-{date[4:6]}-{date[6:]}")


def is_damaged(text: str) -> bool:
    """Whether a text begins as a token, and is none: it was cut or mistyped."""
    return text.startswith(PREFIX) and parse_token(text) is None


def _checksum(body: str) -> str:
    return _encode(zlib.crc32(body.encode()).to_bytes(4, "big"), _CHECKSUM_DIGITS)


def _encode(data: bytes, digits: int) -> str:
    """Return the first *digits* digits of the data in base32 (RFC 4648, section 6)."""
    return b32encode(data)[:digits].decode().lower()
