"""The callers of one cluster: token hashes, subjects of client certificates, and groups.

The document is the SSM SecureString ``<prefix>/auth/<cluster>``, the file
``<folder>/auth/<cluster>.yaml``, or the value of a cluster in the registry of a stack
(``registry_document.py``)::

    tokens:                  # at most two, to rotate a token without downtime
      - id: k7m2qxx4         # without one, the first digits of the hash are the id
        sha256: 9f86d08…     # of the UTF-8 bytes, in hex; the token itself is not stored
        created: "2026-11-21T03:20:00Z"
        expires: "2027-02-22"  # the last day in UTC; without one, the token does not expire
        note: ticket 4711
    subjects:                # of client certificates, in the format of RFC 4514
      - CN=prod-eu,O=podgraft-clusters
    groups: [ring-0]         # of the policy
    sources: [198.51.100.0/24]  # where requests can come from; empty for everywhere
    revoked:                 # the newest 8, so that logs can name the cluster of such a token
      - {id: b3n2w2aa, at: "2026-11-20T08:00:00Z"}
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
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.identifiers import is_group
from podgraft.kube import yaml

from .caller_token import is_damaged, parse_token
from .sources import REMEDY, is_source

_IDENTITY_DIGITS = 8  # of the hash of a token
MAX_ACTIVE = 2  # the old and the new token during a rotation
MAX_REVOKED = 8  # for logs; the oldest one leaves

# Fails closed: a token with an unreadable date would never expire.
_DATE = r"\A([0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01]))?\Z"
_ID = r"\A([a-z2-7]{8}|[0-9a-f]{8})\Z"  # of the text, or of the hash
_ID_TEXT = "expected 8 characters of a-z and 2-7"
# What is expected at a place of the document. No message has its keys or values: one can be a
# token.
_REMEDIES = {
    "tokens": "expected a list",
    "tokens[]": "expected a mapping of sha256, created, note, id, and expires, without other keys",
    "tokens[].sha256": "expected 64 lower-case hexadecimal digits",
    "tokens[].created": "expected a string",
    "tokens[].note": "expected a string",
    "tokens[].id": _ID_TEXT,
    "tokens[].expires": 'expected a date such as "2027-02-22", in quotes',
    "subjects": "expected a list",
    "subjects[]": "expected a string such as CN=prod-eu,O=podgraft-clusters",
    "groups": "expected a list",
    "groups[]": "expected a name such as ring-0",
    "sources": "expected a list",
    "sources[]": f"got an invalid source; {REMEDY}",
    "revoked": "expected a list",
    "revoked[]": "expected a mapping of id and at, without other keys",
    "revoked[].id": _ID_TEXT,
    "revoked[].at": "expected a string",
    "issuers": "expected a list",
}
_LOCATION = re.compile(r" - at `\$\.([a-z0-9.\[\]]+)`\Z")  # in messages of msgspec
_INDEX = re.compile(r"\[[0-9]+\]")
_COMPLETE = "# podgraft reads this document instead of the one above:\n# "


class TokensError(ValueError):
    """An invalid document, or an invalid change of it."""


class TokenHash(Struct, frozen=True, forbid_unknown_fields=True):
    """The hash of one active token. ``expires`` is its last day in UTC; empty for none."""

    sha256: Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
    created: str = ""
    note: str = ""
    id: Annotated[str, Meta(pattern=rf"\A\Z|{_ID}")] = ""
    expires: Annotated[str, Meta(pattern=_DATE)] = ""

    @property
    def identity(self) -> str:
        """The id of the token: that of its text, or the first digits of its hash."""
        return self.id or self.sha256[:_IDENTITY_DIGITS]

    def is_expired(self, day: str) -> bool:
        """Whether the last day of the token is before *day*, such as ``2027-02-23``."""
        return bool(self.expires) and self.expires < day


class RevokedToken(Struct, frozen=True, forbid_unknown_fields=True):
    """The id of a revoked token, and when it was revoked."""

    id: Annotated[str, Meta(pattern=_ID)]
    at: str = ""


class Callers(Struct, frozen=True, forbid_unknown_fields=True):
    """The callers of one cluster."""

    tokens: tuple[TokenHash, ...] = ()
    subjects: tuple[Annotated[str, Meta(min_length=1)], ...] = ()
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
    """Parse the document; raises ``TokensError`` with the place of what is invalid.

    A key without a value is as an absent one.
    """
    if isinstance(document, dict):
        document = {key: value for key, value in document.items() if value is not None}
    try:
        callers = msgspec.convert({} if document is None else document, Callers)
    except msgspec.ValidationError as error:
        raise TokensError(_describe_error(str(error))) from None
    if len(callers.tokens) > MAX_ACTIVE:
        active = f"at most {MAX_ACTIVE} can be active"
        raise TokensError(f"tokens: got {len(callers.tokens)} tokens; {active}")
    for key, names, is_valid in (
        ("groups", callers.groups, is_group),
        ("sources", callers.sources, is_source),
    ):
        for i, name in enumerate(names):
            if not is_valid(name):
                raise TokensError(f"{key}[{i}]: {_REMEDIES[f'{key}[]']}")
    return callers


def _describe_error(text: str) -> str:
    """Return the message of an error of msgspec, which can end with the place of the value."""
    match = _LOCATION.search(text)
    remedy = _REMEDIES.get(_INDEX.sub("[]", match[1])) if match else None
    if match is None or remedy is None:
        keys = ", ".join(Callers.__struct_fields__)
        return f"the document must be a mapping of {keys}, without other keys"
    return f"{match[1]}: {remedy}"


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
