"""Open the callers that the options of a command name."""

from podgraft.cli.config_source import Location
from podgraft.cli.failure import CommandError
from podgraft.cli.storage.folder import FolderDocuments

from .parameter_storage import ParameterStorage, open_parameter_storage
from .registry_storage import RegistryRepository, open_registry, read_registry_state
from .registry_writer import RegistryState
from .repository import CallerRepository, DocumentRepository
from .storage import CallerStorage


def open_storage(location: Location) -> CallerStorage:
    """Return the documents of a folder of podgraft serve, or of a stack."""
    if location.folder is not None:
        return CallerStorage(FolderDocuments(location.folder))
    return open_parameter_storage(location.find_prefix())


def open_repository(location: Location) -> CallerRepository:
    """Return the callers of a store: its registry if it has one, or else its documents."""
    storage = open_storage(location)
    if isinstance(storage, ParameterStorage):
        return _open_stack(storage, location)
    return DocumentRepository(storage, location)


def _open_stack(storage: ParameterStorage, location: Location) -> CallerRepository:
    registry = open_registry(storage)
    state = RegistryState() if registry is None else read_registry_state(registry)
    has_copies = state.pointer is not None and state.pointer.copies
    if registry is not None and state.is_in_force and (registry.is_read or has_copies):
        return RegistryRepository(registry, storage, location)
    if registry is None or not registry.is_read:
        # An earlier function: it accepts neither a registry nor the keys of new tokens.
        return DocumentRepository(storage, location, has_ids=False)

    def check_reader() -> None:
        if read_registry_state(registry).is_in_force:
            raise CommandError(
                f"parameter {registry.location}: podgraft fleet adopt created the registry at the "
                "same time; run the command again"
            )

    return DocumentRepository(storage, location, check_reader=check_reader)
