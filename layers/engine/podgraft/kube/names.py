"""The syntax of label keys, label values, and names (apimachinery 0.37, api/validate)."""

import re
from typing import NamedTuple

_NAME = r"(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_DNS_LABEL = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_DNS_LABEL}(?:\.{_DNS_LABEL})*"
_NAME_BYTES = 63
_SUBDOMAIN_BYTES = 253

_NAME_FORM = 'letters, digits, "-", "_" and ".", with a letter or digit at both ends'
_KEY_FORM = f'{_NAME_FORM}, with an optional DNS name and "/" as prefix'


class NameProblem(NamedTuple):
    """The problem and the remedy."""

    got: str
    remedy: str


def label_key_problem(key: str) -> NameProblem | None:
    """The problem of a label key; ``None`` if it is valid."""
    prefix, slash, name = key.rpartition("/")
    if slash and not re.fullmatch(_SUBDOMAIN, prefix):
        return NameProblem(f'got "{key}"', f"use {_KEY_FORM}")
    if len(prefix) > _SUBDOMAIN_BYTES:
        problem = f"got a prefix of {len(prefix)} characters"
        return NameProblem(problem, f'use at most {_SUBDOMAIN_BYTES} before "/"')
    if not re.fullmatch(_NAME, name):
        return NameProblem(f'got "{key}"', f"use {_KEY_FORM}")
    return _length_problem(name)


def label_value_problem(value: str) -> NameProblem | None:
    """The problem of a label value; ``None`` if it is valid."""
    if value and not re.fullmatch(_NAME, value):
        return NameProblem(f'got "{value}"', f"use an empty value, or {_NAME_FORM}")
    return _length_problem(value)


def object_name_problem(name: str) -> NameProblem | None:
    """The problem of the name of an object that is a DNS subdomain; ``None`` if it is valid."""
    if not re.fullmatch(_SUBDOMAIN, name):
        form = 'small letters, digits, "-" and ".", with a letter or digit at both ends'
        return NameProblem(f'got "{name}"', f"use {form}")
    if len(name) > _SUBDOMAIN_BYTES:
        return NameProblem(f"got {len(name)} characters", f"use at most {_SUBDOMAIN_BYTES}")
    return None


def is_dns_label(text: str) -> bool:
    """Whether a name is a label of DNS (RFC 1123), as the name of a namespace."""
    return len(text) <= _NAME_BYTES and re.fullmatch(_DNS_LABEL, text) is not None


def _length_problem(name: str) -> NameProblem | None:
    if len(name) > _NAME_BYTES:
        return NameProblem(f"got {len(name)} characters", f"use at most {_NAME_BYTES}")
    return None
