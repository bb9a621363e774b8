"""Public keys of signers: PEM, and the text that KMS prints."""

from base64 import b64encode

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from podgraft.core.signing.keys import decode_public_key, parse_public_keys
from podgraft.core.signing.signature import InvalidKeyError

KEYS = [ec.generate_private_key(ec.SECP256R1()).public_key() for _ in range(3)]
DER, INFO = serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
TEXTS = [b64encode(key.public_bytes(DER, INFO)).decode() for key in KEYS]
PEMS = [key.public_bytes(serialization.Encoding.PEM, INFO).decode() for key in KEYS]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (TEXTS[0], 1),
        (f" {TEXTS[0]}\n", 1),
        (f"{TEXTS[0]},{TEXTS[1]}", 2),
        (f"{TEXTS[0]}, {TEXTS[1]}", 2),
        (f"{TEXTS[0]},{TEXTS[0]}", 1),
        (PEMS[0], 1),
        (PEMS[0].replace("\n", " "), 1),
        (PEMS[0] + PEMS[1], 2),
    ],
)
def test_one_or_two_keys(text: str, count: int) -> None:
    keys = parse_public_keys(text)
    assert len(keys) == count
    assert keys[0] == parse_public_keys(TEXTS[0])[0]
    assert len(keys[0].id) == 16


def make_der(key: rsa.RSAPublicKey | ec.EllipticCurvePublicKey) -> str:
    return b64encode(key.public_bytes(DER, INFO)).decode()


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "expected a public key; use the output of aws kms get-public-key"),
        ("x", "expected a public key of the curve P-256"),
        (",".join(TEXTS), "got 3 public keys; use at most 2"),
        (PEMS[0] + "x", "expected a public key; use"),
        (make_der(ec.generate_private_key(ec.SECP384R1()).public_key()), "of the curve P-256"),
        (make_der(ec.generate_private_key(ec.SECP256K1()).public_key()), "of the curve P-256"),
        (
            make_der(rsa.generate_private_key(65537, 2048).public_key()),
            "expected a public key of the curve P-256",
        ),
        (TEXTS[0][:-8] + "AAAAAA==", "of the curve P-256"),
    ],
    ids=("none", "text", "three", "remainder", "P-384", "K-256", "RSA", "no-point"),
)
def test_an_invalid_key(text: str, error: str) -> None:
    with pytest.raises(InvalidKeyError, match=error):
        parse_public_keys(text)


POINT = KEYS[0].public_bytes(
    serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
)
COMPRESSED = KEYS[0].public_bytes(
    serialization.Encoding.X962, serialization.PublicFormat.CompressedPoint
)
X, Y = POINT[1:33], POINT[33:]
P = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
EC_KEY = bytes.fromhex("06072a8648ce3d0201")
P_256 = bytes.fromhex("06082a8648ce3d030107")
ECDH = bytes.fromhex("06052b8104010c")


def make_sequence(tag: int, *parts: bytes) -> bytes:
    """A DER value of at most 65,535 bytes."""
    content = b"".join(parts)
    size = len(content)
    if size < 128:
        return bytes([tag, size]) + content
    length = size.to_bytes(2 if size > 255 else 1, "big")
    return bytes([tag, 0x80 | len(length)]) + length + content


def make_key(point: bytes, algorithm: bytes = EC_KEY, curve: bytes = P_256) -> bytes:
    """A SubjectPublicKeyInfo."""
    return make_sequence(
        0x30, make_sequence(0x30, algorithm, curve), make_sequence(0x03, b"\0" + point)
    )


# The curve by its parameters instead of its name (RFC 3279), with which other groups are possible.
EXPLICIT = make_sequence(
    0x30,
    b"\2\1\1",
    make_sequence(
        0x30, bytes.fromhex("06072a8648ce3d0101"), make_sequence(0x02, b"\0", P.to_bytes(32, "big"))
    ),
    make_sequence(
        0x30,
        make_sequence(0x04, (P - 3).to_bytes(32, "big")),
        make_sequence(
            0x04,
            bytes.fromhex("5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b"),
        ),
    ),
    make_sequence(
        0x04,
        b"\4",
        bytes.fromhex("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"),
        bytes.fromhex("4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"),
    ),
    make_sequence(
        0x02,
        b"\0",
        bytes.fromhex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"),
    ),
    b"\2\1\1",
)


def test_the_encoding_of_kms_is_accepted() -> None:
    der = make_key(POINT)
    assert der == KEYS[0].public_bytes(DER, INFO)
    assert decode_public_key(der).key == KEYS[0]


@pytest.mark.parametrize(
    "der",
    [
        make_key(COMPRESSED),
        make_key(bytes([6 + Y[-1] % 2]) + X + Y),
        make_key(POINT, curve=EXPLICIT),
        make_key(POINT, algorithm=ECDH),
        make_key(POINT, curve=b""),
        make_key(POINT) + b"\0",
        make_key(POINT)[:-1],
        b"\x30\x81" + make_key(POINT)[1:],
        make_key(b"\4" + X + X),
        make_key(b"\4" + bytes(64)),
        make_key(b"\4" + P.to_bytes(32, "big") + Y),
        make_key(b"\0"),
        make_key(b"\4" + X),
        b"",
    ],
    ids=(
        *("compressed", "hybrid", "explicit-curve", "ECDH", "no-curve", "longer", "shorter"),
        *("long-length", "no-point", "zero", "not-reduced", "infinity", "half", "empty"),
    ),
)
def test_another_encoding_is_rejected(der: bytes) -> None:
    """The id is the hash of the encoding, so a key must have only one."""
    with pytest.raises(InvalidKeyError, match="expected a public key of the curve P-256; use the"):
        decode_public_key(der)
