"""``podgraft policy``: change the configuration of a deployed podgraft without a deployment.

Bundles are content-addressed, and only ``prune`` and ``delete`` remove them. A change writes only
the policy parameter, so it is atomic, and you can roll it back.
"""

from .commands import command
from .rollout import start as start
from .rollout import status as status
from .rollout import stop as stop
from .rollout.commands import command as rollout_command

command.add_command(rollout_command)

__all__ = ["command"]
