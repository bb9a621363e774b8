"""A stored document, and the error of a change at the same time."""

from dataclasses import dataclass

from podgraft.cli.failure import CommandError


class ChangedError(CommandError):
    """Another process changed the document at the same time."""


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A stored document; without one, ``text`` is None and ``version`` is 0."""

    text: str | None = None
    version: int = 0
