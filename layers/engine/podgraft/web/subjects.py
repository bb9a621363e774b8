"""Subjects of client certificates, in the spellings in which they reach us.

API Gateway and operators write RFC 4514 (``CN=prod-eu,O=podgraft-clusters``), OpenSSL prints the
other way round and with blanks, Python's ``ssl`` gives tuples with long names.
"""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from podgraft.lazy_re import lazy_compile

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

_ATTRIBUTE = lazy_compile(r"\s*([A-Za-z0-9.]+)\s*=\s*((?:\\.|[^\\,+])*)(,|$)")
_CHARACTER = lazy_compile(r"\\([0-9A-Fa-f]{2})|\\(.)|([^\\])")


def parse_subject(text: str) -> Subject | None:
    """A subject as RFC 4514 or OpenSSL writes it; ``None`` where the text is neither.

    Neither is one with a step of several attributes (``CN=a+O=b``): it must not equal the subject
    that has these attributes one after the other.
    """
    pairs: list[tuple[str, str]] = []
    at = 0
    while at <= len(text):
        found = _ATTRIBUTE.match(text, at)
        value = None if found is None else _unescape(found[2])
        if found is None or value is None:
            return None
        pairs.append((found[1].upper(), value))
        at = found.end() + (not found[3])
    return tuple(pairs)


def subject_of_certificate(subject: Iterable[Sequence[tuple[str, str]]]) -> Subject | None:
    """A subject as ``ssl.SSLSocket.getpeercert`` gives it: the most general attribute first.

    ``None`` for one with a step of several attributes, as in ``parse``.
    """
    steps = list(subject)
    if any(len(step) != 1 for step in steps):
        return None
    pairs = [(_SHORT.get(name, name).upper(), value) for [(name, value)] in steps]
    return tuple(reversed(pairs))


def both_orders(subject: Subject) -> tuple[Subject, Subject]:
    """The subject from either end: two that share a spelling are the same."""
    return subject, subject[::-1]


def _unescape(text: str) -> str | None:
    """The value that a text is written for; escapes of bytes are UTF-8 (RFC 4514, section 2.4)."""
    characters = list(_CHARACTER.finditer(text))
    while characters and (characters[-1][3] or "").isspace():
        characters.pop()
    octets = [
        bytes.fromhex(each[1]) if each[1] else (each[2] or each[3]).encode("utf-8", "replace")
        for each in characters
    ]
    try:
        return b"".join(octets).decode()
    except UnicodeDecodeError:
        return None
