"""Public keys of signers: PEM, and the text that KMS prints."""

from base64 import b64encode

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from podgraft.signing import InvalidKeyError, parse_public_keys

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
