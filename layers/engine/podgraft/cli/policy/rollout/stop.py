"""The subcommands of ``podgraft rollout`` that stop a rollout, and that end the stop."""

from getpass import getuser

import click

from podgraft.base import system
from podgraft.base.jsonvalue import Object
from podgraft.cli import command_help, terminal
from podgraft.cli.config_source import is_explicit
from podgraft.cli.failure import CommandError, print_warnings
from podgraft.cli.policy.document_text import load_mapping
from podgraft.cli.policy.folder_injector import FolderInjector
from podgraft.cli.policy.signing import Signer, sign_options
from podgraft.cli.policy.storage import PolicyStorage, brake_options
from podgraft.cli.policy.versions import StoredPolicy
from podgraft.cli.regions import Steps, run_in_regions, share
from podgraft.core.versions.brake import ALL
from podgraft.kube import yaml

from . import text
from .brakes import Brake, name_of_brake, read_brake, read_brakes
from .health import check_alarms


@command_help.command("abort")
@run_in_regions(needs_all=False)
@click.option("--reason", required=True, help="Reason, for the brake and for status.")
@click.option("--all", "for_all", is_flag=True, help="Stop the rollouts of all injectors.")
@click.option("--id", "id_", help="Rollout to stop, if the policy is unreadable.")
@sign_options
@brake_options
def abort_rollout(
    storage: PolicyStorage, *, reason: str, for_all: bool, id_: str | None, signer: Signer | None
) -> Steps:
    """Stop the candidate at once: write the brake first, then end the rollout.

    Pods that got the candidate do not change. To list them, run podgraft rollout who --got.
    """
    _check_injector(storage, for_all=for_all)
    stored, problem = _try_read(storage)
    fields = None if stored is None else text.read_rollout(stored.document)
    running = None if fields is None else fields.get("id")
    found = share("rollouts", list[str])
    found += [running] if isinstance(running, str) else []
    yield
    if id_ is not None and found and id_ not in found and not for_all:
        raise CommandError(
            f"--id {id_}: the policy has rollout {found[0]}; leave out --id to stop it"
        )
    own = running if isinstance(running, str) else None
    target = id_ or own or next(iter(found), None)  # another region can have ended it already
    if target is None and fields is None and problem is None and not for_all:
        raise CommandError(
            "the policy has no rollout; use --id, or --all for other injectors",
            warnings=[
                f"brake {each.location} stops {each.target}: {each.describe()}"
                for each in read_brakes(storage)
            ],
        )
    _ensure_brake(storage, None if for_all else target, reason, for_all=for_all)
    if problem is not None and (is_explicit("injector") or not for_all):
        raise problem
    print_warnings(() if problem is None else problem.args)
    if stored is not None and fields is not None:
        message = text.describe_change(fields, "aborted", reason)
        label = storage.write(text.remove_rollout(stored.document), stored, signer, message)
        terminal.secho(f"policy     {label} is in force, without the rollout", fg="green")
    click.echo(text.describe_pods(target, storage.options, has_log=storage.has_log))


def _ensure_brake(
    storage: PolicyStorage, target: str | None, reason: str, *, for_all: bool
) -> None:
    """Stop a rollout; without a target, all of them. A brake that stops it already stays."""
    try:
        present = read_brake(storage, for_all=for_all)
    except CommandError:  # whoever may only write must be able to stop
        present = None
    if present is not None and present.stops(target or ALL):
        click.echo(
            f"brake      {present.location} already stops {present.target}: {present.describe()}"
        )
        return
    brake: Object = {
        "id": target or ALL,
        "at": system.timestamp(),
        "by": getuser(),
        "reason": " ".join(reason.split()),
    }
    name = name_of_brake(storage, for_all=for_all)
    storage.documents.write(name, yaml.dump(brake))
    place, named = storage.documents.locate(name), target or "all rollouts"
    terminal.secho(f"brake      {place} stops {named} {storage.delay}", fg="green")


def _check_injector(storage: PolicyStorage, *, for_all: bool) -> None:
    """Raise ``CommandError`` if a folder does not have the injector of the brake."""
    if not for_all and isinstance(storage, FolderInjector):
        storage.check_exists()


def _try_read(storage: PolicyStorage) -> tuple[StoredPolicy | None, CommandError | None]:
    """Return the policy, or the error: an invalid policy must not prevent the brake."""
    try:
        stored = storage.read()
        load_mapping(stored.document)
    except CommandError as error:
        return None, error
    return stored, None


@command_help.command("release")
@run_in_regions()
@click.option("--all", "for_all", is_flag=True, help="Release the brake of all injectors.")
@click.option("--force", is_flag=True, help="Release it while an alarm of the guard is active.")
@brake_options
def release_brake(storage: PolicyStorage, *, for_all: bool, force: bool) -> Steps:
    """Print the author and the reason of a brake, and delete it.

    The guard acts when an alarm starts. So with --all, no alarm must be active.
    """
    _check_injector(storage, for_all=for_all)
    name = name_of_brake(storage, for_all=for_all)
    brake = read_brake(storage, for_all=for_all)
    found = share("brakes", list[Brake])
    found += [] if brake is None else [brake]
    if for_all and not force:
        check_alarms(storage)
    yield
    if brake is None and found:
        click.echo("brake      not found in this region")
        return
    if brake is None:
        location = storage.documents.locate(name)
        raise CommandError(f"brake {location}: not found; status prints the brakes")
    click.echo(f"brake      {brake.location}: {brake.describe()}")
    storage.documents.delete(name)
    terminal.secho("released   rollouts can use their candidates again", fg="green")
    stored, problem = _try_read(storage)
    if problem is not None and not for_all:
        print_warnings(problem.args)
    fields = None if stored is None else text.read_rollout(stored.document)
    if fields is not None:
        click.echo(f"rollout    {fields.get('id')} continues {storage.delay}")
