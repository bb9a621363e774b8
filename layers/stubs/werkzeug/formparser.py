"""Stands for Werkzeug's forms: what a function is sent is JSON."""

from typing import NoReturn


class FormDataParser:
    """Parses no form."""

    def __init__(self, *_: object, **__: object) -> None:
        default_stream_factory()


def default_stream_factory(*_: object, **__: object) -> NoReturn:
    """Keep what a form uploads."""
    raise NotImplementedError("Werkzeug's forms are left out of the layer (layers/stubs)")
