"""Subjects of client certificates, in the spellings in which they reach us.

API Gateway and operators write RFC 4514 (``CN=prod-eu,O=podgraft-clusters``), OpenSSL prints the
other way round and with blanks, Python's ``ssl`` gives tuples with long names.
"""

import re
from collections.abc import Iterable
from typing import TypeAlias

from podgraft.patterns import lazy

# Attribute and value, the most specific attribute first.
Subject: TypeAlias = tuple[tuple[str, str], ...]

_SHORT = {
    "commonName": "CN",
    "countryName": "C",
    "domainComponent": "DC",
    "localityName": "L",
    "organizationName": "O",
    "organizationalUnitName": "OU",
    "stateOrProvinceName": "ST",
    "streetAddress": "STREET",
    "userId": "UID",
}

_ATTRIBUTE = lazy(r"\s*([A-Za-z0-9.]+)\s*=\s*((?:\\.|[^\\,+])*)")
_ESCAPED = lazy(r"\\([0-9A-Fa-f]{2}|.)")


def parse(text: str) -> Subject | None:
    """A subject as RFC 4514 or OpenSSL writes it; ``None`` where the text is neither."""
    pairs: list[tuple[str, str]] = []
    at = 0
    while at <= len(text):
        found = _ATTRIBUTE.match(text, at)
        if found is None:
            return None
        pairs.append((found[1].upper(), _ESCAPED.sub(_unescaped, found[2].strip())))
        at = found.end() + 1
    return tuple(pairs)


def of_certificate(subject: Iterable[Iterable[tuple[str, str]]]) -> Subject:
    """A subject as ``ssl.SSLSocket.getpeercert`` gives it: the most general attribute first."""
    pairs = [(_SHORT.get(name, name).upper(), value) for step in subject for name, value in step]
    return tuple(reversed(pairs))


def spellings(subject: Subject) -> tuple[Subject, Subject]:
    """The subject from either end: two that share a spelling are the same."""
    return subject, subject[::-1]


def _unescaped(found: re.Match[str]) -> str:
    return found[1] if len(found[1]) == 1 else chr(int(found[1], 16))
