"""Private keys: the two kinds that API Gateway's regional endpoints take, and their PEM form."""

from enum import StrEnum
from pathlib import Path
from typing import TypeAlias

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.types import PublicKeyTypes
from cryptography.x509 import Certificate

from podgraft.cli.failure import CommandError

PrivateKey: TypeAlias = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey

RSA_BITS = (
    2048  # the one RSA size for imported certificates of regional API endpoints and mutual TLS
)
RSA_EXPONENT = 65537


class KeyType(StrEnum):
    """What ``--key-type`` takes."""

    RSA_2048 = "rsa-2048"
    P_256 = "p-256"


def make_key(kind: KeyType) -> PrivateKey:
    """A new random key."""
    match kind:
        case KeyType.RSA_2048:
            return rsa.generate_private_key(RSA_EXPONENT, RSA_BITS)
        case KeyType.P_256:
            return ec.generate_private_key(ec.SECP256R1())


def key_type(certificate: Certificate) -> KeyType | None:
    """Which of the two kinds the key of *certificate* is; None for any other."""
    match key := _read_public_key(certificate):
        case rsa.RSAPublicKey() if key.key_size == RSA_BITS:
            return KeyType.RSA_2048
        case ec.EllipticCurvePublicKey() if isinstance(key.curve, ec.SECP256R1):
            return KeyType.P_256
        case _:
            return None


def read_passphrase(file: Path | None) -> bytes | None:
    """The first line of a passphrase file; None without a file."""
    if file is None:
        return None
    first = file.read_bytes().split(b"\n", 1)[0].removesuffix(b"\r")
    if not first:
        raise CommandError(f"{file}: the passphrase is empty; write it into the first line")
    return first


def encode_key(key: PrivateKey, secret: bytes | None) -> bytes:
    """Encode a key as PKCS #8 PEM, encrypted if there is a passphrase."""
    encryption = (
        serialization.BestAvailableEncryption(secret) if secret else serialization.NoEncryption()
    )
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption
    )


def read_key(file: Path, secret: bytes | None) -> PrivateKey:
    """Read a PEM key; a passphrase that an unencrypted key does not need is no fault."""
    data = file.read_bytes()
    if b"ENCRYPTED" in data and secret is None:
        raise CommandError(f"{file}: the key is encrypted; give its passphrase file")
    try:
        key = serialization.load_pem_private_key(data, secret if b"ENCRYPTED" in data else None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        remedy = "is the passphrase right?" if secret else "a PEM private key is needed"
        raise CommandError(f"{file}: cannot read the key; {remedy}") from error
    if not isinstance(key, rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey):
        raise CommandError(f"{file}: only RSA and ECDSA keys are supported")
    return key


def is_key_pair(key: PrivateKey, certificate: Certificate) -> bool:
    """Whether *key* is the key of *certificate*."""
    return key.public_key() == _read_public_key(certificate)


def _read_public_key(certificate: Certificate) -> PublicKeyTypes | None:
    """Return the public key; None for one of another algorithm or curve."""
    try:
        return certificate.public_key()
    except UnsupportedAlgorithm:
        return None
