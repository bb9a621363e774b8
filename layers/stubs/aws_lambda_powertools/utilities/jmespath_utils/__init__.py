"""Stub of Powertools' queries into events: the logger uses no correlation ID."""

from typing import NoReturn


def query(*_: object, **__: object) -> NoReturn:
    """Look something up in an event."""
    raise NotImplementedError("JMESPath is left out of the layer (layers/stubs)")
