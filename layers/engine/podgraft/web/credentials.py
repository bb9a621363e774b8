"""The credentials of a request, from the WSGI environment."""

from collections.abc import Mapping
from typing import Any, TypeAlias, cast

from msgspec import Struct

from podgraft.store import subjects
from podgraft.store.subjects import Subject

Environ: TypeAlias = Mapping[str, Any]

# The key of the token that ``extract_path_token`` removes from the path.
PATH_TOKEN = "podgraft.path_token"  # noqa: S105  the name of a key, not a token

_TOKEN_PREFIX = "/k/"  # noqa: S105  the prefix of a path


class CallerCredentials(Struct, frozen=True):
    """Tokens, the subject of a verified client certificate, and the source address."""

    tokens: tuple[str, ...]
    subject: Subject | None
    source: str


def extract_credentials(environ: Environ, *, certificates: bool = True) -> CallerCredentials:
    """Return the credentials of a request. Only TLS has verified the certificate.

    Without *certificates*, client certificates are ignored.
    """
    subject = _gateway_subject(environ) or _socket_subject(environ) if certificates else None
    tokens = (environ.get(PATH_TOKEN), _bearer_token(environ.get("HTTP_AUTHORIZATION", "")))
    return CallerCredentials(
        tuple(token for token in tokens if token),
        subject,
        environ.get("REMOTE_ADDR", ""),
    )


def extract_path_token(environ: dict[str, Any]) -> None:
    """Move the token of ``/k/<token>`` to a separate key, so no log contains it.

    Werkzeug removes all slashes at the start of a path. Without one slash there, the path has no
    route, so Werkzeug never reads another path than this function.
    """
    path = environ.get("PATH_INFO", "")
    if path.startswith(_TOKEN_PREFIX):
        token, slash, rest = path.removeprefix(_TOKEN_PREFIX).partition("/")
        environ[PATH_TOKEN] = token
        path = slash + rest
    environ["PATH_INFO"] = path if path.startswith("/") and path[1:2] != "/" else "/"


def _bearer_token(header: str) -> str:
    scheme, _, token = header.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _gateway_subject(environ: Environ) -> Subject | None:
    """Return the subject of the certificate that API Gateway verified.

    Each key of the event can be null. An event with any other structure has no certificate.
    """
    value: Any = environ.get("aws.event")
    for key in ("requestContext", "authentication", "clientCert", "subjectDN"):
        if not isinstance(value, Mapping):
            return None
        members = cast("Mapping[str, Any]", value)
        value = members.get(key)
    return subjects.parse_subject(value) if isinstance(value, str) else None


def _socket_subject(environ: Environ) -> Subject | None:
    """Return the subject of the certificate that TLS verified against the client CA."""
    socket: Any = environ.get("gunicorn.socket")
    peer = socket.getpeercert() if hasattr(socket, "getpeercert") else None
    return subjects.subject_of_certificate(peer["subject"]) if peer else None
