"""Errors of callers at the level of HTTP: route, method, credentials, content type."""


class WebError(Exception):
    """Base of this package's errors; ``str()`` is one line for the caller."""


class NoRouteError(WebError):
    """The path has no route."""


class UnsupportedMethodError(WebError):
    """The path has a route for another method."""


class ContentTypeError(WebError):
    """The declared content type is not JSON."""


class UnauthenticatedError(WebError):
    """The credentials belong to no caller."""


class ForbiddenError(WebError):
    """The credentials do not identify exactly one cluster."""


class ThrottledError(WebError):
    """The source sent too many requests that failed to authenticate."""
