"""Stands for PyYAML's parser: the error that libyaml's binding raises in its name."""

from .error import MarkedYAMLError


class ParserError(MarkedYAMLError):
    """Tokens that make no events."""
