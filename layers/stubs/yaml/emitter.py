"""Stands for PyYAML's emitter: the error that libyaml's binding raises in its name."""

from .error import YAMLError


class EmitterError(YAMLError):
    """Events that make no text."""
