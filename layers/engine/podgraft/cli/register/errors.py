"""The error of this package."""

from podgraft.cli.failure import CommandError


class RegistrationError(CommandError):
    """The settings would not work in a cluster; the message is place, problem, and remedy."""
