"""The documents of the callers in a store, one for each cluster."""

from contextlib import AbstractContextManager
from dataclasses import dataclass

from podgraft.cli.failure import CommandError
from podgraft.cli.storage import Documents, StoredDocument
from podgraft.core.identifiers import IdentifierError, check_cluster
from podgraft.service.store.names import CALLERS, callers_name


@dataclass(frozen=True, slots=True)
class CallerStorage:
    """The documents ``auth/CLUSTER`` of a store, as files of ``podgraft serve``.

    All users can read the files, because the hash of 256 random bits does not reveal the token.
    """

    documents: Documents

    def location(self, cluster: str) -> str:
        """Return the location of the document of *cluster*, for messages."""
        return self.documents.locate(name_document(cluster))

    def clusters(self) -> list[str]:
        """Return every cluster with a document, sorted."""
        return [name.rpartition("/")[2] for name in self.documents.list(CALLERS)]

    def read(self, cluster: str) -> StoredDocument:
        """Return the current document."""
        return self.documents.read(name_document(cluster))

    def lock(self, cluster: str) -> AbstractContextManager[None]:
        """Prevent other processes from changing *cluster*; ``ChangedError`` if one does."""
        return self.documents.lock(name_document(cluster))

    def write(self, cluster: str, text: str, replaced: StoredDocument) -> None:
        """Replace the document *replaced*, under the lock.

        Raises ``ChangedError`` if another document is stored.
        """
        self.documents.write(name_document(cluster), text, replaced)


def check_cluster_name(cluster: str) -> str:
    """Check that *cluster* is a valid name of a parameter and a file; return it."""
    try:
        return check_cluster(cluster)
    except IdentifierError as error:
        raise CommandError(str(error)) from error


def name_document(cluster: str) -> str:
    """The name of the document of a cluster in a store."""
    return callers_name(check_cluster_name(cluster))
