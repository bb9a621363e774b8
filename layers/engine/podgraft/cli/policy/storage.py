"""Where the policy of an injector is: in a stack, or in a folder of podgraft serve."""

from typing import TypeAlias

from podgraft.cli.shared_options import gather_options

from .cloud import DeployedInjector, connect
from .folder_injector import FolderInjector
from .target import TargetOptions, target_or_store_options

PolicyStorage: TypeAlias = DeployedInjector | FolderInjector


def open_storage(options: TargetOptions, *, writes: bool = True) -> PolicyStorage:
    """Open the storage that the options name; raises ``CommandError``.

    Without *writes*, the prefix can have no owner, and the folder no policy yet.
    """
    if options.folder is None:
        return connect(options, writes=writes)
    folder = FolderInjector(options.folder, options.injector)
    if writes:
        folder.check_exists()
    return folder


def _open_for_brake(options: TargetOptions) -> PolicyStorage:
    """Open the storage of a brake. One of all injectors needs no policy of the given injector."""
    if options.folder is None:
        return connect(options, writes=True)
    return FolderInjector(options.folder, options.injector)


brake_options = gather_options(_open_for_brake, target_or_store_options, name="storage")
storage_options = gather_options(open_storage, target_or_store_options, name="storage")
