"""Errors that Go's functions return or panic with, with Go's error texts."""


class FunctionError(Exception):
    """A function failed; text/template adds ``error calling NAME:`` to its text."""


class LimitExceededError(Exception):
    """The result of a function would exceed a limit of podgraft. The caller adds the location."""
