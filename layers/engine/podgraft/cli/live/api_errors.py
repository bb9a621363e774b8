"""Errors of kubectl: the place, the problem, and the remedy."""

import re
from collections.abc import Callable
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

# Once for each manager, of one field or several.
_OWNED = re.compile(r"conflicts? with \"([^\"]+)\"")
# Patterns of the last lines of kubectl: reason, and the message with context {0} and match {1}.
_Describe = Callable[[str, re.Match[str]], str]
_PATTERNS: tuple[tuple[re.Pattern[str], ErrorReason, _Describe], ...] = (
    (
        re.compile(r"Error from server \(Forbidden\): (.+)"),
        ErrorReason.FORBIDDEN,
        lambda context, match: f"{context}: {match[1]}; {_describe_access(match[1])}",
    ),
    (
        re.compile(r"Error from server \(NotFound\): (.+)"),
        ErrorReason.NOT_FOUND,
        lambda context, match: f"{context}: {match[1]}; check the name, -n, and --context",
    ),
    (
        re.compile(r"Error from server \((?:Expired|Gone)\): (.+)"),
        ErrorReason.EXPIRED,
        lambda context, match: f"{context}: {match[1]}; run the command again",
    ),
    (
        _OWNED,
        ErrorReason.CONFLICT,
        lambda context, match: (
            f"{context}: fields of this object belong to "
            f"{', '.join(dict.fromkeys(_OWNED.findall(match.string)))}; remove them there, or use "
            "--force-conflicts"
        ),
    ),
    (
        re.compile(r"Operation cannot be fulfilled|already exists"),
        ErrorReason.CONFLICT,
        lambda context, _match: (
            f"{context}: another command changes the same object; run the command again"
        ),
    ),
    (
        re.compile(r"You must be logged in to the server|\(Unauthorized\)"),
        ErrorReason.UNAUTHORIZED,
        lambda context, _match: (
            f"{context}: the API server rejects the credentials; log in again, as "
            "for kubectl get pods"
        ),
    ),
    (
        re.compile(r"^error: EOF$", re.MULTILINE),  # kubectl prompts for a user, without a terminal
        ErrorReason.UNAUTHORIZED,
        lambda context, _match: f"{context}: the kubeconfig has no credentials; add a user to it",
    ),
    (
        re.compile(
            r"context \"([^\"]+)\" does not exist|context was not found for specified context: (.+)"
        ),
        ErrorReason.OTHER,
        lambda _context, match: (
            f"--context {match[1] or match[2]}: not found in the kubeconfig; use a name "
            "that kubectl config get-contexts prints"
        ),
    ),
    (
        re.compile(r"stat ([^:]+): no such file"),
        ErrorReason.OTHER,
        lambda _context, match: f"--kubeconfig {match[1]}: not found; check the path",
    ),
    (
        re.compile(r"connection to the server localhost:8080 was refused"),
        ErrorReason.UNREACHABLE,
        lambda _context, _match: (
            "kubeconfig: no cluster is configured; set KUBECONFIG, or use --kubeconfig"
        ),
    ),
    (
        re.compile(r"error loading config file \"?([^\":]+)\"?: (.+)"),
        ErrorReason.OTHER,
        lambda _context, match: f"{match[1]}: {match[2]}; correct the kubeconfig",
    ),
    (
        re.compile(r"getting credentials: (.+)"),
        ErrorReason.UNAUTHORIZED,
        lambda context, match: (
            f"{context}: no credentials: {match[1]}; correct the user in the kubeconfig"
        ),
    ),
    (
        re.compile(r"(?:The connection to the server|Unable to connect to the server:?) ?(.+)"),
        ErrorReason.UNREACHABLE,
        lambda context, match: (
            f"{context}: cannot reach the API server: "
            f"{match[1].partition(' - did you')[0]}; {_REACH}"
        ),
    ),
)


def _describe_access(problem: str) -> str:
    namespaced = problem.startswith("pods is forbidden") and "at the cluster scope" in problem
    return f"use -n NAMESPACE, or {_ROLE}" if namespaced else _ROLE


def parse_error(text: str, context: str, path: str) -> ApiError:
    """Return the error that kubectl printed."""
    for pattern, reason, describe in _PATTERNS:
        match = pattern.search(text)
        if match:
            return ApiError(describe(context, match), reason=reason)
    lines = [line for line in text.splitlines() if line and not line.startswith("Warning:")]
    problem = lines[-1].removeprefix("error: ") if lines else "kubectl failed without a message"
    return ApiError(
        f"{context}: GET {path}: {problem}; correct this, and run the command again",
        reason=ErrorReason.OTHER,
    )
