"""The documents of the callers in a store, one for each cluster."""

from collections.abc import Mapping
from contextlib import AbstractContextManager

from msgspec import Struct

from podgraft.cli.failure import CommandError, convert_errors
from podgraft.cli.stacks import require_owner
from podgraft.cli.storage import Documents, StoredDocument
from podgraft.cli.storage.parameters import ParameterDocuments
from podgraft.core.identifiers import IdentifierError, check_cluster
from podgraft.service.store.names import CALLERS, callers_name

# Of a standard parameter; an advanced one costs money and holds what no cluster needs.
MAX_BYTES = 4096


class CallerStorage(Struct, frozen=True):
    """The documents ``auth/CLUSTER`` of a store, as files or as encrypted parameters.

    All users can read the files, because the hash of 256 random bits does not reveal the token.
    """

    documents: Documents

    def location(self, cluster: str) -> str:
        """Return the location of the document of *cluster*, for messages."""
        return self.documents.locate(_name_document(cluster))

    def read(self, cluster: str) -> StoredDocument:
        """Return the current document."""
        return self.documents.read(_name_document(cluster))

    def read_all(self) -> Mapping[str, StoredDocument]:
        """Return the documents of all clusters, sorted."""
        documents = self.documents.read_all(CALLERS)
        return {name.rpartition("/")[2]: each for name, each in documents.items()}

    def lock(self, cluster: str) -> AbstractContextManager[None]:
        """Prevent other processes from changing *cluster*; ``ChangedError`` if one does."""
        return self.documents.lock(_name_document(cluster))

    def write(self, cluster: str, text: str, replaced: StoredDocument) -> None:
        """Replace the document *replaced*, under the lock.

        Raises ``ChangedError`` if another document is stored.
        """
        documents = self.documents
        is_parameter = isinstance(documents, ParameterDocuments)
        if is_parameter and len(text.encode()) > MAX_BYTES:
            raise CommandError(
                f"{self.location(cluster)}: over {MAX_BYTES} bytes; "
                "shorten the notes or the subjects"
            )
        if is_parameter and replaced.text is None:
            require_owner(documents.client, documents.prefix)
        documents.write(_name_document(cluster), text, replaced, is_secret=is_parameter)

    def delete(self, cluster: str) -> None:
        """Delete the document with all its versions."""
        self.documents.delete(_name_document(cluster))


def check_cluster_name(cluster: str) -> str:
    """Check that *cluster* is a valid name of a parameter and a file; return it."""
    with convert_errors(IdentifierError):
        return check_cluster(cluster)


def _name_document(cluster: str) -> str:
    return callers_name(check_cluster_name(cluster))
