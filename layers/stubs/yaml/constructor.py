"""Stands for PyYAML's constructor: the error that libyaml's binding raises in its name."""

from .error import MarkedYAMLError


class ConstructorError(MarkedYAMLError):
    """A tag that makes no value."""
