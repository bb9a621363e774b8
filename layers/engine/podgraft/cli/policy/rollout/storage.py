"""Where a rollout is stored: in a stack, or in a folder of podgraft serve."""

from typing import TypeAlias

from podgraft.cli.policy.target import TargetOptions

from .folder_storage import FolderRolloutStorage
from .parameter_storage import ParameterRolloutStorage

RolloutStorage: TypeAlias = ParameterRolloutStorage | FolderRolloutStorage


def open_storage(options: TargetOptions) -> RolloutStorage:
    """Open the storage that the options name; raises ``CommandError``."""
    if options.folder is not None:
        return FolderRolloutStorage(options.folder, options.injector)
    return ParameterRolloutStorage(options.resolve())
