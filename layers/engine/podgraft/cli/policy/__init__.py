"""``podgraft policy``: change the configuration of a deployed podgraft without a deployment.

Bundles are content-addressed, and only ``prune`` and ``delete`` remove them. A change writes only
the policy parameter, so it is atomic, and you can roll it back.
"""

from . import delete_command as delete_command
from . import diff_command as diff_command
from . import edit_command as edit_command
from . import history_command as history_command
from . import prune_command as prune_command
from . import push_commands as push_commands
from . import trust_commands as trust_commands
from .commands import command

__all__ = ["command"]
