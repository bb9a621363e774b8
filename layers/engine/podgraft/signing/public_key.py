"""Public keys of signers: EC P-256, as PEM or as the base64 text that AWS KMS prints."""

from __future__ import annotations

import binascii
import hashlib
from base64 import b64decode

from msgspec import Struct

from podgraft.lazy_re import lazy_compile

from . import p256

# SubjectPublicKeyInfo with id-ecPublicKey, prime256v1, and an uncompressed point (RFC 5480).
_PREFIX = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d03010703420004")
_COORDINATE_BYTES = 32
_MAX_KEYS = 2
_BLOCK = lazy_compile(
    r"-----BEGIN PUBLIC KEY-----\s+([A-Za-z0-9+/=\s]+?)\s*-----END PUBLIC KEY-----"
)
_SEPARATORS = lazy_compile(r"[\s,]+")
_REMEDY = "use the output of aws kms get-public-key --query PublicKey --output text, or a PEM"


class InvalidKeyError(ValueError):
    """The text is not a list of one or two public keys; the message has problem and remedy."""


class PublicKey(Struct, frozen=True):
    """The public key of a signer. ``id`` is the start of the SHA-256 of its DER encoding."""

    id: str
    point: p256.Point

    def verifies(self, payload: bytes, signature: bytes) -> bool:
        """Whether the signature (r and s, 32 bytes each) of the payload is valid."""
        if len(signature) != 2 * _COORDINATE_BYTES:
            return False
        r = int.from_bytes(signature[:_COORDINATE_BYTES], "big")
        s = int.from_bytes(signature[_COORDINATE_BYTES:], "big")
        digest = int.from_bytes(hashlib.sha256(payload).digest(), "big")
        return p256.verify(self.point, digest, r, s)


def parse_public_keys(text: str) -> tuple[PublicKey, ...]:
    """Parse PEM blocks, or base64 texts with commas or spaces between them.

    Raises ``InvalidKeyError`` for no key, for more than two, and for keys of another type.
    """
    blocks: list[str] = _BLOCK.findall(text)
    remainder = _BLOCK.sub("", text).strip() if blocks else ""
    texts = blocks or [part for part in _SEPARATORS.split(text) if part]
    if remainder or not texts:
        raise InvalidKeyError(f"expected a public key; {_REMEDY}")
    keys = tuple({key.id: key for key in map(_parse_key, texts)}.values())
    if len(keys) > _MAX_KEYS:
        raise InvalidKeyError(f"got {len(keys)} public keys; use at most {_MAX_KEYS}")
    return keys


def _parse_key(text: str) -> PublicKey:
    try:
        der = b64decode("".join(text.split()), validate=True)
    except binascii.Error:
        der = b""
    return decode_public_key(der)


def decode_public_key(der: bytes) -> PublicKey:
    """Decode a SubjectPublicKeyInfo; raises ``InvalidKeyError``."""
    coordinates = der.removeprefix(_PREFIX)
    if not der.startswith(_PREFIX) or len(coordinates) != 2 * _COORDINATE_BYTES:
        raise InvalidKeyError(f"expected a public key of the curve P-256; {_REMEDY}")
    x = int.from_bytes(coordinates[:_COORDINATE_BYTES], "big")
    y = int.from_bytes(coordinates[_COORDINATE_BYTES:], "big")
    if not p256.is_on_curve((x, y)):
        raise InvalidKeyError(f"expected a point of the curve P-256; {_REMEDY}")
    return PublicKey(hashlib.sha256(der).hexdigest()[:16], (x, y))
