"""Errors of the server at its start."""


class ServeError(Exception):
    """The server cannot start; ``str()`` is one line for the operator."""
