"""Stub of Werkzeug's forms: requests of the function are JSON."""

from typing import NoReturn


class FormDataParser:
    """Parses no form."""

    def __init__(self, *_: object, **__: object) -> None:
        default_stream_factory()


def default_stream_factory(*_: object, **__: object) -> NoReturn:
    """Keep what a form uploads."""
    raise NotImplementedError("Werkzeug's forms are left out of the layer (layers/stubs)")
