"""The one error of this package."""


class RegistrationError(Exception):
    """What was asked for would not work in a cluster; the message says what, why and the remedy."""
