"""The documents of the callers in a store, one for each cluster: ``auth/CLUSTER``.

They are files or encrypted parameters. All users can read the files, because the hash of 256 random
bits does not reveal the token.
"""

from collections.abc import Mapping

from podgraft.cli.failure import CommandError, convert_errors
from podgraft.cli.stacks import require_owner
from podgraft.cli.storage import Documents, StoredDocument
from podgraft.cli.storage.parameters import ParameterDocuments
from podgraft.core.identifiers import IdentifierError, check_cluster
from podgraft.service.store.names import CALLERS, callers_name

# Of a standard parameter; an advanced one costs money and holds what no cluster needs.
MAX_BYTES = 4096


def check_cluster_name(cluster: str) -> str:
    """Check that *cluster* is a valid name of a parameter and a file; return it."""
    with convert_errors(IdentifierError):
        return check_cluster(cluster)


def name_document(cluster: str) -> str:
    """Return the name of the document of *cluster*."""
    return callers_name(check_cluster_name(cluster))


def read_documents(documents: Documents) -> Mapping[str, StoredDocument]:
    """Return the documents of all clusters, sorted."""
    found = documents.read_all(CALLERS)
    return {name.rpartition("/")[2]: each for name, each in found.items()}


def write_document(documents: Documents, cluster: str, text: str, replaced: StoredDocument) -> None:
    """Replace the document *replaced*, under the lock.

    Raises ``ChangedError`` if another document is stored.
    """
    name = name_document(cluster)
    is_parameter = isinstance(documents, ParameterDocuments)
    if is_parameter and len(text.encode()) > MAX_BYTES:
        raise CommandError(
            f"{documents.locate(name)}: over {MAX_BYTES} bytes; shorten the notes or the subjects"
        )
    if is_parameter and replaced.text is None:
        require_owner(documents.client, documents.prefix)
    documents.write(name, text, replaced, is_secret=is_parameter)
