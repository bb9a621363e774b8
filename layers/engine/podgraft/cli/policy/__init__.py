"""``podgraft policy``: change the configuration of a deployed podgraft without a deployment.

Bundles are content-addressed, and commands only add them. Only the policy parameter changes, so
each change is atomic, and you can roll it back.
"""

from . import trust_commands as trust_commands
from .commands import command
from .rollout import status as status
from .rollout.commands import command as rollout_command

command.add_command(rollout_command)

__all__ = ["command"]
