"""Stub of PyYAML's emitter: the error class that the libyaml binding raises."""

from .error import YAMLError


class EmitterError(YAMLError):
    """Events that make no text."""
