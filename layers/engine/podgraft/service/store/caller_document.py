"""The callers of one cluster: token hashes, subjects of client certificates, and groups.

The document is the SSM SecureString ``<prefix>/auth/<cluster>``, the file
``<folder>/auth/<cluster>.yaml``, or the value of a cluster in the registry of a stack
(``registry_document.py``)::

    tokens:                  # at most two, to rotate a token without downtime
      - id: k7m2q9x4         # without one, the first digits of the hash are the id
        sha256: 9f86d08…     # of the UTF-8 bytes, in hex; the token itself is not stored
        created: "2026-11-21T03:20:00Z"
        expires: "2027-02-22"  # the last day in UTC; without one, the token does not expire
        note: ticket 4711
    subjects:                # of client certificates, in the format of RFC 4514
      - CN=prod-eu,O=podgraft-clusters
    groups: [ring-0]         # of the policy
    sources: [198.51.100.0/24]  # where requests can come from; empty for everywhere
    revoked:                 # the newest 8, so that logs can name the cluster of such a token
      - {id: b3n8w2aa, at: "2026-11-20T08:00:00Z"}
    issuers: []              # reserved: nothing reads them

Functions before the registry accept only ``tokens`` with ``sha256``, ``created``, and ``note``, and
``subjects``. ``to_document`` omits the other keys if they are empty. A copy for such a function
contains the complete document as a comment, so that no token loses its end or its sources if the
registry is gone.

This module is pure. ``podgraft tokens`` supplies the clock and the random numbers, and the stores
read and write the documents.
"""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import DecodeError, Struct, ValidationError
from msgspec.json import Decoder
from msgspec.structs import replace

from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.identifiers import is_group
from podgraft.kube import yaml

from .caller_token import is_damaged, parse_token
from .sources import REMEDY, is_source

_IDENTITY_DIGITS = 8  # of the hash of a token
MAX_ACTIVE = 2  # the old and the new token during a rotation
MAX_REVOKED = 8  # for logs; the oldest one leaves

_SHA256 = re.compile(r"[0-9a-f]{64}")
_ID = re.compile(r"[a-z2-7]{8}|[0-9a-f]{8}")  # of the text, or of the hash
_DATE = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])")
# The same for one line per text, to match thousands of texts with one call.
_SHA256_LINES = re.compile(r"(?:[0-9a-f]{64}\n)*")
_ID_LINES = re.compile(r"(?:(?:[a-z2-7]{8}|[0-9a-f]{8})\n)*")
_DATE_LINES = re.compile(r"(?:[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])\n)*")
_KEYS = ("tokens", "subjects", "groups", "sources", "revoked", "issuers")
_SUBJECT = "CN=prod-eu,O=podgraft-clusters"
_COMPLETE = "# podgraft reads this document instead of the one above:\n# "


class TokensError(ValueError):
    """An invalid document, or an invalid change of it."""


class TokenHash(Struct, frozen=True, forbid_unknown_fields=True):
    """The hash of one active token. ``expires`` is its last day in UTC; empty for none."""

    sha256: str
    created: str
    note: str = ""
    id: str = ""
    expires: str = ""

    @property
    def identity(self) -> str:
        """The id of the token: that of its text, or the first digits of its hash."""
        return self.id or self.sha256[:_IDENTITY_DIGITS]

    def is_expired(self, day: str) -> bool:
        """Whether the last day of the token is before *day*, such as ``2027-02-23``."""
        return bool(self.expires) and self.expires < day


class RevokedToken(Struct, frozen=True, forbid_unknown_fields=True):
    """The id of a revoked token, and when it was revoked."""

    id: str
    at: str = ""


class Callers(Struct, frozen=True, forbid_unknown_fields=True):
    """The callers of one cluster."""

    tokens: tuple[TokenHash, ...] = ()
    subjects: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    revoked: tuple[RevokedToken, ...] = ()
    issuers: tuple[Any, ...] = ()

    def find_tokens(self, *digests: str) -> tuple[TokenHash, ...]:
        """Return the active tokens with these hashes."""
        return tuple(token for token in self.tokens if token.sha256 in digests)

    def match_tokens(self, identity: str) -> tuple[TokenHash, ...]:
        """Return the active tokens with this id, or with this start of the hash."""
        return tuple(
            token
            for token in self.tokens
            if identity and (token.id == identity or token.sha256.startswith(identity))
        )

    def with_token(self, token: TokenHash) -> "Callers":
        """Return a copy with a new token; raises ``TokensError`` above ``MAX_ACTIVE``."""
        if len(self.tokens) >= MAX_ACTIVE:
            raise TokensError(f"{MAX_ACTIVE} tokens are already active; revoke one of them first")
        return replace(self, tokens=(*self.tokens, token))

    def without_token(self, identity: str, revoked_at: str | None = None) -> "Callers":
        """Return a copy without the token *identity*; raises ``TokensError`` unless one matches.

        *identity* is as in ``match_tokens``. With *revoked_at*, the copy lists the token as revoked
        at this time.
        """
        matches = self.match_tokens(identity)
        if len(matches) != 1:
            active = ", ".join(token.identity for token in self.tokens) or "none"
            raise TokensError(
                f"token {identity!r}: {len(matches)} tokens match; use one of: {active}"
            )
        remaining = tuple(token for token in self.tokens if token != matches[0])
        if revoked_at is None:
            return replace(self, tokens=remaining)
        revoked = (*self.revoked, RevokedToken(matches[0].identity, revoked_at))[-MAX_REVOKED:]
        return replace(self, tokens=remaining, revoked=revoked)

    def is_plain(self) -> bool:
        """Whether functions before the registry can read the document without a loss."""
        extras = self.groups or self.sources or self.revoked or self.issuers
        return not extras and not any(token.id or token.expires for token in self.tokens)

    def make_plain(self, day: str) -> "Callers":
        """Return what functions before the registry can read: tokens and subjects alone.

        It omits tokens that have expired by *day*: such a function would accept them.
        """
        valid = (token for token in self.tokens if not token.is_expired(day))
        tokens = tuple(replace(token, id="", expires="") for token in valid)
        return Callers(tokens, self.subjects)


def hash_token(token: str) -> str:
    """Return the hash under which a token is stored and compared."""
    return hashlib.sha256(token.encode()).hexdigest()


def identify_token(token: str) -> str:
    """Return the public id of a token, which does not reveal the token.

    A damaged token has no id: what looks like one can be a part of the secret.
    """
    if is_damaged(token):
        return "damaged"
    text = parse_token(token)
    return hash_token(token)[:_IDENTITY_DIGITS] if text is None else text.id


def format_copy(callers: Callers, day: str) -> str:
    """Return the YAML for functions before the registry; the complete one is its comment."""
    plain = yaml.dump(to_document(callers.make_plain(day)))
    if callers.is_plain():
        return plain
    return plain + _COMPLETE + yaml.dump(to_document(callers)).replace("\n", "\n# ")


def load_callers(text: str) -> Callers:
    """Parse the YAML of a document, or of a copy; raises ``TokensError`` and ``NotYAMLError``."""
    _, is_copy, complete = text.partition(f"\n{_COMPLETE}")
    return parse_callers(yaml.load_document(complete.replace("\n# ", "\n") if is_copy else text))


def parse_callers(document: JSON) -> Callers:
    """Parse the document; raises ``TokensError`` with the invalid key."""
    match document:
        case None:
            return Callers()
        case dict():
            _check_keys(document, *_KEYS, location="the document")
        case _:
            raise TokensError("the document must be a mapping with the keys tokens and subjects")
    tokens = tuple(
        _parse_token(item, f"tokens[{i}]") for i, item in enumerate(_parse_list(document, "tokens"))
    )
    if len(tokens) > MAX_ACTIVE:
        raise TokensError(f"tokens: got {len(tokens)} tokens; at most {MAX_ACTIVE} can be active")
    return Callers(
        tokens,
        _parse_texts(document, "subjects", bool, f"expected strings such as {_SUBJECT}"),
        _parse_texts(document, "groups", is_group, "expected names such as ring-0"),
        _parse_texts(document, "sources", is_source, f"got an invalid source; {REMEDY}"),
        tuple(map(_parse_revoked, _parse_list(document, "revoked"))),
        tuple(_parse_list(document, "issuers")),
    )


class _Clusters(Struct, frozen=True, forbid_unknown_fields=True):
    """The JSON of a registry."""

    clusters: dict[str, Callers]


_CLUSTERS = Decoder(_Clusters)


def decode_all(text: bytes) -> Mapping[str, Callers] | None:
    """Decode ``{"clusters": {CLUSTER: document}}``, ten times faster than one by one.

    Returns ``None`` if ``parse_callers`` has to find what is invalid.
    """
    try:
        clusters = _CLUSTERS.decode(text).clusters
    except (ValidationError, DecodeError, RecursionError):
        return None
    every = clusters.values()
    tokens = [token for own in every for token in own.tokens]
    ids = [each.id for own in every for each in own.revoked]
    is_valid = (
        all(len(own.tokens) <= MAX_ACTIVE for own in every)
        and all(subject for own in every for subject in own.subjects)
        and _all_match(_SHA256_LINES, [token.sha256 for token in tokens])
        and _all_match(_ID_LINES, [token.id for token in tokens if token.id])
        and _all_match(_DATE_LINES, [token.expires for token in tokens if token.expires])
        and _all_match(_ID_LINES, ids)
        and all(is_group(name) for name in {name for own in every for name in own.groups})
        and all(is_source(each) for own in every for each in own.sources)
    )
    return clusters if is_valid else None


def _all_match(lines: re.Pattern[str], texts: Sequence[str]) -> bool:
    """Whether each text is one line of the pattern."""
    text = "".join(f"{each}\n" for each in texts)
    return text.count("\n") == len(texts) and lines.fullmatch(text) is not None


def to_document(callers: Callers) -> Object:
    """Return the document that ``parse_callers`` reads, without optional keys that are empty."""
    tokens: list[JSON] = [_token_document(token) for token in callers.tokens]
    document: Object = {"tokens": tokens, "subjects": list(callers.subjects)}
    revoked: list[JSON] = [{"id": each.id, "at": each.at} for each in callers.revoked]
    optional: Object = {
        "groups": list(callers.groups),
        "sources": list(callers.sources),
        "revoked": revoked,
        "issuers": list(callers.issuers),
    }
    return {**document, **{key: value for key, value in optional.items() if value}}


def _token_document(token: TokenHash) -> Object:
    document: Object = {"sha256": token.sha256, "created": token.created, "note": token.note}
    if token.id:
        document["id"] = token.id
    if token.expires:
        document["expires"] = token.expires
    return document


def _parse_list(document: Object, key: str) -> list[JSON]:
    value = document.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise TokensError(f"{key}: expected a list")
    return value


def _parse_texts(
    document: Object, key: str, is_valid: Callable[[str], object], problem: str
) -> tuple[str, ...]:
    items = _parse_list(document, key)
    texts = tuple(item for item in items if isinstance(item, str) and is_valid(item))
    if len(texts) < len(items):
        raise TokensError(f"{key}: {problem}")
    return texts


def _parse_token(item: JSON, location: str) -> TokenHash:
    if not isinstance(item, dict):
        raise TokensError(f"{location}: expected a mapping with sha256, created, and note")
    _check_keys(item, "sha256", "created", "note", "id", "expires", location=location)
    sha256, created, note = item.get("sha256"), item.get("created", ""), item.get("note", "")
    # The message omits the value: it can be the token itself.
    if not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
        raise TokensError(f"{location}.sha256: expected 64 lower-case hexadecimal digits")
    if not isinstance(created, str) or not isinstance(note, str):
        raise TokensError(f"{location}: created and note must be strings")
    id_, expires = item.get("id", ""), item.get("expires", "")
    if not isinstance(id_, str) or (id_ and not _ID.fullmatch(id_)):
        raise TokensError(f"{location}.id: expected 8 characters of a-z and 2-7")
    # Fails closed: a token with an unreadable date would never expire.
    if not isinstance(expires, str) or (expires and not _DATE.fullmatch(expires)):
        raise TokensError(f'{location}.expires: expected a date such as "2027-02-22", in quotes')
    return TokenHash(sha256, created, note, id_, expires)


def _parse_revoked(item: JSON) -> RevokedToken:
    if not isinstance(item, dict):
        raise TokensError("revoked: expected mappings with id and at")
    _check_keys(item, "id", "at", location="revoked")
    id_, at = item.get("id"), item.get("at", "")
    if not isinstance(id_, str) or not _ID.fullmatch(id_) or not isinstance(at, str):
        raise TokensError("revoked: expected the id of a token, and a time")
    return RevokedToken(id_, at)


def _check_keys(mapping: Object, *accepted: str, location: str) -> None:
    # The message omits the key: it can be a token, too.
    if mapping.keys() - set(accepted):
        raise TokensError(f"{location}: unknown key; use {', '.join(accepted)}")
