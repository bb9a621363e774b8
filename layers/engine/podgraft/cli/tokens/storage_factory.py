"""Open the callers that the options of a command name."""

from pathlib import Path
from typing import Any

from .folder_storage import FolderStorage
from .repository import CallerRepository, DocumentRepository
from .storage import CallerStorage, CallerStorageError, Location


def open_storage(location: Location) -> CallerStorage:
    """Return the documents of a store: ``aws`` or ``file:<folder>``, as in ``PODGRAFT_STORE``."""
    store = location.store
    if store.startswith("file:") and store != "file:":
        if location.stack_name is not None:
            raise CallerStorageError(
                f"--stack-name: requires --store aws, got {store!r}; use --config alone"
            )
        return FolderStorage(Path(store.removeprefix("file:")))
    if store == "aws":
        return _open_parameters(location)
    raise CallerStorageError(f"--store: got {store!r}; use --config stack:NAME or --config FOLDER")


def open_repository(location: Location) -> CallerRepository:
    """Return the callers of a store: its registry if it has one, or else its documents."""
    storage = open_storage(location)
    if isinstance(storage, FolderStorage):
        return DocumentRepository(storage, location)
    return _open_stack(storage, location)


def _open_stack(storage: Any, location: Location) -> CallerRepository:
    from .registry_storage import RegistryRepository, open_registry, read_registry_state

    registry = open_registry(storage)
    if registry is None:
        # An earlier function: it accepts neither a registry nor the keys of new tokens.
        return DocumentRepository(storage, location, has_ids=False)
    if read_registry_state(registry).is_in_force:
        return RegistryRepository(registry, storage, location)

    def check_reader() -> None:
        if read_registry_state(registry).is_in_force:
            raise CallerStorageError(
                f"parameter {registry.location}: podgraft fleet adopt created the registry at the "
                "same time; run the command again"
            )

    return DocumentRepository(storage, location, check_reader=check_reader)


def _open_parameters(location: Location) -> CallerStorage:
    """Return the parameters of the stack or of the prefix; there is no default."""
    # A file store needs no AWS package.
    from podgraft.cli.stacks import lookup_stack

    from .parameter_storage import open_parameter_storage

    if location.stack_name is not None:
        return open_parameter_storage(lookup_stack(location.stack_name).parameter_prefix)
    if location.parameter_prefix is None:
        raise CallerStorageError(
            "--config: is missing; use stack:NAME, or the folder of podgraft serve; "
            'podgraft.toml of this folder or a parent can have it: config = "stack:NAME"'
        )
    return open_parameter_storage(location.parameter_prefix)
