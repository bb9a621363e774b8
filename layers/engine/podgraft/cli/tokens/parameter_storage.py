"""The documents as SSM SecureStrings: ``<prefix>/auth/<cluster>``."""

from collections.abc import Mapping
from dataclasses import dataclass

from podgraft.cli import stacks
from podgraft.cli.failure import CommandError
from podgraft.cli.stacks import find_owner, no_owner_error
from podgraft.cli.storage import StoredDocument
from podgraft.cli.storage.parameters import ParameterDocuments
from podgraft.service.store.names import CALLERS

from .storage import CallerStorage, name_document

# Of a standard parameter; an advanced one costs money and holds what no cluster needs.
MAX_BYTES = 4096


@dataclass(frozen=True, slots=True)
class ParameterStorage(CallerStorage):
    """The parameters below one prefix; locks are one level deeper."""

    documents: ParameterDocuments

    def write(self, cluster: str, text: str, replaced: StoredDocument) -> None:
        """Write a new version of the parameter, encrypted with the account's own key for SSM."""
        if len(text.encode()) > MAX_BYTES:
            raise CommandError(
                f"{self.location(cluster)}: over {MAX_BYTES} bytes; "
                "shorten the notes or the subjects"
            )
        if replaced.text is None and not find_owner(self.documents.client, self.documents.prefix):
            raise no_owner_error(self.documents.prefix)
        self.documents.write(name_document(cluster), text, replaced, is_secret=True)

    def read_all(self) -> Mapping[str, StoredDocument]:
        """Return the documents of all clusters."""
        documents = self.documents.read_all(CALLERS)
        return {name.rpartition("/")[2]: each for name, each in documents.items()}

    def delete(self, cluster: str) -> None:
        """Delete the parameter with all its versions."""
        self.documents.delete(name_document(cluster))


def open_parameter_storage(prefix: str) -> ParameterStorage:
    """Open the parameters of the account and region of the command line or environment."""
    return ParameterStorage(ParameterDocuments(stacks.make_client("ssm"), prefix))
