"""The line with the signature, and the signed content.

The last line of a signed document is
``# signature: v1 VERSION DIGEST KEY SIGNATURE``. VERSION is the version of the parameter that the
signature is for, DIGEST the digest of the bundle, KEY the id of the public key, and SIGNATURE the
base64 text of r and s.
"""

import binascii
import re
from base64 import b64decode, b64encode

from msgspec import Struct

_FORMAT = "v1"
_MARK = "# signature:"
_LINE = re.compile(
    r"# signature: v1 ([1-9][0-9]{0,9}) (sha256:[0-9a-f]{64}) ([0-9a-f]{16}) "
    r"([A-Za-z0-9+/]{86}==)\n?"
)


class SignatureError(ValueError):
    """A document without a valid signature; the message has problem and remedy."""


class InvalidKeyError(ValueError):
    """The text is not a list of one or two public keys; the message has problem and remedy."""


class Signature(Struct, frozen=True, kw_only=True):
    """The line of a signature."""

    version: int
    digest: str
    key_id: str
    value: bytes

    def __str__(self) -> str:
        """Format the line, without its end."""
        text = b64encode(self.value).decode()
        return f"{_MARK} {_FORMAT} {self.version} {self.digest} {self.key_id} {text}"


class SignedDocument(Struct, frozen=True):
    """The signed text of a policy, and its signature; None for an unsigned document."""

    text: str
    signature: Signature | None = None

    def __str__(self) -> str:
        """The complete document."""
        return self.text if self.signature is None else f"{self.text}{self.signature}\n"


def split_signature(document: str) -> SignedDocument:
    """Split a document into its text and its signature.

    Raises ``SignatureError`` for a line that is not the last one, or that does not parse.
    """
    start = document.find(f"\n{_MARK}") + 1  # the first line, if no other one begins with it
    if not document.startswith(_MARK, start):
        return SignedDocument(document)
    match = _LINE.fullmatch(document, start)
    if match is None:
        raise SignatureError("the signature is not the last line, or is damaged; sign it again")
    version, digest, key_id, text = match.groups()
    try:
        value = b64decode(text, validate=True)
    except binascii.Error as error:
        raise SignatureError("the signature is damaged; sign it again") from error
    signature = Signature(version=int(version), digest=digest, key_id=key_id, value=value)
    return SignedDocument(document[:start], signature)


def make_payload(subject: str, version: int, digest: str, text: str) -> bytes:
    """Return the bytes to sign.

    *subject* is the name of the parameter, or ``folder:INJECTOR``. No field before the text
    contains a line feed, so different contents have different payloads.
    """
    return f"podgraft policy signature {_FORMAT}\n{subject}\n{version}\n{digest}\n{text}".encode()
