"""A place for one document a cluster."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from podgraft.identifiers import IdentifierError, check_cluster


class CallerStorageError(Exception):
    """The place cannot be used; the message says why and what to do."""


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
    """What tokens.py needs of a store."""

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
        """Keep every other tokens.py from changing *cluster*; ``ShelfError`` if one does."""
        ...

    def write(self, cluster: str, text: str, replaced: Entry) -> None:
        """Put the document's text in the place of *replaced*, under the lock.

        Raises ``ShelfError`` if something else was stored meanwhile.
        """
        ...


def open_storage(location: Location) -> CallerStorage:
    """The shelf of a store as ``PODGRAFT_STORE`` names it: ``aws`` or ``file:<folder>``."""
    store = location.store
    if store.startswith("file:") and store != "file:":
        if location.stack_name is not None:
            raise CallerStorageError(
                f"--stack-name: requires --store aws, got {store!r}; leave one out"
            )
        from credentials.folders import FolderStorage

        return FolderStorage(Path(store.removeprefix("file:")))
    if store == "aws":
        return _open_parameters(location)
    raise CallerStorageError(f"{store!r}: the store is aws or file:<folder>")


def _open_parameters(location: Location) -> CallerStorage:
    """The parameters of the stack, or of the prefix, that the options name; there is no default."""
    from credentials.parameters import open_parameter_storage

    if location.stack_name is not None:
        from podgraft.cli.stacks import lookup_stack

        return open_parameter_storage(lookup_stack(location.stack_name).parameter_prefix)
    if location.parameter_prefix is None:
        raise CallerStorageError(
            "--stack-name: is missing; name the stack, or give --parameter-prefix, or --store "
            "file:<folder>"
        )
    return open_parameter_storage(location.parameter_prefix)


def check_cluster_name(cluster: str) -> str:
    """*cluster*, or ``ShelfError`` where it is no name for a parameter or a file."""
    try:
        return check_cluster(cluster)
    except IdentifierError as error:
        raise CallerStorageError(str(error)) from error
