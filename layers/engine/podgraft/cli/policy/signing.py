"""Signers of policies: a key in AWS KMS, or a private key in a file.

``cryptography`` and KMS create signatures. ``podgraft.core.signing``, which the function uses,
verifies each of them before it is stored.
"""

import hashlib
from pathlib import Path
from typing import Any, Protocol

import click
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from podgraft.cli import stacks
from podgraft.cli.failure import CommandError
from podgraft.cli.shared_options import FILE, add_options
from podgraft.cli.stacks import aws_errors
from podgraft.core.signing import (
    InvalidKeyError,
    SignedDocument,
    make_payload,
)
from podgraft.core.signing.keys import PublicKey, decode_public_key
from podgraft.core.signing.signature import Signature

from .document_text import strip_signature

_COORDINATE_BYTES = 32
_ALGORITHM = "ECDSA_SHA_256"


class Signer(Protocol):
    """Signs payloads with one private key."""

    @property
    def public_key(self) -> PublicKey:
        """The public key that verifies the signatures."""
        ...

    def sign(self, payload: bytes) -> bytes:
        """Return the DER encoding of the signature."""
        ...


class FileSigner:
    """A private key in a PEM file."""

    def __init__(self, path: Path) -> None:
        self._key = _read_private_key(path)
        der = self._key.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        self.public_key = decode_public_key(der)

    def sign(self, payload: bytes) -> bytes:
        """Sign with ECDSA and SHA-256."""
        return self._key.sign(payload, ec.ECDSA(hashes.SHA256()))


class KmsSigner:
    """A key in AWS KMS, by its id, ARN, or alias; it needs kms:GetPublicKey and kms:Sign."""

    def __init__(self, key: str) -> None:
        self._key = key
        # Typed for no service in particular.
        self._client: Any = stacks.make_client("kms")
        remedy = "use a key with the spec ECC_NIST_P256 and the usage SIGN_VERIFY"
        with aws_errors(f"KMS key {key}", remedy=remedy):
            der = self._client.get_public_key(KeyId=key)["PublicKey"]
        try:
            self.public_key = decode_public_key(der)
        except InvalidKeyError as error:
            raise CommandError(f"KMS key {key}: {remedy}") from error

    def sign(self, payload: bytes) -> bytes:
        """Send only the SHA-256 of the payload, as KMS accepts at most 4096 bytes."""
        with aws_errors(f"KMS key {self._key}"):
            response = self._client.sign(
                KeyId=self._key,
                Message=hashlib.sha256(payload).digest(),
                MessageType="DIGEST",
                SigningAlgorithm=_ALGORITHM,
            )
        return response["Signature"]


def sign_document(signer: Signer, document: str, subject: str, version: int, digest: str) -> str:
    """Return the document with a signature for one version, which replaces an earlier one."""
    text = strip_signature(document)
    text = text if not text or text.endswith("\n") else f"{text}\n"
    payload = make_payload(subject, version, digest, text)
    r, s = decode_dss_signature(signer.sign(payload))
    value = r.to_bytes(_COORDINATE_BYTES, "big") + s.to_bytes(_COORDINATE_BYTES, "big")
    if not signer.public_key.verifies(payload, value):
        raise CommandError("the signature is not valid for its public key; use another key")
    signature = Signature(version=version, digest=digest, key_id=signer.public_key.id, value=value)
    return str(SignedDocument(text, signature))


def _read_private_key(path: Path) -> ec.EllipticCurvePrivateKey:
    remedy = "create one: openssl ecparam -name prime256v1 -genkey -noout -out signer.key"
    try:
        key = serialization.load_pem_private_key(path.read_bytes(), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm, OSError) as error:
        # The text of the error can quote the file.
        raise CommandError(
            f"{path}: expected a private key in PEM without passphrase; {remedy}"
        ) from error
    if not isinstance(key, ec.EllipticCurvePrivateKey) or not isinstance(key.curve, ec.SECP256R1):
        raise CommandError(f"{path}: expected a key of the curve P-256; {remedy}")
    return key


signer_options = add_options(
    click.option(
        "--sign", metavar="KEY", help="KMS key that signs the policy: its id, ARN, or alias."
    ),
    click.option("--sign-key", type=FILE, help="Private key that signs the policy: EC P-256, PEM."),
)


def make_signer(kms_key: str | None, path: Path | None) -> Signer | None:
    """Return the signer that the options name, if any."""
    if kms_key and path:
        raise click.UsageError("--sign and --sign-key name two keys; use only one of them")
    if path:
        return FileSigner(path)
    return KmsSigner(kms_key) if kms_key else None
