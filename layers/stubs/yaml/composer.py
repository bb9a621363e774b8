"""Stub of PyYAML's composer: the error class that the libyaml binding raises."""

from .error import MarkedYAMLError


class ComposerError(MarkedYAMLError):
    """An alias without anchor, or a second document."""
