"""Signatures of policies: ECDSA with P-256 and SHA-256, as the last line of the document.

A signature covers the parameter (or the injector of a folder), the version, the digest of the
bundle, and the text. So it is not valid for another injector, another stage, or a later version.
Verification needs no network, no permission, and no package: it is a few milliseconds for each
version that is loaded, and nothing for a review. Nothing here creates a signature.
"""

from .denied import DenyList, DenyListError, parse_deny_list
from .public_key import InvalidKeyError, PublicKey, parse_public_keys
from .signature import (
    SignatureError,
    SignedDocument,
    make_payload,
    split_signature,
)
from .verifier import Verifier

__all__ = [
    "DenyList",
    "DenyListError",
    "InvalidKeyError",
    "PublicKey",
    "SignatureError",
    "SignedDocument",
    "Verifier",
    "make_payload",
    "parse_deny_list",
    "parse_public_keys",
    "split_signature",
]
