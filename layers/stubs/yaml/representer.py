"""Stub of PyYAML's representer: the error class that the libyaml binding raises."""

from .error import YAMLError


class RepresenterError(YAMLError):
    """A value that makes no node."""
