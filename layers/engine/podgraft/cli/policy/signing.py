"""Signers of policies: a key in AWS KMS, or a private key in a file.

``cryptography`` and KMS create signatures. ``podgraft.core.signing``, which the function uses,
verifies each of them before it is stored.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from msgspec import Struct

from podgraft.cli import stacks
from podgraft.cli.failure import CommandError
from podgraft.cli.shared_options import FILE, gather_options
from podgraft.cli.stacks import aws_errors
from podgraft.core import policy
from podgraft.core.signing.keys import PublicKey, decode_public_key
from podgraft.core.signing.signature import (
    InvalidKeyError,
    Signature,
    SignatureError,
    SignedDocument,
    make_payload,
)
from podgraft.core.signing.verifier import Verifier

from .document_text import signed_version, strip_signature

_COORDINATE_BYTES = 32
_ALGORITHM = "ECDSA_SHA_256"


class Signer(Struct, frozen=True):
    """A private key: its public key, and the function that signs a payload.

    It returns the DER encoding of the signature with ECDSA and SHA-256.
    """

    public_key: PublicKey
    sign: Callable[[bytes], bytes]

    def has_signed(self, text: str, number: int | None) -> bool:
        """Whether the text has a signature with this key for the version; None is any version."""
        signed = signed_version(text)
        signature = text.removeprefix(strip_signature(text))
        return signed is not None and number in {None, signed} and self.public_key.id in signature


class SignedOrigin(Struct, frozen=True, kw_only=True):
    """A stored text that a command changes, and what its signature must be for.

    ``number`` is None in a folder, which has no versions.
    """

    text: str
    label: str
    subject: str
    number: int | None = None


def open_key_file(path: Path) -> Signer:
    """Return the signer with the private key in a PEM file; raises ``CommandError``."""
    key = _read_private_key(path)
    der = key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return Signer(
        decode_public_key(der), lambda payload: key.sign(payload, ec.ECDSA(hashes.SHA256()))
    )


def open_kms_key(key: str) -> Signer:
    """Return the signer with a key in AWS KMS, by its id, ARN, or alias; raises ``CommandError``.

    It needs kms:GetPublicKey and kms:Sign.
    """
    client: Any = stacks.make_client("kms")  # typed for no service in particular
    remedy = "use a key with the spec ECC_NIST_P256 and the usage SIGN_VERIFY"
    with aws_errors(f"KMS key {key}", remedy=remedy):
        der = client.get_public_key(KeyId=key)["PublicKey"]

    def sign(payload: bytes) -> bytes:
        digest = hashlib.sha256(payload).digest()  # KMS accepts at most 4096 bytes
        with aws_errors(f"KMS key {key}"):
            response = client.sign(
                KeyId=key, Message=digest, MessageType="DIGEST", SigningAlgorithm=_ALGORITHM
            )
        return response["Signature"]

    try:
        return Signer(decode_public_key(der), sign)
    except InvalidKeyError as error:
        raise CommandError(f"KMS key {key}: {remedy}") from error


def read_signed_bundle(document: str) -> str | None:
    """The bundle of a policy that will be signed; raises ``CommandError`` if it is invalid."""
    try:
        return policy.parse(document).bundle
    except policy.PolicyError as error:
        raise CommandError(
            f"{error}; the policy stays as it is, because a signature names the bundle of a valid "
            "policy: correct the policy, and push it"
        ) from error


def check_signer(signer: Signer | None, text: str, label: str) -> None:
    """Raise ``CommandError`` if an unsigned document would replace, or restore, a signed *text*."""
    if signer is None and signed_version(text) is not None:
        raise CommandError(
            f"{label} is signed; sign the new version with --sign KEY or --sign-key FILE"
        )


def check_origin(
    signer: Signer | None, origin: SignedOrigin, verifier: Verifier | None = None
) -> None:
    """Raise ``CommandError`` if a signature would cover a text that no signer has signed.

    Whoever can write the storage can write any text, and a command that changes a part of it signs
    the rest, too. The keys are those of the signer, and of *verifier*.
    """
    check_signer(signer, origin.text, origin.label)
    if signer is None or not origin.text.strip():
        return
    keys = (signer.public_key, *(() if verifier is None else verifier.keys))
    try:
        Verifier(keys).verify(origin.text, origin.subject, origin.number)
    except SignatureError as error:
        problem = str(error).partition("; ")[0]
        raise CommandError(
            f"{origin.label}: {problem}, and this signature would cover its text; review it, and "
            "sign it with podgraft push --sign, or podgraft policy sign for a folder"
        ) from error


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


def make_signer(sign: str | None, sign_key: Path | None) -> Signer | None:
    """Return the signer that the options name, if any."""
    if sign and sign_key:
        raise click.UsageError("--sign and --sign-key name two keys; use only one of them")
    if sign_key:
        return open_key_file(sign_key)
    return open_kms_key(sign) if sign else None


sign_options = gather_options(
    make_signer,
    click.option(
        "--sign", metavar="KEY", help="KMS key that signs the policy: its id, ARN, or alias."
    ),
    click.option("--sign-key", type=FILE, help="Private key that signs the policy: EC P-256, PEM."),
    name="signer",
)
