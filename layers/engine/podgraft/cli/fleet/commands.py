"""``podgraft fleet``: the registry and the registrations of all clusters of a stack."""

import shlex
from collections.abc import Callable, Collection, Sequence
from functools import partial
from math import ceil
from pathlib import Path

import click

from podgraft.base import system
from podgraft.cli import command_help, program
from podgraft.cli.config_source import ConfigSource, ConfigSourceType, config_option
from podgraft.cli.failure import CommandError
from podgraft.cli.live.kubectl import KubectlReader
from podgraft.cli.live.options import CONTEXT_OPTIONS
from podgraft.cli.outputs import SECRET, Output, write_files
from podgraft.cli.regions import Steps, list_region_words, run_in_regions, share
from podgraft.cli.shared_options import FILE, FOLDER, NEW_FOLDER, add_options
from podgraft.cli.tokens.issuance import expires_option
from podgraft.cli.tokens.registry_writer import Clusters
from podgraft.cli.wording import format_count
from podgraft.service.store.caller_document import Callers, TokenHash

from .adoption import StackCallers, adopt, finish, undo
from .changes import Change, ChangeKind, apply_settings, find_changes, read_clusters
from .file import Fleet, read_fleet
from .options import (
    JSON_LINES,
    Access,
    Selection,
    output_option,
    print_line,
    regional_options,
    registration_options,
    select_clusters,
    selection_options,
    stack_options,
)
from .regional import RegionalCallers, find_splits, merge_regions
from .registrar import NAMESPACE, TOKEN, make_registrar
from .registrations import KubectlRegistrations
from .rendering import find_others, render_registrations
from .retirement import delete_registrations, extend_tokens, find_overrides, revoke_all
from .rotation import is_due
from .runs import find_targets, open_front, open_rotation, run_rotation


@command_help.group("fleet")
def command() -> None:
    """Manage the callers of all clusters of a stack in one registry."""


@command.command("adopt")
@run_in_regions()
@click.option("--finish", "finishes", is_flag=True, help="Delete the documents below auth/.")
@click.option("--undo", "undoes", is_flag=True, help="Return to a document for each cluster.")
@stack_options
def adopt_command(*, stack: StackCallers, finishes: bool, undoes: bool) -> Steps:
    """Move the callers of all clusters into the registry of the stack.

    Until --finish, each command also writes the documents, so you can deploy the earlier function
    again.
    """
    if finishes and undoes:
        raise click.UsageError("--finish, --undo: use one of them")
    yield
    if undoes:
        undo(stack)
        click.echo(f"{stack.registry.prefix}/auth: the documents of the clusters are in force")
        return
    if finishes:
        click.echo(
            f"{stack.registry.prefix}/auth: deleted {format_count(finish(stack), 'document')}"
        )
        return
    state = adopt(stack)
    serial = state.pointer.serial if state.pointer else 0
    clusters = format_count(len(state.clusters), "cluster")
    click.echo(f"{stack.registry.location}: {clusters}, serial {serial}")
    if state.pointer is not None and state.pointer.copies:
        program.print_next_steps(
            "do not change tokens with earlier versions of podgraft: the function ignores them",
            "after a week, delete the documents: podgraft fleet adopt --finish",
        )


_FILE = click.argument("file", type=FILE)


@command.command("plan", cls=program.ComparingCommand)
@_FILE
@output_option
@regional_options
@click.pass_context
def plan_command(
    context: click.Context, callers: RegionalCallers, *, file: Path, output: str
) -> None:
    """Compare the fleet file FILE with the registry, and change nothing.

    The exit status is 1 if something differs, also between --regions, and 2 for an error.
    """
    fleet = read_fleet(file)
    changes, _ = _find_all_changes(callers, fleet)
    _print_changes(changes, output)
    count = len(fleet.clusters)
    equal = len(fleet.clusters.keys() - {each.cluster for each in changes})
    if output == JSON_LINES:
        print_line({"summary": {"clusters": count, "equal": equal}})
    else:
        click.echo(f"{equal} of {count} clusters are equal")
    context.exit(1 if changes else 0)


def _find_all_changes(callers: RegionalCallers, fleet: Fleet) -> tuple[list[Change], Clusters]:
    states = callers.read_regions()
    clusters = merge_regions(states.values())
    splits = find_splits(states, clusters) if len(states) > 1 else ()
    return [*splits, *find_changes(fleet, clusters)], clusters


@command.command("apply", cls=program.ComparingCommand)
@_FILE
@output_option
@registration_options
@regional_options
@click.pass_context
def apply_command(
    context: click.Context, callers: RegionalCallers, *, file: Path, output: str, access: Access
) -> None:
    """Make the registry and the registrations of all clusters in FILE equal to it.

    It writes groups and sources with one change, issues tokens, registers the clusters with a
    context, and continues rotations. It removes no cluster. With --regions, a token that one region
    revoked is revoked in all. The exit status is 1 if a cluster or region failed, and 2 if nothing
    was changed.
    """
    fleet = read_fleet(file)
    changes, clusters = _find_all_changes(callers, fleet)
    targets = [*find_targets(fleet, clusters, access)]
    # What it needs is an error before the first change.
    rotation = open_rotation(callers, fleet, lambda _: False, access) if targets else None
    written = [each for each in changes if each.is_applied and each.kind is not ChangeKind.ISSUE]
    if written:
        callers.change_all(lambda before: apply_settings(fleet, before))
    else:
        callers.update_copies()
    _print_changes(written, output)
    if output != JSON_LINES:
        count = len({each.cluster for each in written})
        click.echo(f"{count} of {len(fleet.clusters)} clusters changed")
    failed = run_rotation(rotation, targets, output) if rotation else 0
    _print_apply_steps(callers, changes)
    context.exit(1 if failed else 0)


def _format_options(callers: RegionalCallers) -> str:
    """Return the options of the same stack and regions for another command."""
    return shlex.join((*callers.options, *list_region_words()))


def _print_apply_steps(callers: RegionalCallers, changes: Sequence[Change]) -> None:
    words = _format_options(callers)
    # What stands before and after the cluster.
    commands = {
        ChangeKind.ISSUE: ("podgraft tokens issue --cluster", f" {words}:"),
        ChangeKind.RETIRE: ("podgraft fleet retire", f" {words}: it"),
        ChangeKind.REGIONS: ("podgraft tokens allow or forbid --cluster", f" {words}:"),
    }
    program.print_next_steps(
        *(
            f"{start} {each.cluster}{end} {each.detail}"
            for kind, (start, end) in commands.items()
            for each in changes
            if each.kind is kind and not each.is_applied
        )
    )


@command.command("render", cls=program.ComparingCommand)
@_FILE
@click.argument("folder", type=NEW_FOLDER)
@click.option(
    "--tokens",
    type=FOLDER,
    help="Folder with a file for each cluster, which contains its token.",
)
@click.option(
    "--registrar",
    "image",
    metavar="IMAGE",
    help="Image of podgraft, for the CronJob of registrar.yaml.",
)
@click.option("--force", is_flag=True, help="Replace existing files.")
@config_option(
    ConfigSourceType(folder=False, cluster=False), "Deployed stack, if FILE contains no url."
)
def render_command(
    *,
    file: Path,
    folder: Path,
    tokens: Path | None,
    image: str | None,
    force: bool,
    source: ConfigSource | None,
) -> None:
    """Write the registrations of FILE for a GitOps controller: FOLDER/CLUSTER/registration.yaml.

    They are those that fleet apply does not write: without a context, or with credential: header or
    certificate. A file with a token in a path is a secret: encrypt it before you commit it. With
    --registrar, the cluster gets registrar.yaml instead: a CronJob that registers it with the token
    of a Secret.
    """
    fleet = read_fleet(file)
    front = open_front(fleet, source and source.stack)
    make = None if image is None else partial(make_registrar, file, fleet, front, image)
    rendered = [*render_registrations(fleet, front, folder, tokens, make)]
    outputs = [each for each in rendered if isinstance(each, Output)]
    write_files(outputs, force=force)
    click.echo(f"{folder}: wrote {format_count(len(outputs), 'registration')}")
    steps = [f"encrypt {each.path}: it contains a token" for each in outputs if each.mode == SECRET]
    further = "then add --tokens DIR: the URLs contain the token"
    if image is not None:
        further = f"then put it into the key token of the Secret {NAMESPACE}/{TOKEN}"
    steps += [
        f"podgraft tokens issue --cluster {each} --output DIR/{each}, {further}"
        for each in rendered
        if isinstance(each, str)
    ]
    written = {each.path for each in outputs}
    steps += [f"delete {each}: it is out of date" for each in find_others(folder, fleet, written)]
    program.print_next_steps(*steps)


@command.command("rotate", cls=program.ComparingCommand)
@_FILE
@selection_options
@click.option("--now", "ignores_age", is_flag=True, help="Also replace tokens that are not due.")
@output_option
@registration_options
@regional_options
def rotate_command(
    callers: RegionalCallers,
    *,
    file: Path,
    selection: Selection,
    ignores_age: bool,
    output: str,
    access: Access,
) -> None:
    """Replace the tokens that are due, and revoke the old ones.

    Each new token is tried with a review, registered in the context of the cluster, and read back,
    before the old one is revoked. Repeat an interrupted command: it continues.
    """
    fleet = read_fleet(file)
    clusters = callers.make_equal()
    names = select_clusters(fleet.clusters, selection)
    maximum = _find_maximum(fleet, selection)

    def is_chosen(token: TokenHash) -> bool:
        return ignores_age or is_due(fleet.tokens, token)

    targets = [
        each
        for each in find_targets(fleet, clusters, access)
        if each.cluster in names and clusters.get(each.cluster, Callers()).tokens
    ]
    waiting = [each for each in targets if _needs_rotation(clusters[each.cluster], is_chosen)]
    waiting.sort(key=lambda each: clusters[each.cluster].tokens[0].created)
    failed = 0
    if waiting:
        rotation = open_rotation(callers, fleet, is_chosen, access)
        failed = run_rotation(rotation, waiting[:maximum], output)
    _report_others(len(waiting), len(waiting[:maximum]), output)
    _print_manual_rotations(callers, fleet, clusters, names, is_chosen)
    click.get_current_context().exit(1 if failed else 0)


def _report_others(waiting: int, chosen: int, output: str) -> None:
    """Print how many clusters wait for another run; or that none was due."""
    others = waiting - chosen
    if others:
        due = "1 more cluster is" if others == 1 else f"{others} more clusters are"
        text = f"{due} due; run the command again, or use --max"
        click.echo(text, err=output == JSON_LINES)
    elif not waiting and output != JSON_LINES:
        click.echo("no cluster with a context is due")


def _find_maximum(fleet: Fleet, selection: Selection) -> int | None:
    if selection.maximum is None and not selection.is_set:
        return ceil(len(fleet.clusters) / 10)
    return selection.maximum


def _needs_rotation(callers: Callers, is_chosen: Callable[[TokenHash], bool]) -> bool:
    return len(callers.tokens) > 1 or any(map(is_chosen, callers.tokens))


def _print_manual_rotations(
    callers: RegionalCallers,
    fleet: Fleet,
    clusters: Clusters,
    names: Collection[str],
    is_chosen: Callable[[TokenHash], bool],
) -> None:
    steps = [
        f"podgraft tokens rotate --cluster {name} {_format_options(callers)}: "
        f"{fleet.clusters[name].manual_reason}"
        for name in sorted(names)
        if not fleet.clusters[name].is_registered_here
        and any(map(is_chosen, clusters.get(name, Callers()).tokens))
    ]
    program.print_next_steps(*steps)


@command.command("extend", cls=program.ComparingCommand)
@_FILE
@selection_options
@expires_option
@regional_options
def extend_command(
    callers: RegionalCallers, *, file: Path, selection: Selection, expires: str
) -> None:
    """Let the present tokens end later, and none earlier, if a rotation is late."""
    fleet = read_fleet(file)
    names = sorted(select_clusters(fleet.clusters, selection))
    before = callers.read_all()
    after = callers.change_all(lambda each: extend_tokens(each, names, expires))
    count = sum(before.get(name) != after.get(name) for name in names)
    click.echo(f"the tokens of {count} of {len(names)} clusters end later")


@command.command("retire", cls=program.ComparingCommand)
@run_in_regions(needs_all=False)
@click.argument("cluster")
@click.option("--gone", "is_gone", is_flag=True, help="The cluster does not exist any more.")
@add_options(*CONTEXT_OPTIONS[:3])
@stack_options
def retire_command(
    *,
    stack: StackCallers,
    cluster: str,
    is_gone: bool,
    context: str | None,
    kubeconfig: Path | None,
    request_timeout: int,
) -> Steps:
    """Delete the registrations of CLUSTER, then revoke its tokens and certificates.

    Remove it from the fleet file first. It names the policies that mention it.
    """
    if is_gone == (context is not None):
        raise click.UsageError("give one of --context and --gone")
    callers = read_clusters(stack).get(cluster)
    found = share("callers", list[Callers])
    found += [] if callers is None else [callers]
    yield
    if not found:
        stack.repository.update_copies()  # which a killed command did not reach
        raise CommandError(f"cluster {cluster}: not in the registry; check the name")
    if context is not None:
        reader = KubectlReader(
            context=context, kubeconfig=kubeconfig, timeout_seconds=request_timeout
        )
        for name in delete_registrations(KubectlRegistrations(reader), found):
            click.echo(f"{context}: deleted {name}")
    revoke_all(stack, cluster, share("now", system.timestamp))
    click.echo(f"{cluster}: revoked its credentials")
    program.print_next_steps(*find_overrides(stack, cluster))


def _print_changes(changes: Sequence[Change], output: str) -> None:
    width = max((len(each.cluster) for each in changes), default=0)
    for each in changes:
        if output == JSON_LINES:
            print_line({"cluster": each.cluster, "change": each.kind, "detail": each.detail})
        else:
            click.echo(f"{each.cluster:<{width}}  {each.kind:<8}  {each.detail}")
