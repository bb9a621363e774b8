"""Why there is nothing to answer from: the operator's fault, or the world's."""


class StoreError(Exception):
    """Base of this package's errors; ``str()`` is fit for whoever runs the webhook."""


class UnknownInjectorError(StoreError):
    """Nothing is stored under this injector's name."""


class NotLoadedError(StoreError):
    """What is stored does not load, and no earlier version did: the operator's fault."""


class InvalidVersionError(NotLoadedError):
    """The policy or a bundle is there, whole, and wrong: only another version helps."""


class UnprovenError(StoreError):
    """A newer version loads, and its proof has not ended within the time of the reviews so far."""


class UnavailableError(StoreError):
    """The store cannot be reached, and nothing is loaded yet: worth another try."""
