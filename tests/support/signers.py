"""A signer for tests, with its public key as a PEM."""

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from podgraft.cli.policy.signing import Signer, sign_document
from podgraft.core.signing.keys import PublicKey, decode_public_key


class MemorySigner:
    """A new private key of the curve P-256."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        info = serialization.PublicFormat.SubjectPublicKeyInfo
        key = self._key.public_key()
        self.public_key: PublicKey = decode_public_key(
            key.public_bytes(serialization.Encoding.DER, info)
        )
        self.public_pem = key.public_bytes(serialization.Encoding.PEM, info).decode()
        self.private_pem = self._key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ).decode()

    def sign_document(self, document: str, subject: str, version: int, digest: str) -> str:
        """Return a document with a signature."""
        signer = Signer(
            self.public_key, lambda payload: self._key.sign(payload, ec.ECDSA(hashes.SHA256()))
        )
        return sign_document(signer, document, subject, version, digest)
