"""What a call brings to prove who sends it, taken from the WSGI environment."""

from collections.abc import Mapping
from typing import Any, TypeAlias, cast

from msgspec import Struct

from . import subjects
from .subjects import Subject

Environ: TypeAlias = Mapping[str, Any]

# Where TokenInPath leaves the token that it takes out of the path.
PATH_TOKEN = "podgraft.path_token"  # noqa: S105  the name of a key, no token

_TOKEN_PREFIX = "/k/"  # noqa: S105  the beginning of a path


class CallerCredentials(Struct, frozen=True):
    """Tokens shown, the subject of a verified client certificate, and where the call comes from."""

    tokens: tuple[str, ...]
    subject: Subject | None
    source: str


def extract_credentials(environ: Environ, *, certificates: bool = True) -> CallerCredentials:
    """All credentials that the call brings, unchecked but for what TLS has verified.

    Without *certificates*, nothing that describes one is read.
    """
    subject = _gateway_subject(environ) or _socket_subject(environ) if certificates else None
    shown = (environ.get(PATH_TOKEN), _bearer_token(environ.get("HTTP_AUTHORIZATION", "")))
    return CallerCredentials(
        tuple(token for token in shown if token),
        subject,
        environ.get("REMOTE_ADDR", ""),
    )


def extract_path_token(environ: dict[str, Any]) -> None:
    """Move ``/k/<token>`` from the path to its own key, so that nothing after this can log it."""
    path = environ.get("PATH_INFO", "")
    if path.startswith(_TOKEN_PREFIX):
        token, slash, rest = path.removeprefix(_TOKEN_PREFIX).partition("/")
        environ[PATH_TOKEN] = token
        environ["PATH_INFO"] = slash + rest or "/"


def _bearer_token(header: str) -> str:
    scheme, _, token = header.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _gateway_subject(environ: Environ) -> Subject | None:
    """API Gateway has verified the certificate against its trust store.

    The event's format allows null in all of these places; any other shape than the right one means
    that there is no certificate.
    """
    value: Any = environ.get("aws.event")
    for key in ("requestContext", "authentication", "clientCert", "subjectDN"):
        if not isinstance(value, Mapping):
            return None
        members = cast("Mapping[str, Any]", value)
        value = members.get(key)
    return subjects.parse_subject(value) if isinstance(value, str) else None


def _socket_subject(environ: Environ) -> Subject | None:
    """Gunicorn has verified the certificate against its client CA."""
    socket: Any = environ.get("gunicorn.socket")
    peer = socket.getpeercert() if hasattr(socket, "getpeercert") else None
    return subjects.subject_of_certificate(peer["subject"]) if peer else None
