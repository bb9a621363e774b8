"""``podgraft rollout``: try a candidate on a share of the workloads, and stop it."""

from podgraft.cli.command_help import group
from podgraft.cli.lazy_group import Entry, LazyGroup

_STOP, _OBSERVE, _CHANGE = "Stop", "Observe", "Change"


class _RolloutCommands(LazyGroup):
    entries = {  # noqa: RUF012 - a constant
        "abort": Entry("policy.rollout.stop:abort_rollout", "Stop the candidate at once.", _STOP),
        "release": Entry("policy.rollout.stop:release_brake", "Delete a brake.", _STOP),
        "status": Entry("policy.rollout.status:show_status", "Show state and evidence.", _OBSERVE),
        "who": Entry(
            "policy.rollout.status:list_workloads", "List who gets the candidate.", _OBSERVE
        ),
        "start": Entry(
            "policy.rollout.start:start_rollout", "Start with a share, or compare only.", _CHANGE
        ),
        "step": Entry("policy.rollout.commands:step_rollout", "Change the share.", _CHANGE),
        "pause": Entry("policy.rollout.commands:pause_rollout", "Pause the share.", _CHANGE),
        "promote": Entry(
            "policy.rollout.commands:promote_candidate", "Put the candidate in force.", _CHANGE
        ),
    }


@group("rollout", cls=_RolloutCommands)
def command() -> None:
    """Try a candidate on a share of the workloads, and stop it."""
