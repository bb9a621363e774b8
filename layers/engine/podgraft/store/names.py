"""What an injector may be called: its name stands in URLs, paths of files and parameters."""

from podgraft.patterns import lazy

# Who answers where the URL names no injector.
DEFAULT_INJECTOR = "default"

# Beside injectors' names stand the routes in URLs, and "auth" in folders and parameters.
_RESERVED = frozenset({"auth", "healthz", "inject", "k", "mutate", "ping", "readyz", "validate"})
_NAME = lazy(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")  # an RFC 1123 label


def is_name(text: str) -> bool:
    """Whether an injector may be called so."""
    return bool(_NAME.fullmatch(text)) and text not in _RESERVED
