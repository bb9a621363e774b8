"""Errors of kubectl: the place, the problem, and the remedy."""

import re
from enum import StrEnum

from podgraft.cli.failure import CommandError


class ErrorReason(StrEnum):
    """Why the API server did not return an object."""

    NOT_FOUND = "NotFound"
    FORBIDDEN = "Forbidden"
    UNAUTHORIZED = "Unauthorized"
    EXPIRED = "Expired"
    CONFLICT = "Conflict"
    UNREACHABLE = "Unreachable"
    OTHER = "Other"


class ApiError(CommandError):
    """The API server did not return an object; ``reason`` is its reason."""

    def __init__(self, message: str, *, reason: ErrorReason) -> None:
        super().__init__(message)
        self.reason = reason


_ROLE = "bind the ClusterRole podgraft-reader to this user (docs/explain.md)"
_REACH = "check the server of the context, the network, and the VPN"

_OWNER = r"conflicts? with \"([^\"]+)\""  # once for each manager, of one field or several
# Patterns of the lines of kubectl: the reason, and the message with its groups.
_PATTERNS = (
    (
        r"Error from server \(Forbidden\): (pods is forbidden.*at the cluster scope.*)",
        ErrorReason.FORBIDDEN,
        f"{{context}}: {{0}}; use -n NAMESPACE, or {_ROLE}",
    ),
    (
        r"Error from server \(Forbidden\): (.+)",
        ErrorReason.FORBIDDEN,
        f"{{context}}: {{0}}; {_ROLE}",
    ),
    (
        r"Error from server \(NotFound\): (.+)",
        ErrorReason.NOT_FOUND,
        "{context}: {0}; check the name, -n, and --context",
    ),
    (
        r"Error from server \((?:Expired|Gone)\): (.+)",
        ErrorReason.EXPIRED,
        "{context}: {0}; run the command again",
    ),
    (
        _OWNER,
        ErrorReason.CONFLICT,
        (
            "{context}: fields of this object belong to {owners}; remove them there, or use "
            "--force-conflicts"
        ),
    ),
    (
        r"Operation cannot be fulfilled|already exists",
        ErrorReason.CONFLICT,
        "{context}: another command changes the same object; run the command again",
    ),
    (
        r"You must be logged in to the server|\(Unauthorized\)",
        ErrorReason.UNAUTHORIZED,
        "{context}: the API server rejects the credentials; log in again, as for kubectl get pods",
    ),
    (
        r"^error: EOF$",  # kubectl prompts for a user, without a terminal
        ErrorReason.UNAUTHORIZED,
        "{context}: the kubeconfig has no credentials; add a user to it",
    ),
    (
        r"context \"([^\"]+)\" does not exist|context was not found for specified context: (.+)",
        ErrorReason.OTHER,
        (
            "--context {0}: not found in the kubeconfig; use a name that kubectl config "
            "get-contexts prints"
        ),
    ),
    (
        r"stat ([^:]+): no such file",
        ErrorReason.OTHER,
        "--kubeconfig {0}: not found; check the path",
    ),
    (
        r"connection to the server localhost:8080 was refused",
        ErrorReason.UNREACHABLE,
        "kubeconfig: no cluster is configured; set KUBECONFIG, or use --kubeconfig",
    ),
    (
        r"error loading config file \"?([^\":]+)\"?: (.+)",
        ErrorReason.OTHER,
        "{0}: {1}; correct the kubeconfig",
    ),
    (
        r"getting credentials: (.+)",
        ErrorReason.UNAUTHORIZED,
        "{context}: no credentials: {0}; correct the user in the kubeconfig",
    ),
    (
        r"(?:The connection|Unable to connect) to the server:? ?(.+?)(?: - did you.*)?$",
        ErrorReason.UNREACHABLE,
        f"{{context}}: cannot reach the API server: {{0}}; {_REACH}",
    ),
)


def parse_error(text: str, context: str, request: str) -> ApiError:
    """Return the error that kubectl printed for a request, such as ``GET /api``."""
    for pattern, reason, message in _PATTERNS:
        if match := re.search(pattern, text, re.MULTILINE):
            owners = ", ".join(dict.fromkeys(re.findall(_OWNER, text)))
            found = filter(None, match.groups())
            return ApiError(message.format(*found, context=context, owners=owners), reason=reason)
    lines = [line for line in text.splitlines() if line and not line.startswith("Warning:")]
    problem = lines[-1].removeprefix("error: ") if lines else "kubectl failed without a message"
    return ApiError(
        f"{context}: {request}: {problem}; correct this, and run the command again",
        reason=ErrorReason.OTHER,
    )
