"""Errors that Go's functions return or panic with, in Go's words."""


class FunctionError(Exception):
    """A function failed; text/template adds ``error calling NAME:`` to its text."""


class LimitExceededError(Exception):
    """A function would make more than podgraft allows. The caller knows the template's text."""
