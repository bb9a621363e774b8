"""A place for one document a cluster."""

from pathlib import Path
from typing import Protocol

from podgraft.identifiers import IdentifierError, check_cluster


class ShelfError(Exception):
    """The place cannot be used; the message says why and what to do."""


class Shelf(Protocol):
    """What tokens.py needs of a store."""

    def place(self, cluster: str) -> str:
        """Where the document of *cluster* is, for messages."""
        ...

    def clusters(self) -> list[str]:
        """Every cluster that has a document, sorted."""
        ...

    def read(self, cluster: str) -> str | None:
        """The document's text; None where there is none."""
        ...

    def write(self, cluster: str, text: str) -> None:
        """Put the document's text in the place of the one before."""
        ...


def open_shelf(store: str, prefix: str) -> Shelf:
    """The shelf of a store as ``PODGRAFT_STORE`` names it: ``aws`` or ``file:<folder>``."""
    if store.startswith("file:") and store != "file:":
        from credentials.folders import FolderShelf

        return FolderShelf(Path(store.removeprefix("file:")))
    if store == "aws":
        from credentials.parameters import connect

        return connect(prefix)
    raise ShelfError(f"{store!r}: the store is aws or file:<folder>")


def checked(cluster: str) -> str:
    """*cluster*, or ``ShelfError`` where it is no name for a parameter or a file."""
    try:
        return check_cluster(cluster)
    except IdentifierError as error:
        raise ShelfError(str(error)) from error
