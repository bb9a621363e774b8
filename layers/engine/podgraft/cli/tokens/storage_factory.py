"""Open the storage that the options of a command name."""

from pathlib import Path

from .folder_storage import FolderStorage
from .storage import CallerStorage, CallerStorageError, Location


def open_storage(location: Location) -> CallerStorage:
    """Return the storage of a store: ``aws`` or ``file:<folder>``, as in ``PODGRAFT_STORE``."""
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
            'podgraft.toml can have it: config = "stack:NAME"'
        )
    return open_parameter_storage(location.parameter_prefix)
