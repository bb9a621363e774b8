"""Stands for PyYAML's scanner: the error that libyaml's binding raises in its name."""

from .error import MarkedYAMLError


class ScannerError(MarkedYAMLError):
    """Characters that make no token."""
