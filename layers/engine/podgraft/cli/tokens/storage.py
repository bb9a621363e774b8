"""The interface of a store that contains one caller document per cluster."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from podgraft.cli.failure import CommandError
from podgraft.cli.storage import StoredDocument
from podgraft.core.identifiers import IdentifierError, check_cluster
from podgraft.service.store.names import callers_name


class CallerStorageError(CommandError):
    """An error of the storage, with location, problem, and remedy."""


@dataclass(frozen=True, slots=True)
class Location:
    """The options of the store."""

    store: str
    stack_name: str | None = None
    parameter_prefix: str | None = None

    @property
    def options(self) -> tuple[str, ...]:
        """The options of the same store for another command."""
        if self.stack_name is not None:
            return ("--config", f"stack:{self.stack_name}")
        if self.parameter_prefix is not None and self.store == "aws":
            return ("--parameter-prefix", self.parameter_prefix)
        return ("--config", self.store.removeprefix("file:"))


class CallerStorage(Protocol):
    """The operations of a store that ``podgraft tokens`` uses."""

    def location(self, cluster: str) -> str:
        """Return the location of the document of *cluster*, for messages."""
        ...

    def clusters(self) -> list[str]:
        """Return every cluster with a document, sorted."""
        ...

    def read(self, cluster: str) -> StoredDocument:
        """Return the current document."""
        ...

    def lock(self, cluster: str) -> AbstractContextManager[None]:
        """Prevent other processes from changing *cluster*; ``ChangedError`` if one does."""
        ...

    def write(self, cluster: str, text: str, replaced: StoredDocument) -> None:
        """Replace the document *replaced*, under the lock.

        Raises ``ChangedError`` if another document is stored.
        """
        ...


def check_cluster_name(cluster: str) -> str:
    """Check that *cluster* is a valid name of a parameter and a file; return it."""
    try:
        return check_cluster(cluster)
    except IdentifierError as error:
        raise CallerStorageError(str(error)) from error


def name_document(cluster: str) -> str:
    """The name of the document of a cluster in a store."""
    return callers_name(check_cluster_name(cluster))
