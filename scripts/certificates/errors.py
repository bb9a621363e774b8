"""The one error of this package."""


class CertificateError(Exception):
    """A certificate, key or name cannot be used; the message says which, why and what to do."""
