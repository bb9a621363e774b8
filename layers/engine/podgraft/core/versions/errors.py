"""Errors of stores: configuration errors and dependency errors."""


class StoreError(Exception):
    """Base of the errors of this package; the message is written for operators."""


class UnknownInjectorError(StoreError):
    """The store contains no policy for this injector."""


class NotLoadedError(StoreError):
    """A configuration error: neither the stored version nor an earlier one loads."""


class InvalidVersionError(NotLoadedError):
    """The policy or a bundle is complete and invalid; only another version can load."""


class UntrustedError(InvalidVersionError):
    """The version must not load: its signature is missing or invalid, or its bundle is denied."""


class UnprovenError(StoreError):
    """A newer version loads, and its trial renderings are not complete yet."""


class UnavailableError(StoreError):
    """A dependency error: the store is unreachable, and no version is loaded. A retry can help."""
