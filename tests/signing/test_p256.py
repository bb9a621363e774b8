"""ECDSA with P-256: the vectors of Wycheproof (ecdsa_secp256r1_sha256_p1363), and cryptography."""

import json
from pathlib import Path
from random import Random

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import (
    decode_dss_signature,
    encode_dss_signature,
)

from podgraft.signing import p256
from podgraft.signing.public_key import PublicKey, decode_public_key

VECTORS = [
    json.loads(line)
    for line in (Path(__file__).parent / "fixtures" / "p256.jsonl").read_text().splitlines()
]
RANDOM = Random(0)  # noqa: S311 - the same values every time
KEYS = [ec.derive_private_key(RANDOM.randrange(1, p256.N), ec.SECP256R1()) for _ in range(4)]


def to_public_key(key: ec.EllipticCurvePrivateKey) -> PublicKey:
    numbers = key.public_key().public_numbers()
    return PublicKey("", (numbers.x, numbers.y))


def encode(r: int, s: int) -> bytes:
    return r.to_bytes(32, "big") + s.to_bytes(32, "big")


def test_the_vectors_of_wycheproof() -> None:
    wrong = [
        vector["id"]
        for vector in VECTORS
        if decode_public_key(bytes.fromhex(vector["key"])).verifies(
            bytes.fromhex(vector["message"]), bytes.fromhex(vector["signature"])
        )
        is not vector["valid"]
    ]
    assert wrong == []
    assert sum(vector["valid"] for vector in VECTORS) > 100
    assert sum(not vector["valid"] for vector in VECTORS) > 50


@pytest.mark.parametrize("number", range(30))
def test_signatures_of_cryptography_and_their_changes(number: int) -> None:
    key, other = KEYS[number % 4], KEYS[(number + 1) % 4]
    message = RANDOM.randbytes(number)
    r, s = decode_dss_signature(key.sign(message, ec.ECDSA(hashes.SHA256())))
    public_key = to_public_key(key)
    assert public_key.verifies(message, encode(r, s))
    assert public_key.verifies(message, encode(r, p256.N - s))
    assert not to_public_key(other).verifies(message, encode(r, s))
    assert not public_key.verifies(message + b"x", encode(r, s))
    for changed_r, changed_s in ((r ^ 1, s), (r, s ^ 2), (s, r), (0, s), (r, 0), (p256.N, s)):
        signature = encode(changed_r, changed_s)
        assert public_key.verifies(message, signature) is is_valid(
            key, message, changed_r, changed_s
        )
    assert not public_key.verifies(message, encode(r, s)[:-1])


def is_valid(key: ec.EllipticCurvePrivateKey, message: bytes, r: int, s: int) -> bool:
    try:
        key.public_key().verify(encode_dss_signature(r, s), message, ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        return False
    return True


def test_points_that_are_equal_or_opposite() -> None:
    """Keys G and -G, for which the sums of multiples meet every special case of the addition."""
    generator = ec.derive_private_key(1, ec.SECP256R1())
    opposite = ec.derive_private_key(p256.N - 1, ec.SECP256R1())
    for key in (generator, opposite):
        for message in (b"", b"a", b"b"):
            r, s = decode_dss_signature(key.sign(message, ec.ECDSA(hashes.SHA256())))
            assert to_public_key(key).verifies(message, encode(r, s))
            digest = r  # u1 and u2 are equal, so G and -G cancel out
            assert not p256.verify(to_public_key(opposite).point, digest, r, s)


@pytest.mark.parametrize("point", [(0, 0), (1, 1), (p256.P, 0), (0, p256.P)])
def test_a_point_that_is_not_on_the_curve(point: p256.Point) -> None:
    assert not p256.is_on_curve(point)
