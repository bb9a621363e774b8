"""Stub of Werkzeug's test client."""


class Client:
    """Asks an application nothing."""

    def __init__(self, *_: object, **__: object) -> None:
        raise NotImplementedError("Werkzeug's client is left out of the layer (layers/stubs)")
