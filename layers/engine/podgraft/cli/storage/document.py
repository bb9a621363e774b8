"""A stored document, and the error of a change at the same time."""

from msgspec import Struct

from podgraft.cli.failure import CommandError


class ChangedError(CommandError):
    """Another process changed the document at the same time."""


class StoredDocument(Struct, frozen=True):
    """A stored document; without one, ``text`` is None and ``version`` is 0."""

    text: str | None = None
    version: int = 0
