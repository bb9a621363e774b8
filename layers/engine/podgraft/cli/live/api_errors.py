"""Errors of kubectl: the place, the problem, and the remedy."""

import re

from podgraft.cli.failure import CommandError


class ApiError(CommandError):
    """The API server did not return an object."""


class ForbiddenError(ApiError):
    """The user has no right to the request."""


class NotFoundError(ApiError):
    """The object, or its API, does not exist."""


class ExpiredError(ApiError):
    """The rest of a list is not available any more."""


_ROLE = "bind the ClusterRole podgraft-reader to this user (docs/explain.md)"
_REACH = "check the server of the context, the network, and the VPN"

_OWNER = r"conflicts? with \"([^\"]+)\""  # once for each manager, of one field or several
# Patterns of the lines of kubectl: the message with their groups, and the error.
_PATTERNS: tuple[tuple[str, str, type[ApiError]], ...] = (
    (
        r"Error from server \(Forbidden\): (pods is forbidden.*at the cluster scope.*)",
        f"{{context}}: {{0}}; use -n NAMESPACE, or {_ROLE}",
        ForbiddenError,
    ),
    (r"Error from server \(Forbidden\): (.+)", f"{{context}}: {{0}}; {_ROLE}", ForbiddenError),
    (
        r"Error from server \(NotFound\): (.+)",
        "{context}: {0}; check the name, -n, and --context",
        NotFoundError,
    ),
    (
        r"Error from server \((?:Expired|Gone)\): (.+)",
        "{context}: {0}; run the command again",
        ExpiredError,
    ),
    (
        _OWNER,
        (
            "{context}: fields of this object belong to {owners}; remove them there, or use "
            "--force-conflicts"
        ),
        ApiError,
    ),
    (
        r"Operation cannot be fulfilled|already exists",
        "{context}: another command changes the same object; run the command again",
        ApiError,
    ),
    (
        r"You must be logged in to the server|\(Unauthorized\)",
        "{context}: the API server rejects the credentials; log in again, as for kubectl get pods",
        ApiError,
    ),
    (
        r"^error: EOF$",  # kubectl prompts for a user, without a terminal
        "{context}: the kubeconfig has no credentials; add a user to it",
        ApiError,
    ),
    (
        r"context \"([^\"]+)\" does not exist|context was not found for specified context: (.+)",
        (
            "--context {0}: not found in the kubeconfig; use a name that kubectl config "
            "get-contexts prints"
        ),
        ApiError,
    ),
    (r"stat ([^:]+): no such file", "--kubeconfig {0}: not found; check the path", ApiError),
    (
        r"connection to the server localhost:8080 was refused",
        "kubeconfig: no cluster is configured; set KUBECONFIG, or use --kubeconfig",
        ApiError,
    ),
    (
        r"error loading config file \"?([^\":]+)\"?: (.+)",
        "{0}: {1}; correct the kubeconfig",
        ApiError,
    ),
    (
        r"getting credentials: (.+)",
        "{context}: no credentials: {0}; correct the user in the kubeconfig",
        ApiError,
    ),
    (
        r"(?:The connection|Unable to connect) to the server:? ?(.+?)(?: - did you.*)?$",
        f"{{context}}: cannot reach the API server: {{0}}; {_REACH}",
        ApiError,
    ),
)


def parse_error(text: str, context: str, request: str) -> ApiError:
    """Return the error that kubectl printed for a request, such as ``GET /api``."""
    for pattern, message, error in _PATTERNS:
        if match := re.search(pattern, text, re.MULTILINE):
            owners = ", ".join(dict.fromkeys(re.findall(_OWNER, text)))
            found = filter(None, match.groups())
            return error(message.format(*found, context=context, owners=owners))
    lines = [line for line in text.splitlines() if line and not line.startswith("Warning:")]
    problem = lines[-1].removeprefix("error: ") if lines else "kubectl failed without a message"
    return ApiError(f"{context}: {request}: {problem}; correct this, and run the command again")
