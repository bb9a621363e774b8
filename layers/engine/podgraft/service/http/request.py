"""One HTTP request, as the services read it.

The view of Flask makes it from the WSGI environment (PEP 3333). No other code reads that.
"""

from collections.abc import Callable, Mapping
from typing import Any, cast

from msgspec import Struct

from podgraft.service import paths
from podgraft.service.store import subjects
from podgraft.service.store.subjects import Subject

# The key of the token that ``hide_token`` moves out of the path.
_TOKEN = "podgraft.path_token"  # noqa: S105  the name of a key, not a token


class PeerCertificate(Struct, frozen=True):
    """A client certificate that TLS has verified: its subject, and the end of its validity.

    ``not_after`` is a text such as ``Aug  5 00:28:21 2027 GMT``, if it is known.
    """

    subject: Subject
    not_after: str | None = None


class Request(Struct, frozen=True, kw_only=True):
    """One HTTP request. ``read`` returns at most the given number of bytes of the body.

    ``path_token`` is the token of the path, if it had one. ``content_length`` is the text of the
    field, and ``certificate`` is set only if the service reads certificates. ``endpoints`` are the
    VPC endpoint and the VPC, which only a private front proves.
    """

    read: Callable[[int], bytes]
    query: str = ""
    content_type: str = ""
    content_length: str = ""
    authorization: str = ""
    path_token: str | None = None
    source: str = ""
    certificate: PeerCertificate | None = None
    endpoints: tuple[str, ...] = ()

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens of the path and of ``Authorization: Bearer``."""
        tokens = (self.path_token, _bearer_token(self.authorization))
        return tuple(token for token in tokens if token)


def read_request(environ: Mapping[str, Any], *, certificates: bool) -> Request:
    """Return the request of a WSGI environment; without *certificates*, it has none."""
    return Request(
        read=environ["wsgi.input"].read,
        query=environ.get("QUERY_STRING", ""),
        content_type=environ.get("CONTENT_TYPE", ""),
        content_length=environ.get("CONTENT_LENGTH", ""),
        authorization=environ.get("HTTP_AUTHORIZATION", ""),
        path_token=environ.get(_TOKEN),
        source=environ.get("REMOTE_ADDR", ""),
        certificate=_find_certificate(environ) if certificates else None,
        endpoints=_find_endpoints(environ),
    )


def hide_token(environ: dict[str, Any]) -> None:
    """Move the token of the path to a key of its own, before other code reads the path."""
    token, path = paths.split_token(environ.get("PATH_INFO", ""))
    if token is not None:
        environ[_TOKEN] = token
    environ["PATH_INFO"] = path


def _bearer_token(field: str) -> str:
    scheme, _, token = field.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _find_certificate(environ: Mapping[str, Any]) -> PeerCertificate | None:
    """Return the certificate that API Gateway or the connection has verified."""
    subject = _gateway_value(environ, "subjectDN")
    if isinstance(subject, str):
        parsed = subjects.parse_subject(subject)
        if parsed is not None:
            end = _gateway_value(environ, "validity", "notAfter")
            return PeerCertificate(parsed, end if isinstance(end, str) else None)
    # TLS verified the certificate of the connection against the client CA.
    socket: Any = environ.get("gunicorn.socket")
    try:
        peer = socket.getpeercert() if hasattr(socket, "getpeercert") else None
    except (ValueError, OSError):  # a name in it is no UTF-8, or an extension is invalid
        return None
    if not peer:
        return None
    of_connection = subjects.subject_of_certificate(peer["subject"])
    if of_connection is None:
        return None
    return PeerCertificate(of_connection, peer.get("notAfter"))


def _find_endpoints(environ: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the VPC endpoint and the VPC that a private API of API Gateway has seen."""
    values = (_context_value(environ, "identity", key) for key in ("vpceId", "vpcId"))
    return tuple(value for value in values if isinstance(value, str) and value)


def _gateway_value(environ: Mapping[str, Any], *keys: str) -> object:
    """Return a value of the certificate that API Gateway verified."""
    return _context_value(environ, "authentication", "clientCert", *keys)


def _context_value(environ: Mapping[str, Any], *keys: str) -> object:
    """Return a value of ``requestContext``, which a client cannot set.

    Each key of the event can be null. An event with any other structure has no such value.
    """
    value: Any = environ.get("aws.event")
    for key in ("requestContext", *keys):
        if not isinstance(value, Mapping):
            return None
        value = cast("Mapping[str, Any]", value).get(key)
    return value
