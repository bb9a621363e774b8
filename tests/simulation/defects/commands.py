"""Defects of the commands, and of the functions beside the webhook."""

from __future__ import annotations

from .defect import Defect, make_defect

CLI = "podgraft.cli.policy"

DEFECTS: dict[str, Defect] = {
    "D20": make_defect(
        "a push does not notice that it replaced another version",
        "20",
        f"{CLI}.cloud:DeployedInjector.put_policy",
        "if others:",
        "if False:",
        "twins",
    ),
    "D21": make_defect(
        "the policy switches before its bundle is uploaded",
        "21",
        f"{CLI}.push:upload",
        "missing = cloud.find_missing(checked.digest, checked.files)",
        "return",
    ),
    "D22": make_defect(
        "prune keeps the bundles of the newest version only",
        "22",
        f"{CLI}.prune_command:find_mentioned",
        "cloud.existing_versions()]",
        "cloud.existing_versions()[-1:]]",
        "prune",
        "long",
    ),
    "D54": make_defect(
        "prune forgets overrides",
        "22",
        f"{CLI}.prune_command:find_mentioned",
        "texts = [version.stored for",
        "texts = [re.sub('overrides: .*', '', version.stored) for",
        "prune",
        "long",
        "large",
    ),
    "D24": make_defect(
        "a denial forgets the earlier ones",
        "19",
        f"{CLI}.denied:change_deny_list",
        "reasons: Object = dict(_parse_stored(storage, stored).reasons)",
        "reasons: Object = dict(_parse_stored(storage, stored).reasons) if reason is None else {}",
        "deny",
    ),
    "D25": make_defect(
        "a rotation revokes the token that is in use",
        "16",
        "podgraft.cli.tokens.issuance:PendingToken.store",
        "callers.with_token(issued.hash)",
        "Callers().with_token(issued.hash)",
        "rotate",
    ),
    "D29": make_defect(
        "a dry run stores the policy",
        "10",
        f"{CLI}.push_commands:_report_dry_run",
        "missing = cloud.find_missing(change.checked.digest, change.checked.files)",
        "missing = cloud.find_missing(change.checked.digest, change.checked.files)\n"
        "    push.upload(cloud, change); _switch(cloud, change, live)",
    ),
    "D41": make_defect(
        "a version whose responses differ gets traffic",
        "24",
        "probe:_compare_all",
        "failures += 1",
        "pass",
        "shift",
    ),
    "D42": make_defect(
        "the cleanup does not wait after a deployment",
        "25",
        "cleanup:find_old_versions",
        "newest[0].published > now - PAUSE",
        "False",
        "shift",
        "cleanup",
    ),
    "D56": make_defect(
        "a push stores what the live version cannot read",
        "40",
        "podgraft.cli.stacks:check_reader",
        "if owner.documents < number:",
        "if False:",
        "upgrade",
    ),
    "D57": make_defect(
        "the owner names later documents while an earlier version gets requests",
        "40",
        "simulation.actors.stack:FOLLOWS",
        "",
        "False",
        "upgrade",
    ),
    "D59": make_defect(
        "a change of the registry forgets the copy that an earlier release reads",
        "16 24",
        "podgraft.cli.tokens.registry_storage:write_copies",
        "if entry.text != text:",
        "if False:",
        "downgrade",
    ),
    "D62": make_defect(
        "the watch reports the newest token as the oldest",
        "35",
        "cluster_check:oldest_token_days",
        "min(created)",
        "max(created)",
        "legacy",
        "watch",
    ),
    "D63": make_defect(
        "a request reaches a version without traffic",
        "41",
        "simulation.actors.functions:Functions._choose",
        "if key[1] == release.number and not",
        "if not",
        "shift",
    ),
    "D45": make_defect(
        "a command leaves its lock",
        "34",
        "podgraft.cli.storage.parameters:ParameterDocuments.lock",
        "self.client.delete_parameter(Name=lock)",
        "pass",
    ),
}
