"""Errors of callers at the level of HTTP: route, method, credentials, content type."""

from collections.abc import Mapping


class WebError(Exception):
    """Base of this package's errors; ``str()`` is one line for the caller."""


class NoRouteError(WebError):
    """The path has no route."""


class UnsupportedMethodError(WebError):
    """The path has a route for another method."""


class ContentTypeError(WebError):
    """The declared content type is not JSON."""


class CredentialError(WebError):
    """The credentials are not those of one cluster.

    ``caller_fields`` are fields of the log line that identify the caller, without a credential. The
    text of the error quotes nothing of the request.
    """

    caller_fields: Mapping[str, str] = {}
    has_credential = False
    token_cluster = ""


class UnauthenticatedError(CredentialError):
    """The credentials belong to no caller."""


class DamagedTokenError(UnauthenticatedError):
    """The checksum of a token differs: it was cut or mistyped. The client gets no other text."""


class ExpiredTokenError(UnauthenticatedError):
    """The last day of a token is over. The client gets the text of an unknown token."""


class ForbiddenError(CredentialError):
    """The credentials do not identify exactly one cluster."""


class SourceError(ForbiddenError):
    """The request is not from a source of the cluster."""


class ThrottledError(WebError):
    """The source sent too many requests that failed to authenticate."""
