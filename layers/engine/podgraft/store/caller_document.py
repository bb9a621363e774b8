"""Who may call for one cluster: hashes of its tokens, and subjects of its client certificates.

The document is the SSM SecureString ``<prefix>/auth/<cluster>``, or the file
``<folder>/auth/<cluster>.yaml``::

    tokens:                  # at most two, so that a token is rotated without a gap
      - sha256: 9f86d08…     # of the UTF-8 bytes, in hex; the token itself is kept nowhere
        created: "2026-11-21T03:20:00Z"
        note: ticket 4711
    subjects:                # of client certificates, as RFC 4514 writes them
      - CN=prod-eu,O=podgraft-clusters

Pure: the clock and the randomness belong to scripts/tokens.py, reading and writing to the stores.
"""

import hashlib
import hmac

from msgspec import Struct
from msgspec.structs import replace

from podgraft.jsonvalue import JSON, Object
from podgraft.lazy_re import lazy_compile

MAX_ACTIVE = 2  # the old and the new one; a third would be one nobody remembers

_SHA256 = lazy_compile(r"[0-9a-f]{64}")


class TokensError(ValueError):
    """The document, or what is asked of it, is impossible; the message says why."""


class TokenHash(Struct, frozen=True):
    """One active token, known by its hash only."""

    sha256: str
    created: str
    note: str = ""

    @property
    def identity(self) -> str:
        """What people call the token by: enough of the hash to tell two apart."""
        return self.sha256[:8]


class Callers(Struct, frozen=True):
    """Everybody who may call for one cluster."""

    tokens: tuple[TokenHash, ...] = ()
    subjects: tuple[str, ...] = ()

    def has_token(self, *digests: str) -> bool:
        """Whether one of *digests* is an active token's; as long whichever it is, and whether."""
        matches = [hmac.compare_digest(a.sha256, b) for a in self.tokens for b in digests]
        return sum(matches) > 0

    def with_token(self, token: TokenHash) -> "Callers":
        """Add an active token; raises ``TokensError`` beyond ``MAX_ACTIVE``."""
        if len(self.tokens) >= MAX_ACTIVE:
            raise TokensError(f"{MAX_ACTIVE} tokens are active already; revoke one of them first")
        return replace(self, tokens=(*self.tokens, token))

    def without_token(self, identity: str) -> "Callers":
        """Drop the one token whose hash begins with *identity*; else raises ``TokensError``."""
        found = [token for token in self.tokens if identity and token.sha256.startswith(identity)]
        if len(found) != 1:
            active = ", ".join(token.identity for token in self.tokens) or "none"
            raise TokensError(f"{identity!r} names {len(found)} tokens; active: {active}")
        return replace(self, tokens=tuple(token for token in self.tokens if token != found[0]))


def hash_token(token: str) -> str:
    """The form in which a token is stored and compared."""
    return hashlib.sha256(token.encode()).hexdigest()


def parse_callers(document: JSON) -> Callers:
    """Read the document; raises ``TokensError`` naming the key that is wrong."""
    match document:
        case None:
            return Callers()
        case dict():
            _check_keys(document, "tokens", "subjects", place="the document")
        case _:
            raise TokensError("the document must be a mapping with the keys tokens and subjects")
    tokens = tuple(
        _parse_token(item, f"tokens[{i}]") for i, item in enumerate(_parse_list(document, "tokens"))
    )
    if len(tokens) > MAX_ACTIVE:
        raise TokensError(f"tokens: {len(tokens)} are listed, at most {MAX_ACTIVE} may be active")
    return Callers(
        tokens, tuple(_parse_subject(item) for item in _parse_list(document, "subjects"))
    )


def to_document(callers: Callers) -> Object:
    """Write the document that ``parse`` reads."""
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


def _parse_token(item: JSON, place: str) -> TokenHash:
    if not isinstance(item, dict):
        raise TokensError(f"{place}: expected a mapping with sha256, created and note")
    _check_keys(item, "sha256", "created", "note", place=place)
    sha256, created, note = item.get("sha256"), item.get("created", ""), item.get("note", "")
    # The value is not shown: somebody may have written the token where its hash belongs.
    if not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
        raise TokensError(f"{place}.sha256: expected 64 lower-case hexadecimal digits")
    if not isinstance(created, str) or not isinstance(note, str):
        raise TokensError(f"{place}: created and note must be strings")
    return TokenHash(sha256, created, note)


def _parse_subject(item: JSON) -> str:
    if not isinstance(item, str) or not item:
        raise TokensError("subjects: expected strings such as CN=prod-eu,O=podgraft-clusters")
    return item


def _check_keys(mapping: Object, *known: str, place: str) -> None:
    # Nor is a key shown: somebody may have written the token there too.
    if mapping.keys() - set(known):
        raise TokensError(f"{place}: has an unknown key; known: {', '.join(known)}")
