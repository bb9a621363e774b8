"""The interface of a store that contains one caller document per cluster."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from podgraft.cli.failure import CommandError
from podgraft.identifiers import IdentifierError, check_cluster


class CallerStorageError(CommandError):
    """The storage cannot be used; the message is place, problem, and remedy."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One document as it was read; ``text`` is None and ``version`` 0 where there is none."""

    text: str | None = None
    version: int = 0


@dataclass(frozen=True, slots=True)
class Location:
    """The store that the options name."""

    store: str
    stack_name: str | None = None
    parameter_prefix: str | None = None

    @property
    def options(self) -> tuple[str, ...]:
        """The options that name the same store in another command."""
        if self.stack_name is not None:
            return ("--stack-name", self.stack_name)
        if self.parameter_prefix is not None and self.store == "aws":
            return ("--parameter-prefix", self.parameter_prefix)
        return ("--store", self.store)


class CallerStorage(Protocol):
    """The operations of a store that ``podgraft tokens`` uses."""

    def location(self, cluster: str) -> str:
        """Where the document of *cluster* is, for messages."""
        ...

    def clusters(self) -> list[str]:
        """Every cluster that has a document, sorted."""
        ...

    def read(self, cluster: str) -> Entry:
        """The document as it is stored now."""
        ...

    def lock(self, cluster: str) -> AbstractContextManager[None]:
        """Prevent other processes from changing *cluster*; ``CallerStorageError`` if one does."""
        ...

    def write(self, cluster: str, text: str, replaced: Entry) -> None:
        """Put the document's text in the place of *replaced*, under the lock.

        Raises ``CallerStorageError`` if something else was stored meanwhile.
        """
        ...


def check_cluster_name(cluster: str) -> str:
    """*cluster*, or ``CallerStorageError`` where it is no name for a parameter or a file."""
    try:
        return check_cluster(cluster)
    except IdentifierError as error:
        raise CallerStorageError(str(error)) from error
