"""The credentials of a request, from the WSGI environment."""

import time
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeAlias, cast

from msgspec import Struct

from podgraft.store import subjects
from podgraft.store.subjects import Subject

Environ: TypeAlias = Mapping[str, Any]

# The key of the token that ``extract_path_token`` removes from the path.
PATH_TOKEN = "podgraft.path_token"  # noqa: S105  the name of a key, not a token

_SECONDS_PER_DAY = 86_400
_CERTIFICATES = 64  # client certificates with a cached date
_TOKEN_PREFIX = "/k/"  # noqa: S105  the prefix of a path


class CallerCredentials(Struct, frozen=True):
    """Tokens, the subject of a verified client certificate, and the source address.

    ``certificate_days`` are the whole days until the certificate expires, if they are known.
    """

    tokens: tuple[str, ...]
    subject: Subject | None
    source: str
    certificate_days: int | None = None


def extract_credentials(environ: Environ, *, certificates: bool = True) -> CallerCredentials:
    """Return the credentials of a request. Only TLS has verified the certificate.

    Without *certificates*, client certificates are ignored.
    """
    subject, end = _find_certificate(environ) if certificates else (None, None)
    tokens = (environ.get(PATH_TOKEN), _bearer_token(environ.get("HTTP_AUTHORIZATION", "")))
    return CallerCredentials(
        tuple(token for token in tokens if token),
        subject,
        environ.get("REMOTE_ADDR", ""),
        None if end is None else _count_days(end),
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


def _find_certificate(environ: Environ) -> tuple[Subject | None, str | None]:
    """Return the subject of the client certificate, and the end of its validity."""
    subject = _gateway_subject(environ)
    if subject is not None:
        end = _gateway_certificate(environ, "validity", "notAfter")
        return subject, end if isinstance(end, str) else None
    # TLS verified the certificate of the connection against the client CA.
    socket: Any = environ.get("gunicorn.socket")
    peer = socket.getpeercert() if hasattr(socket, "getpeercert") else None
    if not peer:
        return None, None
    return subjects.subject_of_certificate(peer["subject"]), peer.get("notAfter")


def _gateway_subject(environ: Environ) -> Subject | None:
    """Return the subject of the certificate that API Gateway verified."""
    value = _gateway_certificate(environ, "subjectDN")
    return subjects.parse_subject(value) if isinstance(value, str) else None


def _gateway_certificate(environ: Environ, *keys: str) -> object:
    """Return a value of the certificate that API Gateway verified.

    Each key of the event can be null. An event with any other structure has no certificate.
    """
    value: Any = environ.get("aws.event")
    for key in ("requestContext", "authentication", "clientCert", *keys):
        if not isinstance(value, Mapping):
            return None
        value = cast("Mapping[str, Any]", value).get(key)
    return value


def _count_days(end: str) -> int | None:
    seconds = _parse_end(end)
    return None if seconds is None else int((seconds - time.time()) // _SECONDS_PER_DAY)


@lru_cache(_CERTIFICATES)
def _parse_end(text: str) -> int | None:
    """Return the seconds since 1970 of a date such as ``Aug  5 00:28:21 2027 GMT``."""
    from ssl import cert_time_to_seconds  # only with client certificates

    try:
        return cert_time_to_seconds(text)
    except ValueError:
        return None
