"""Stub of PyYAML's constructor: the error class that the libyaml binding raises."""

from .error import MarkedYAMLError


class ConstructorError(MarkedYAMLError):
    """A tag that makes no value."""
