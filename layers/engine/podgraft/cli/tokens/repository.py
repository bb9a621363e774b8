"""The callers of all clusters of one store, for the commands that read and change them."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from msgspec import Struct

from podgraft.base import system
from podgraft.cli.config_source import Location
from podgraft.cli.failure import CommandError, convert_errors
from podgraft.cli.storage import Documents, StoredDocument
from podgraft.kube import yaml
from podgraft.service.store import caller_document as hashes
from podgraft.service.store.caller_document import Callers, TokensError

from .storage import name_document, read_documents, write_document

# Returns the changed callers of one cluster; raises ``TokensError`` if the change is impossible,
# which the repository raises as ``CommandError``.
# A writer can call it again, if another one was faster.
Change: TypeAlias = Callable[[Callers], Callers]


class DocumentRepository(Struct, frozen=True):
    """A separate document for each cluster, under its own lock.

    ``check_reader`` raises ``CommandError`` if the function does not read documents any more.
    """

    documents: Documents
    location_options: Location
    has_ids: bool = True
    check_reader: Callable[[], None] = lambda: None

    def location(self, cluster: str) -> str:
        """Return the location of the document."""
        return self.documents.locate(name_document(cluster))

    def read_all(self) -> Mapping[str, Callers]:
        """Return the callers of every cluster that has a document."""
        stored = read_documents(self.documents)
        return {name: self._parse(name, each) for name, each in stored.items()}

    def read(self, cluster: str) -> Callers:
        """Return the callers of *cluster*; none without a document."""
        return self._parse(cluster, self.documents.read(name_document(cluster)))

    def change(self, cluster: str, change: Change) -> Callers:
        """Lock, read, and replace the document, and verify the stored one."""
        name = name_document(cluster)
        with convert_errors(TokensError), self.documents.lock(name):
            entry = self.documents.read(name)
            callers = change(self._parse(cluster, entry))
            self._write(cluster, callers, entry)
        self.check_reader()
        return callers

    def _write(self, cluster: str, callers: Callers, entry: StoredDocument) -> None:
        text = yaml.dump(hashes.to_document(callers))
        if not self.has_ids:
            text = hashes.format_copy(callers, f"{system.now():%Y-%m-%d}")
        write_document(self.documents, cluster, text, entry)
        if self.documents.read(name_document(cluster)).text != text:
            raise CommandError(
                f"{self.location(cluster)}: another process changed the document; check "
                "it with podgraft tokens list, then run the command again"
            )

    def _parse(self, cluster: str, entry: StoredDocument) -> Callers:
        if entry.text is None:
            return Callers()
        place = self.location(cluster)
        try:
            with convert_errors(TokensError, place=place):
                return hashes.load_callers(entry.text)
        except yaml.NotYAMLError as error:
            # Without the text of the error: it can quote a token.
            problem = f"not one valid YAML document at {error.position}"
            raise CommandError(f"{place}: {problem}; correct it") from error
