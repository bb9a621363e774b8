"""Stub of PyYAML's scanner: the error class that the libyaml binding raises."""

from .error import MarkedYAMLError


class ScannerError(MarkedYAMLError):
    """Characters that make no token."""
