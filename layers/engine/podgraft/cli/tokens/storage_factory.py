"""Open the callers that the options of a command name."""

from typing import TypeAlias

from podgraft.cli.config_source import Location
from podgraft.cli.failure import CommandError
from podgraft.cli.storage import open_documents
from podgraft.cli.storage.parameters import ParameterDocuments

from .registry_storage import RegistryRepository, open_registry, read_registry_state
from .registry_writer import RegistryState
from .repository import DocumentRepository

# The callers of all clusters. A change is atomic for each cluster.
CallerRepository: TypeAlias = DocumentRepository | RegistryRepository


def open_repository(location: Location) -> CallerRepository:
    """Return the callers of a store: its registry if it has one, or else its documents."""
    documents = open_documents(location)
    if isinstance(documents, ParameterDocuments):
        return _open_stack(documents, location)
    return DocumentRepository(documents, location)


def _open_stack(documents: ParameterDocuments, location: Location) -> CallerRepository:
    registry = open_registry(documents)
    state = RegistryState() if registry is None else read_registry_state(registry)
    has_copies = state.pointer is not None and state.pointer.copies
    if registry is not None and state.is_in_force and (registry.is_read or has_copies):
        return RegistryRepository(registry, documents, location)
    if registry is None or not registry.is_read:
        # An earlier function: it accepts neither a registry nor the keys of new tokens.
        return DocumentRepository(documents, location, has_ids=False)

    def check_reader() -> None:
        if read_registry_state(registry).is_in_force:
            raise CommandError(
                f"parameter {registry.location}: podgraft fleet adopt created the registry at the "
                "same time; run the command again"
            )

    return DocumentRepository(documents, location, check_reader=check_reader)
