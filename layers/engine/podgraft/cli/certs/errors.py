"""The error of this package."""

from podgraft.cli.failure import CommandError


class CertificateError(CommandError):
    """A certificate, key, or name is invalid; the message is place, problem, and remedy."""
