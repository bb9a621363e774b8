"""Stub of PyYAML's reader: the error class that the libyaml binding raises."""

from .error import YAMLError


class ReaderError(YAMLError):
    """A character, or a byte, that no YAML may hold."""

    def __init__(
        self, name: str, position: int, character: object, encoding: str, reason: str
    ) -> None:
        self.name = name
        self.position = position
        self.character = character
        self.encoding = encoding
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.reason} (in {self.name}, at {self.position})"
