"""The command group ``podgraft policy``, with its subcommands."""

import click

from .bench_command import bench_policy
from .census.commands import command as census_command
from .check_commands import check_policy, print_allows, pull_policy
from .delete_command import delete_injector
from .diff_command import compare_policies
from .edit_command import edit_policy
from .history_command import list_versions
from .preview.command import preview_policy
from .prune_command import prune_bundles
from .push_commands import push_policy, restore_version
from .trust_commands import allow_bundle, deny_bundle, list_denied, sign_policy

_SUBCOMMANDS = (
    allow_bundle,
    census_command,
    bench_policy,
    check_policy,
    compare_policies,
    delete_injector,
    deny_bundle,
    edit_policy,
    list_denied,
    list_versions,
    preview_policy,
    print_allows,
    prune_bundles,
    pull_policy,
    push_policy,
    restore_version,
    sign_policy,
)


@click.group()
def command() -> None:
    """Preview, push, edit, and roll back the configuration of a deployed podgraft."""


for subcommand in _SUBCOMMANDS:
    command.add_command(subcommand)
