"""Faults of the caller that HTTP itself shows: route, method, credentials, content type."""


class WebError(Exception):
    """Base of this package's errors; ``str()`` is one line fit for the caller."""


class NoRouteError(WebError):
    """Nothing is served under the path."""


class WrongMethodError(WebError):
    """The path is served, for another method."""


class ContentTypeError(WebError):
    """The body is declared to be something else than JSON."""


class UnauthenticatedError(WebError):
    """Nobody known is calling."""


class ForbiddenError(WebError):
    """Somebody known is calling, for a cluster that is not theirs."""


class ThrottledError(WebError):
    """Too many failed calls came from the source."""
