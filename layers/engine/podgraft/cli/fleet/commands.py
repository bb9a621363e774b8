"""``podgraft fleet``: the registry of a stack."""

from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path

import click

from podgraft.cli import command_help, program
from podgraft.cli.aws_options import aws_options
from podgraft.cli.config_source import (
    ConfigSource,
    ConfigSourceType,
    config_option,
    make_old_option,
    prevails,
)
from podgraft.service.store.caller_document import TokensError

from .adoption import StackCallers, adopt, finish, open_stack, undo
from .changes import Change, apply_settings, find_changes, read_clusters
from .file import read_fleet


class _Group(program.ReportingGroup):
    reported = (TokensError,)


@command_help.group("fleet", cls=_Group)
def command() -> None:
    """Manage the callers of all clusters of a stack in one registry."""


def stack_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of the stack to *command*, which gets its callers first."""

    @wraps(command)
    def run_with_stack(
        *,
        source: ConfigSource | None,
        stack_name: str | None,
        parameter_prefix: str | None,
        **own: object,
    ) -> None:
        from podgraft.cli.stacks import lookup_stack

        if source is not None and prevails("stack_name", "parameter_prefix"):
            stack_name, parameter_prefix = source.stack, None
        if stack_name is not None:
            parameter_prefix = lookup_stack(stack_name).parameter_prefix
        if parameter_prefix is None:
            raise click.UsageError("Missing option '--config': use stack:NAME.")
        command(open_stack(parameter_prefix), **own)

    decorated: Callable[..., None] = run_with_stack
    for option in (
        aws_options,
        make_old_option("parameter-prefix"),
        make_old_option("stack-name"),
        config_option(ConfigSourceType(folder=False, cluster=False), "Deployed stack."),
    ):
        decorated = option(decorated)
    return decorated


@command.command("adopt")
@click.option("--finish", "finishes", is_flag=True, help="Delete the documents below auth/.")
@click.option("--undo", "undoes", is_flag=True, help="Return to a document for each cluster.")
@stack_options
def adopt_command(stack: StackCallers, *, finishes: bool, undoes: bool) -> None:
    """Move the callers of all clusters into the registry of the stack.

    The function reads the registry after its next refresh. Until --finish, each command also
    writes the documents, so you can deploy the earlier function again.
    """
    if finishes and undoes:
        raise click.UsageError("--finish, --undo: use one of them")
    if undoes:
        state = undo(stack)
        click.echo(f"{stack.documents.prefix}/auth: the documents of the clusters are in force")
        del state
        return
    if finishes:
        click.echo(f"{stack.documents.prefix}/auth: deleted {finish(stack)} documents")
        return
    state = adopt(stack)
    serial = state.pointer.serial if state.pointer else 0
    count = len(state.clusters)
    click.echo(
        f"{stack.registry.location}: {count} {'cluster' if count == 1 else 'clusters'}, "
        f"serial {serial}"
    )
    if state.pointer is not None and state.pointer.copies:
        program.print_next_steps(
            "do not change tokens with earlier versions of podgraft: the function ignores them",
            "after a week, delete the documents: podgraft fleet adopt --finish",
        )


_FILE = click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))


@command.command("plan")
@_FILE
@stack_options
@click.pass_context
def plan_command(context: click.Context, stack: StackCallers, *, file: Path) -> None:
    """Compare the fleet file FILE with the registry, and change nothing.

    The exit status is 1 if something differs.
    """
    fleet = read_fleet(file)
    changes = [*find_changes(fleet, read_clusters(stack))]
    _print_changes(changes)
    differing = {each.cluster for each in changes}
    click.echo(f"{len(fleet.keys() - differing)} of {len(fleet)} clusters are equal")
    context.exit(1 if changes else 0)


@command.command("apply")
@_FILE
@stack_options
def apply_command(stack: StackCallers, *, file: Path) -> None:
    """Write the groups and sources of all clusters in FILE to the registry, with one change.

    It issues no token and removes no cluster, but prints the commands that do.
    """
    fleet = read_fleet(file)
    changes = [*find_changes(fleet, read_clusters(stack))]
    applied = [each for each in changes if each.is_applied]
    if applied:
        apply_settings(stack, fleet)
    _print_changes(applied)
    click.echo(f"{len({each.cluster for each in applied})} of {len(fleet)} clusters changed")
    steps = [
        f"podgraft tokens issue --cluster {each.cluster} --parameter-prefix "
        f"{stack.documents.prefix}: {each.detail}"
        for each in changes
        if each.kind == "issue"
    ]
    steps += [
        f"{each.cluster} {each.detail}: remove its registration, then revoke its tokens"
        for each in changes
        if each.kind == "retire"
    ]
    if steps:
        program.print_next_steps(*steps)


def _print_changes(changes: Sequence[Change]) -> None:
    width = max((len(each.cluster) for each in changes), default=0)
    for each in changes:
        click.echo(f"{each.cluster:<{width}}  {each.kind:<8}  {each.detail}")
