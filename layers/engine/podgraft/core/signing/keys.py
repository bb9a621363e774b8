"""Public keys of signers: EC P-256, as PEM or as the base64 text that AWS KMS prints.

This module imports ``cryptography``. Only ``verifier.make_verifier`` and the commands that sign
load it.
"""

import binascii
import hashlib
import re
from base64 import b64decode

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from msgspec import Struct

from .signature import InvalidKeyError

_COORDINATE_BYTES = 32
_MAX_KEYS = 2
_ECDSA = ec.ECDSA(hashes.SHA256())
_BLOCK = re.compile(r"-----BEGIN PUBLIC KEY-----\s([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----")
_SEPARATORS = re.compile(r"[\s,]+")
_REMEDY = "use the output of aws kms get-public-key --query PublicKey --output text, or a PEM"


class PublicKey(Struct, frozen=True):
    """The public key of a signer. ``id`` is the start of the SHA-256 of its DER encoding."""

    id: str
    key: ec.EllipticCurvePublicKey

    def verifies(self, payload: bytes, signature: bytes) -> bool:
        """Whether the signature (r and s, 32 bytes each) of the payload is valid."""
        if len(signature) != 2 * _COORDINATE_BYTES:
            return False
        r = int.from_bytes(signature[:_COORDINATE_BYTES], "big")
        s = int.from_bytes(signature[_COORDINATE_BYTES:], "big")
        try:
            self.key.verify(encode_dss_signature(r, s), payload, _ECDSA)
        except InvalidSignature:
            return False
        return True


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
    """Decode a SubjectPublicKeyInfo (RFC 5480); raises ``InvalidKeyError``.

    Only the encoding of KMS and OpenSSL is accepted: a named curve and an uncompressed point. With
    another one, the same key would have another id.
    """
    try:
        key = serialization.load_der_public_key(der)
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if (
        not isinstance(key, ec.EllipticCurvePublicKey)
        or not isinstance(key.curve, ec.SECP256R1)
        or _encode(key) != der
    ):
        raise InvalidKeyError(f"expected a public key of the curve P-256; {_REMEDY}")
    return PublicKey(hashlib.sha256(der).hexdigest()[:16], key)


def _encode(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
