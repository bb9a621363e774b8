"""Stands for PyYAML's composer: the error that libyaml's binding raises in its name."""

from .error import MarkedYAMLError


class ComposerError(MarkedYAMLError):
    """An alias without anchor, or a second document."""
