"""Stub of PyYAML's parser: the error class that the libyaml binding raises."""

from .error import MarkedYAMLError


class ParserError(MarkedYAMLError):
    """Tokens that make no events."""
