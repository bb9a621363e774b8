"""The callers of one cluster: token hashes, and subjects of client certificates.

The document is the SSM SecureString ``<prefix>/auth/<cluster>``, or the file
``<folder>/auth/<cluster>.yaml``::

    tokens:                  # at most two, to rotate a token without downtime
      - sha256: 9f86d08…     # of the UTF-8 bytes, in hex; the token itself is not stored
        created: "2026-11-21T03:20:00Z"
        note: ticket 4711
    subjects:                # of client certificates, in the format of RFC 4514
      - CN=prod-eu,O=podgraft-clusters

This module is pure. ``podgraft tokens`` supplies the clock and the random numbers, and the stores
read and write the documents.
"""

import hashlib
import hmac
import re

from msgspec import Struct
from msgspec.structs import replace

from podgraft.base.jsonvalue import JSON, Object

_IDENTITY_DIGITS = 8  # of the hash of a token
MAX_ACTIVE = 2  # the old and the new token during a rotation

_SHA256 = re.compile(r"[0-9a-f]{64}")


class TokensError(ValueError):
    """An invalid document, or an invalid change of it."""


class TokenHash(Struct, frozen=True):
    """The hash of one active token."""

    sha256: str
    created: str
    note: str = ""

    @property
    def identity(self) -> str:
        """The short id of the token: the first digits of its hash."""
        return self.sha256[:_IDENTITY_DIGITS]


class Callers(Struct, frozen=True):
    """The callers of one cluster."""

    tokens: tuple[TokenHash, ...] = ()
    subjects: tuple[str, ...] = ()

    def has_token(self, *digests: str) -> bool:
        """Whether any of *digests* belongs to an active token. Runs in constant time."""
        matches = [hmac.compare_digest(a.sha256, b) for a in self.tokens for b in digests]
        return sum(matches) > 0

    def with_token(self, token: TokenHash) -> "Callers":
        """Return a copy with a new token; raises ``TokensError`` above ``MAX_ACTIVE``."""
        if len(self.tokens) >= MAX_ACTIVE:
            raise TokensError(f"{MAX_ACTIVE} tokens are already active; revoke one of them first")
        return replace(self, tokens=(*self.tokens, token))

    def without_token(self, identity: str) -> "Callers":
        """Return a copy without the token *identity*; raises ``TokensError`` unless one matches."""
        matches = [token for token in self.tokens if identity and token.sha256.startswith(identity)]
        if len(matches) != 1:
            active = ", ".join(token.identity for token in self.tokens) or "none"
            raise TokensError(
                f"token {identity!r}: {len(matches)} tokens match; use one of: {active}"
            )
        return replace(self, tokens=tuple(token for token in self.tokens if token != matches[0]))


def hash_token(token: str) -> str:
    """Return the hash under which a token is stored and compared."""
    return hashlib.sha256(token.encode()).hexdigest()


def identify_token(token: str) -> str:
    """Return the short id of a token, which does not reveal the token."""
    return hash_token(token)[:_IDENTITY_DIGITS]


def parse_callers(document: JSON) -> Callers:
    """Parse the document; raises ``TokensError`` with the invalid key."""
    match document:
        case None:
            return Callers()
        case dict():
            _check_keys(document, "tokens", "subjects", location="the document")
        case _:
            raise TokensError("the document must be a mapping with the keys tokens and subjects")
    tokens = tuple(
        _parse_token(item, f"tokens[{i}]") for i, item in enumerate(_parse_list(document, "tokens"))
    )
    if len(tokens) > MAX_ACTIVE:
        raise TokensError(f"tokens: got {len(tokens)} tokens; at most {MAX_ACTIVE} can be active")
    return Callers(
        tokens, tuple(_parse_subject(item) for item in _parse_list(document, "subjects"))
    )


def to_document(callers: Callers) -> Object:
    """Return the document that ``parse_callers`` reads."""
    tokens: list[JSON] = [
        {"sha256": token.sha256, "created": token.created, "note": token.note}
        for token in callers.tokens
    ]
    return {"tokens": tokens, "subjects": list(callers.subjects)}


def _parse_list(document: Object, key: str) -> list[JSON]:
    value = document.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise TokensError(f"{key}: expected a list")
    return value


def _parse_token(item: JSON, location: str) -> TokenHash:
    if not isinstance(item, dict):
        raise TokensError(f"{location}: expected a mapping with sha256, created, and note")
    _check_keys(item, "sha256", "created", "note", location=location)
    sha256, created, note = item.get("sha256"), item.get("created", ""), item.get("note", "")
    # The message omits the value: it can be the token itself.
    if not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
        raise TokensError(f"{location}.sha256: expected 64 lower-case hexadecimal digits")
    if not isinstance(created, str) or not isinstance(note, str):
        raise TokensError(f"{location}: created and note must be strings")
    return TokenHash(sha256, created, note)


def _parse_subject(item: JSON) -> str:
    if not isinstance(item, str) or not item:
        raise TokensError("subjects: expected strings such as CN=prod-eu,O=podgraft-clusters")
    return item


def _check_keys(mapping: Object, *accepted: str, location: str) -> None:
    # The message omits the key: it can be a token, too.
    if mapping.keys() - set(accepted):
        raise TokensError(f"{location}: unknown key; use {', '.join(accepted)}")
