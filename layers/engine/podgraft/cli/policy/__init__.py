"""``podgraft policy``: change the configuration of a deployed podgraft without a deployment.

Bundles are content-addressed, and only ``prune`` and ``delete`` remove them. A change writes only
the policy parameter, so it is atomic, and you can roll it back.
"""

from podgraft.cli.command_help import group
from podgraft.cli.lazy_group import Entry, LazyGroup

_CHANGE, _TRY, _PROTECT, _CLEAN = "Change", "Try first", "Protect", "Clean up"
# The commands of everyday work, which podgraft lists itself.
DAILY = {
    "check": Entry("policy.check_commands:check_policy", "Find errors in a policy.", _CHANGE),
    "diff": Entry("policy.diff_command:compare_policies", "Show what a push changes.", _CHANGE),
    "push": Entry("policy.push_commands:push_policy", "Put a policy in force.", _CHANGE),
    "rollback": Entry(
        "policy.push_commands:restore_version", "Put an older version in force again.", _CHANGE
    ),
    "history": Entry("policy.history_command:list_versions", "List the versions.", _CHANGE),
}


class _PolicyCommands(LazyGroup):
    entries = {  # noqa: RUF012 - a constant
        **DAILY,
        "pull": Entry("policy.history_command:pull_policy", "Write it to a folder.", _CHANGE),
        "edit": Entry("policy.edit_command:edit_policy", "Edit it in an editor.", _CHANGE),
        "rollout": Entry("policy.rollout", "Serve a candidate to a share of workloads.", _TRY),
        "preview": Entry(
            "policy.preview.command:preview_policy", "Review recorded workloads with it.", _TRY
        ),
        "census": Entry("policy.census.commands", "Record workloads for preview.", _TRY),
        "allows": Entry(
            "policy.check_commands:print_allows", "Print the privileges that it adds.", _PROTECT
        ),
        "sign": Entry("policy.trust_commands:sign_policy", "Sign a policy in a folder.", _PROTECT),
        "deny": Entry("policy.trust_commands:deny_bundle", "Deny a bundle.", _PROTECT),
        "denied": Entry("policy.trust_commands:list_denied", "List denied bundles.", _PROTECT),
        "undeny": Entry("policy.trust_commands:allow_bundle", "Allow it again.", _PROTECT),
        "export": Entry(
            "policy.export.command:export_policy", "Write it as policies of Kubernetes.", _CLEAN
        ),
        "prune": Entry(
            "policy.prune_command:prune_bundles", "Delete bundles without a version.", _CLEAN
        ),
        "delete": Entry(
            "policy.prune_command:delete_injector", "Delete an injector and its versions.", _CLEAN
        ),
    }
    hinted_groups = ("rollout", "census")


@group("policy", cls=_PolicyCommands)
def command() -> None:
    """Check, push, preview, protect, and clean up the policies of a deployed podgraft."""
