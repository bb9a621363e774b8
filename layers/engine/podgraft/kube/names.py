"""What Kubernetes accepts as label keys and label values (apimachinery 0.37, api/validate)."""

import re
from typing import NamedTuple

_NAME = r"(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_DNS_LABEL = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_DNS_LABEL}(?:\.{_DNS_LABEL})*"
_NAME_BYTES = 63
_SUBDOMAIN_BYTES = 253

_NAME_FORM = 'letters, digits, "-", "_" and ".", with a letter or digit at both ends'
_KEY_FORM = f'{_NAME_FORM}, perhaps after a DNS name and "/"'


class NameProblem(NamedTuple):
    """What was met, and what would be right."""

    got: str
    remedy: str


def label_key_problem(key: str) -> NameProblem | None:
    """What is wrong with a label key; ``None`` where nothing is."""
    prefix, slash, name = key.rpartition("/")
    if slash and not re.fullmatch(_SUBDOMAIN, prefix):
        return NameProblem(f'got "{key}"', f"use {_KEY_FORM}")
    if len(prefix) > _SUBDOMAIN_BYTES:
        met = f"got a prefix of {len(prefix)} characters"
        return NameProblem(met, f'use at most {_SUBDOMAIN_BYTES} before "/"')
    if not re.fullmatch(_NAME, name):
        return NameProblem(f'got "{key}"', f"use {_KEY_FORM}")
    return _length_problem(name)


def label_value_problem(value: str) -> NameProblem | None:
    """What is wrong with a label value; ``None`` where nothing is."""
    if value and not re.fullmatch(_NAME, value):
        return NameProblem(f'got "{value}"', f"use nothing, or {_NAME_FORM}")
    return _length_problem(value)


def _length_problem(name: str) -> NameProblem | None:
    if len(name) > _NAME_BYTES:
        return NameProblem(f"got {len(name)} characters", f"use at most {_NAME_BYTES}")
    return None
