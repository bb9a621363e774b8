"""A place for one document a cluster."""

import re
from pathlib import Path
from typing import Protocol

# What SSM takes in one step of a parameter's name and every file system takes as a file's.
_CLUSTER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")


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
    if not _CLUSTER.fullmatch(cluster):
        raise ShelfError(f"{cluster!r}: a cluster's id is 1 to 100 letters, digits, _, - and .")
    return cluster
