"""Subjects of client certificates, in all formats of their sources.

API Gateway and operators use RFC 4514 (``CN=prod-eu,O=podgraft-clusters``). OpenSSL prints the
reverse order, with spaces. Python's ``ssl`` returns tuples with long names.
"""

import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias

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

# OpenSSL prints spaces. Another blank belongs to the value: RFC 4514 escapes only spaces.
_ATTRIBUTE = re.compile(r" *([A-Za-z0-9.]+) *= *+((?:\\.|[^\\,+])*)(,|\Z)", re.DOTALL)
_CHARACTER = re.compile(r"\\([0-9A-Fa-f]{2})|\\(.)|([^\\])", re.DOTALL)


def parse_subject(text: str) -> Subject | None:
    """Parse the format of RFC 4514 or of OpenSSL; return ``None`` for other text.

    A multi-valued RDN (``CN=a+O=b``) is not supported: it must not equal the subject with the same
    attributes in separate RDNs.
    """
    pairs: list[tuple[str, str]] = []
    at = 0
    while at <= len(text):
        match = _ATTRIBUTE.match(text, at)
        value = None if match is None else _unescape(match[2])
        if match is None or value is None:
            return None
        pairs.append((match[1].upper(), value))
        at = match.end() + (not match[3])
    return tuple(pairs)


def subject_of_certificate(subject: Iterable[Sequence[tuple[str, str]]]) -> Subject | None:
    """Convert a subject of ``ssl.SSLSocket.getpeercert``, which starts with the general attributes.

    Returns ``None`` for a multi-valued RDN, as ``parse_subject``.
    """
    names = list(subject)
    if any(len(name) != 1 for name in names):
        return None
    pairs = [(_SHORT.get(name, name).upper(), value) for [(name, value)] in names]
    return tuple(reversed(pairs))


def both_orders(subject: Subject) -> tuple[Subject, Subject]:
    """Return the subject in both orders. Two subjects are equal if they share one of them."""
    return subject, subject[::-1]


def _unescape(text: str) -> str | None:
    """Return the value of an escaped text; escaped bytes are UTF-8 (RFC 4514, section 2.4)."""
    characters = list(_CHARACTER.finditer(text))
    while characters and characters[-1][3] == " ":
        characters.pop()
    octets = [
        bytes.fromhex(each[1]) if each[1] else (each[2] or each[3]).encode("utf-8", "replace")
        for each in characters
    ]
    try:
        return b"".join(octets).decode()
    except UnicodeDecodeError:
        return None
