"""Stands for PyYAML's representer: the error that libyaml's binding raises in its name."""

from .error import YAMLError


class RepresenterError(YAMLError):
    """A value that makes no node."""
