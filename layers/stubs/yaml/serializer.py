"""Stands for PyYAML's serializer: the error that libyaml's binding raises in its name."""

from .error import YAMLError


class SerializerError(YAMLError):
    """Nodes that make no events."""
