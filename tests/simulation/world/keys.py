"""A model of KMS: one key that signs. Equal texts have equal signatures (RFC 6979)."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils

from .responses import AwsError


class KeyModel:
    """Signing keys by their alias."""

    def __init__(self, seed: int) -> None:
        self.keys = {
            f"alias/signer-{number}": ec.derive_private_key(
                (seed % 10_000) * 10 + number + 1, ec.SECP256R1()
            )
            for number in (0, 1)
        }
        self.disabled: set[str] = set()

    def public_pem(self, alias: str) -> str:
        """Return the public key of a signer, as the setting of the function has it."""
        return (
            self.keys[alias]
            .public_key()
            .public_bytes(
                serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
            )
            .decode()
        )

    def call(self, operation: str, given: dict[str, Any]) -> Any:
        """Return the response of an operation; raises ``AwsError``."""
        alias = given["KeyId"]
        if alias not in self.keys:
            raise AwsError("NotFoundException")
        if alias in self.disabled:
            raise AwsError("DisabledException")
        key = self.keys[alias]
        if operation == "GetPublicKey":
            der = key.public_key().public_bytes(
                serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
            )
            return {"KeyId": alias, "PublicKey": b64encode(der).decode()}
        if operation == "Sign":
            algorithm = ec.ECDSA(utils.Prehashed(hashes.SHA256()), deterministic_signing=True)
            signature = key.sign(b64decode(given["Message"]), algorithm)
            return {"KeyId": alias, "Signature": b64encode(signature).decode()}
        raise NotImplementedError(f"kms:{operation}")
