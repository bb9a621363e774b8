"""The documents as files: ``<folder>/auth/<cluster>.yaml``, replaced atomically."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from podgraft.cli.storage import StoredDocument
from podgraft.cli.storage.folder import FolderDocuments
from podgraft.service.store.names import CALLERS

from .storage import name_document


@dataclass(frozen=True, slots=True)
class FolderStorage:
    """The ``auth`` folder of a folder store.

    All users can read the files, because the hash of 256 random bits does not reveal the token.
    """

    folder: Path

    @property
    def documents(self) -> FolderDocuments:
        """All documents of the store."""
        return FolderDocuments(self.folder)

    def location(self, cluster: str) -> str:
        """Return the path of the document of *cluster*."""
        return self.documents.locate(name_document(cluster))

    def clusters(self) -> list[str]:
        """Return every cluster with a file."""
        return [name.rpartition("/")[2] for name in self.documents.list(CALLERS)]

    def read(self, cluster: str) -> StoredDocument:
        """Return the text of the file."""
        return self.documents.read(name_document(cluster))

    def lock(self, cluster: str) -> AbstractContextManager[None]:
        """Wait for the lock of the store."""
        return self.documents.lock(name_document(cluster))

    def write(self, cluster: str, text: str, replaced: StoredDocument) -> None:
        """Replace the file; the lock guarantees that *replaced* is the current document."""
        self.documents.write(name_document(cluster), text, replaced)
