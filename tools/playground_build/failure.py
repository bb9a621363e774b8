"""The error that stops a build."""


class BuildError(Exception):
    """A step of the build failed; the message is ``place: problem; remedy``."""
