"""Stub of PyYAML's serializer: the error class that the libyaml binding raises."""

from .error import YAMLError


class SerializerError(YAMLError):
    """Nodes that make no events."""
