"""Verification of ECDSA with P-256: the vectors of Wycheproof (ecdsa_secp256r1_sha256_p1363)."""

import json
from pathlib import Path
from random import Random

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from podgraft.core.signing.keys import PublicKey, decode_public_key

# The order of the group (SP 800-186).
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
VECTORS = [
    json.loads(line)
    for line in (Path(__file__).parent / "fixtures" / "p256.jsonl").read_text().splitlines()
]
RANDOM = Random(0)  # noqa: S311 - the same values every time
KEYS = [ec.derive_private_key(RANDOM.randrange(1, N), ec.SECP256R1()) for _ in range(4)]


def to_public_key(key: ec.EllipticCurvePrivateKey) -> PublicKey:
    info = serialization.PublicFormat.SubjectPublicKeyInfo
    return decode_public_key(key.public_key().public_bytes(serialization.Encoding.DER, info))


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


@pytest.mark.parametrize("number", range(8))
def test_a_signature_is_valid_for_its_key_and_its_message_only(number: int) -> None:
    """Both values of s are valid, as for KMS; every other change is rejected."""
    key, other = KEYS[number % 4], KEYS[(number + 1) % 4]
    message = RANDOM.randbytes(number)
    r, s = decode_dss_signature(key.sign(message, ec.ECDSA(hashes.SHA256())))
    public_key = to_public_key(key)
    assert public_key.verifies(message, encode(r, s))
    assert public_key.verifies(message, encode(r, N - s))
    assert not to_public_key(other).verifies(message, encode(r, s))
    assert not public_key.verifies(message + b"x", encode(r, s))
    top = 2**256 - 1
    changes = ((r ^ 1, s), (r, s ^ 2), (s, r), (0, s), (r, 0), (0, 0), (N, s), (r, N), (top, top))
    for changed in changes:
        assert not public_key.verifies(message, encode(*changed)), changed


@pytest.mark.parametrize("value", ["r", "s"])
def test_a_value_is_not_reduced_by_the_order(value: str) -> None:
    """With reduction, a document would have more than two valid signatures."""
    key = KEYS[0]
    for number in range(64):
        r, s = decode_dss_signature(key.sign(bytes([number]), ec.ECDSA(hashes.SHA256())))
        changed = (r + N, s) if value == "r" else (r, s + N)
        if max(changed) < 2**256:
            assert not to_public_key(key).verifies(bytes([number]), encode(*changed))


@pytest.mark.parametrize("length", [0, 63, 65, 70, 72, 128])
def test_a_signature_has_64_bytes(length: int) -> None:
    """DER is rejected as well."""
    signature = KEYS[0].sign(b"", ec.ECDSA(hashes.SHA256()))
    public_key = to_public_key(KEYS[0])
    fixed = encode(*decode_dss_signature(signature))
    assert public_key.verifies(b"", fixed)
    assert not public_key.verifies(b"", signature)
    assert not public_key.verifies(b"", (fixed + fixed)[:length])
