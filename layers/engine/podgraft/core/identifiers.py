"""The ids of injectors and clusters: one rule for URLs, files, parameters, and certificates.

The command line, the scripts, and the function use the same rule and the same messages.
"""

import re
from json import dumps

# The injector of a URL without an injector.
DEFAULT_INJECTOR = "default"

# Routes have these names in URLs; "auth", "brake", and "callers" are those of parameters.
_RESERVED = frozenset(
    {"auth", "brake", "callers", "healthz", "inject", "k", "mutate", "ping", "readyz", "validate"}
)
_INJECTOR = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")  # an RFC 1123 label
# A level of a parameter's name, a file's name, and a common name that needs no escapes.
_CLUSTER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")

INJECTOR_REMEDY = (
    'use 1 to 63 lower-case letters, digits, and "-", with a letter or digit at both ends'
)
GROUP_REMEDY = INJECTOR_REMEDY
CLUSTER_REMEDY = (
    'use 1 to 100 letters, digits, "_", "-", and ".", with a letter, a digit, or "_" at the start'
)


class IdentifierError(ValueError):
    """An id that cannot exist; the message contains place, problem, and remedy."""


def is_injector(text: str) -> bool:
    """Whether an injector can have this name."""
    return bool(_INJECTOR.fullmatch(text)) and text not in _RESERVED


def is_group(text: str) -> bool:
    """Whether a group of clusters can have this name."""
    return bool(_INJECTOR.fullmatch(text))


def is_cluster(text: str) -> bool:
    """Whether a cluster can have this id."""
    return bool(_CLUSTER.fullmatch(text))


def check_injector(text: str) -> str:
    """Return the name of an injector; raises ``IdentifierError`` for an invalid name.

    >>> check_injector("Istio/1")
    Traceback (most recent call last):
    podgraft.core.identifiers.IdentifierError: injector: got "Istio/1"; use 1 to 63 lower-case \
letters, digits, and "-", with a letter or digit at both ends
    """
    if text in _RESERVED:
        raise IdentifierError(f'injector: "{text}" is a reserved name; use another name')
    if not is_injector(text):
        quoted = dumps(text, ensure_ascii=False)
        raise IdentifierError(f"injector: got {quoted}; {INJECTOR_REMEDY}")
    return text


def check_cluster(text: str) -> str:
    """Return the id of a cluster; raises ``IdentifierError`` for an invalid id."""
    if not is_cluster(text):
        quoted = dumps(text, ensure_ascii=False)
        raise IdentifierError(f"cluster: got {quoted}; {CLUSTER_REMEDY}")
    return text
