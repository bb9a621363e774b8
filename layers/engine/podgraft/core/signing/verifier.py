"""The verification of a document by the keys of the function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from .signature import Signature, SignatureError, make_payload, split_signature

if TYPE_CHECKING:
    from .keys import PublicKey

_SIGN = "sign it with podgraft push --sign, or podgraft policy sign for a folder"


class Verifier(Struct, frozen=True):
    """The public keys that the function accepts; ``is_required`` rejects unsigned documents."""

    keys: tuple[PublicKey, ...]
    is_required: bool = True

    def verify(self, document: str, subject: str, version: int | None) -> Signature | None:
        """Return the valid signature of a document; None for an unsigned one, if that is allowed.

        With *version* None, the document can have any version. Raises ``SignatureError``.
        """
        signed = split_signature(document)
        signature = signed.signature
        if signature is None:
            if self.is_required:
                raise SignatureError(f"the policy is not signed; {_SIGN}")
            return None
        key = next((key for key in self.keys if key.id == signature.key_id), None)
        if key is None:
            accepted = ", ".join(key.id for key in self.keys)
            raise SignatureError(
                f"the policy is signed with the key {signature.key_id}; use the key {accepted}"
            )
        if version is not None and signature.version != version:
            raise SignatureError(
                f"the policy is signed for version {signature.version}, but it is version "
                f"{version}; {_SIGN}"
            )
        payload = make_payload(subject, signature.version, signature.digest, signed.text)
        if not key.verifies(payload, signature.value):
            raise SignatureError(
                f"the signature is not valid for {subject}, or the text was changed; {_SIGN}"
            )
        return signature


def make_verifier(public_keys: str, *, is_required: bool = True) -> Verifier:
    """Return the verifier for one or two public keys, as a PEM or base64 text.

    Raises ``InvalidKeyError``.
    """
    from .keys import parse_public_keys  # cryptography: only with the public key of a signer

    return Verifier(parse_public_keys(public_keys), is_required)
