"""The documents of a store, read and written by name: one interface for every kind of store.

``podgraft.service.store.names`` defines the names. A kind of store is one module: ``folder`` for
podgraft serve, ``parameters`` for a stack.
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from podgraft.cli.failure import CommandError


class ChangedError(CommandError):
    """Another process changed the document at the same time."""


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A stored document; without one, ``text`` is None and ``version`` is 0."""

    text: str | None = None
    version: int = 0


class Documents(Protocol):
    """The documents of one store; all methods raise ``CommandError``."""

    def locate(self, name: str) -> str:
        """Return the path or the parameter of a document, for messages."""
        ...

    def read(self, name: str) -> StoredDocument:
        """Return the current document."""
        ...

    def list(self, folder: str) -> list[str]:
        """Return the names of the documents directly below a folder, sorted."""
        ...

    def write(
        self,
        name: str,
        text: str,
        expected: StoredDocument | None = None,
        *,
        is_secret: bool = False,
    ) -> None:
        """Replace a document; raises ``ChangedError`` unless *expected* is the current one."""
        ...

    def delete(self, name: str) -> None:
        """Delete a document, if it exists."""
        ...

    def lock(self, name: str) -> AbstractContextManager[None]:
        """Prevent other commands from changing a document; raises ``ChangedError`` if one does."""
        ...
