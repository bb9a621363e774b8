"""Stub of Werkzeug's development server, which would import the server of Python."""

from typing import NoReturn


def is_running_from_reloader() -> bool:
    """Whether the development server started this process."""
    return False


def run_simple(*_: object, **__: object) -> NoReturn:
    """Serve an application."""
    raise NotImplementedError("Werkzeug's server is left out of the layer (layers/stubs)")
