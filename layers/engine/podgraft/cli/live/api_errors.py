"""Errors of kubectl: the place, the problem, and the remedy."""

import re
from collections.abc import Mapping

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
# The error of each reason of the API server; any other one is an ``ApiError``.
_KINDS: Mapping[str, type[ApiError]] = {
    "Forbidden": ForbiddenError,
    "NotFound": NotFoundError,
    "Expired": ExpiredError,
    "Gone": ExpiredError,
}
_REASON = re.compile(r"Error from server \((\w+)\): ")
# By the pattern of a line of kubectl: the message with its groups. The first one decides.
_MESSAGES: Mapping[str, str] = {
    r"Error from server \(Forbidden\): (pods is forbidden.*at the cluster scope.*)": (
        f"{{context}}: {{0}}; use -n NAMESPACE, or {_ROLE}"
    ),
    r"Error from server \(Forbidden\): (.+)": f"{{context}}: {{0}}; {_ROLE}",
    r"Error from server \(NotFound\): (.+)": "{context}: {0}; check the name, -n, and --context",
    r"Error from server \((?:Expired|Gone)\): (.+)": "{context}: {0}; run the command again",
    _OWNER: (
        "{context}: fields of this object belong to {owners}; remove them there, or use "
        "--force-conflicts"
    ),
    r"Operation cannot be fulfilled|already exists": (
        "{context}: another command changes the same object; run the command again"
    ),
    r"You must be logged in to the server|\(Unauthorized\)": (
        "{context}: the API server rejects the credentials; log in again, as for kubectl get pods"
    ),
    # kubectl prompts for a user, without a terminal
    r"^error: EOF$": "{context}: the kubeconfig has no credentials; add a user to it",
    r"context \"([^\"]+)\" does not exist|context was not found for specified context: (.+)": (
        "--context {0}: not found in the kubeconfig; use a name that kubectl config get-contexts "
        "prints"
    ),
    r"stat ([^:]+): no such file": "--kubeconfig {0}: not found; check the path",
    r"connection to the server localhost:8080 was refused": (
        "kubeconfig: no cluster is configured; set KUBECONFIG, or use --kubeconfig"
    ),
    r"error loading config file \"?([^\":]+)\"?: (.+)": "{0}: {1}; correct the kubeconfig",
    r"getting credentials: (.+)": (
        "{context}: no credentials: {0}; correct the user in the kubeconfig"
    ),
    r"(?:The connection|Unable to connect) to the server:? ?(.+?)(?: - did you.*)?$": (
        f"{{context}}: cannot reach the API server: {{0}}; {_REACH}"
    ),
}


def parse_error(text: str, context: str, request: str) -> ApiError:
    """Return the error that kubectl printed for a request, such as ``GET /api``."""
    for pattern, message in _MESSAGES.items():
        if match := re.search(pattern, text, re.MULTILINE):
            owners = ", ".join(dict.fromkeys(re.findall(_OWNER, text)))
            found = filter(None, match.groups())
            reason = _REASON.match(match[0])
            error = _KINDS.get(reason[1] if reason else "", ApiError)
            return error(message.format(*found, context=context, owners=owners))
    lines = [line for line in text.splitlines() if line and not line.startswith("Warning:")]
    problem = lines[-1].removeprefix("error: ") if lines else "kubectl failed without a message"
    return ApiError(f"{context}: {request}: {problem}; correct this, and run the command again")
