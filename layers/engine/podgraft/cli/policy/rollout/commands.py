"""The subcommands of ``podgraft policy rollout`` that change a rollout."""

from datetime import UTC, datetime
from getpass import getuser
from pathlib import Path

import click

from podgraft import yaml
from podgraft.cli import documents
from podgraft.cli.failure import CommandError, print_warnings
from podgraft.cli.identifier_options import check_cluster_option
from podgraft.cli.policy.local import check_bundle
from podgraft.cli.policy.options import local_options
from podgraft.cli.policy.signing import Signer
from podgraft.jsonvalue import Object
from podgraft.policy.rollout import Rollout
from podgraft.store.brake import ALL, is_stopped, parse_brakes

from . import text
from .candidate import check_document, find_digests, make_candidate, parse_valid
from .evidence import find_missing, read_log
from .options import (
    Percentage,
    force_options,
    log_option,
    sign_options,
    storage_options,
)
from .storage import RolloutStorage, StoredPolicy, check_signer

# The exit status if the needed evidence is missing.
MISSING_EVIDENCE = 3


@click.group("rollout")
def command() -> None:
    """Try a candidate on a share of the workloads, and stop it."""


_ID = click.option("--id", "id_", required=True, help="Name of this attempt, used once.")
_REASON = click.option("--reason", default="", help="Reason for the rollout, in one line.")
_NEEDS = click.option(
    "--needs",
    type=(int, int, int),
    metavar="REVIEWS WORKLOADS MINUTES",
    help="Evidence that step and promote require.",
)
_CLUSTER_SHARE = click.option(
    "--cluster-share",
    "clusters",
    type=(str, Percentage()),
    multiple=True,
    metavar="CLUSTER PERCENT",
    help="Percentage for one cluster, instead of --share.",
)
_BY = click.option(
    "--by",
    type=click.Choice(["workload", "namespace"]),
    default="workload",
    show_default=True,
    help="Unit of the selection.",
)


@command.command("start")
@local_options
@_ID
@click.option(
    "--share", type=Percentage(), default=1, show_default=True, help="Percentage of workloads."
)
@_CLUSTER_SHARE
@_BY
@_NEEDS
@_REASON
@sign_options
@storage_options
def _start(storage: RolloutStorage, **options: object) -> None:
    """Start a rollout: the candidate responds for a share of the workloads.

    FOLDER contains policy.yaml and bundle/ of the candidate.
    """
    _start_rollout(storage, "share", **options)  # pyright: ignore[reportArgumentType]


@command.command("shadow")
@local_options
@_ID
@click.option(
    "--share",
    type=Percentage(),
    default=100,
    show_default=True,
    help="Percentage of workloads to compare.",
)
@_CLUSTER_SHARE
@_BY
@_NEEDS
@_REASON
@sign_options
@storage_options
def _shadow(storage: RolloutStorage, **options: object) -> None:
    """Compare the candidate with stable on live reviews; stable responds to all of them.

    FOLDER contains policy.yaml and bundle/ of the candidate. To continue with a share of the
    workloads, run podgraft policy rollout step.
    """
    _start_rollout(storage, "shadow", **options)  # pyright: ignore[reportArgumentType]


def _start_rollout(  # noqa: PLR0913 — one parameter per option
    storage: RolloutStorage,
    mode: str,
    *,
    bundle: Path,
    document: Path | None,
    id_: str,
    share: float,
    clusters: tuple[tuple[str, float], ...],
    by: str,
    needs: tuple[int, int, int] | None,
    reason: str,
    signer: Signer | None,
) -> None:
    checked = check_bundle(bundle, document)
    print_warnings(checked.warnings)
    stored = storage.read()
    check_signer(stored, signer)
    _check_can_start(storage, stored, id_)
    specified = None if document is None else documents.read_text(document)
    candidate = make_candidate(stored.document, specified, checked.digest, str(document))
    rollout: Object = {"id": id_, "mode": mode, "share": share}
    if clusters:
        rollout["clusters"] = dict(clusters)
    if by != "workload":
        rollout["by"] = by
    rollout["candidate"] = candidate
    if needs is not None:
        rollout["needs"] = dict(zip(("reviews", "workloads", "minutes"), needs, strict=True))
    if reason:
        rollout["reason"] = reason
    changed = text.set_rollout(stored.document, rollout)
    check_document(storage, changed, checked.files)
    for line in storage.upload(checked.digest, checked.files):
        click.echo(line)
    click.echo(f"candidate  {_describe_candidate(candidate)}")
    label = storage.write(changed, stored, signer)
    click.secho(f"policy     {label} is in force: {_describe_share(rollout)}", fg="green")
    click.echo(f"effect     {storage.delay}")
    click.echo(f"to stop:   podgraft policy rollout abort {storage.options} --reason …")


def _check_can_start(storage: RolloutStorage, stored: StoredPolicy, id_: str) -> None:
    running = text.read_rollout(stored.document)
    if running is not None:
        raise CommandError(
            f"rollout {running.get('id')} is active; end it with podgraft policy rollout promote "
            "or abort"
        )
    for for_all in (True, False):
        brake = storage.read_brake(for_all=for_all)
        if brake is not None and is_stopped(id_, parse_brakes([brake])):
            name = storage.brake_name(for_all=for_all)
            flag = " --all" if for_all else ""
            raise CommandError(
                f"brake {name} stops {id_}: {describe_brake(brake)}; use another --id, or release "
                f"it: podgraft policy rollout release{flag} {storage.options}"
            )


def _describe_candidate(candidate: Object) -> str:
    return ", ".join(
        f"bundle {value}" if key == "bundle" else key for key, value in candidate.items()
    )


def _describe_share(rollout: Object) -> str:
    verb = "compares" if rollout.get("mode") == "shadow" else "serves"
    clusters = rollout.get("clusters")
    others = clusters.items() if isinstance(clusters, dict) else ()
    listed = "".join(f", {name} {share} %" for name, share in others)
    if rollout.get("mode") == "paused":
        return "paused, no further pods get the candidate"
    return f"the candidate {verb} {rollout.get('share', 0)} % of workloads{listed}"


def describe_brake(brake: str) -> str:
    """The author, the time, and the reason of a brake, in one line."""
    try:
        fields = yaml.load(brake)
    except yaml.NotYAMLError:
        fields = None
    if not isinstance(fields, dict):
        return "it is not a mapping, so it stops all rollouts"
    words = [f"{key} {fields[key]}" for key in ("by", "at", "reason") if fields.get(key)]
    return " ".join(", ".join(words).split()) or "it states no reason"


@command.command("step")
@click.argument("percentage", type=Percentage())
@click.option(
    "--cluster",
    callback=check_cluster_option,
    help="Cluster to change; default: the percentage of all others.",
)
@log_option
@force_options
@sign_options
@storage_options
def _step(  # noqa: PLR0913 — one parameter per option
    storage: RolloutStorage,
    *,
    percentage: float,
    cluster: str | None,
    log: Path | None,
    force: bool,
    reason: str | None,
    signer: Signer | None,
) -> None:
    """Serve PERCENTAGE of the workloads with the candidate.

    After shadow and pause, the mode becomes share. A lower percentage needs no evidence.
    """
    stored, fields, rollout = _read_running(storage)
    before = 0 if rollout.mode == "shadow" else rollout.percentage(cluster)
    if percentage > before:
        _check_brakes(storage, rollout)
        _check_needs(rollout, stored, log, force=force, reason=reason)
    shares = fields.get("clusters")
    changed: Object = {**fields, "mode": "share"}
    if cluster is None:
        changed["share"] = percentage
    else:
        changed["clusters"] = {**(shares if isinstance(shares, dict) else {}), cluster: percentage}
    _write_rollout(storage, stored, changed, signer)


@command.command("pause")
@sign_options
@storage_options
def _pause(storage: RolloutStorage, *, signer: Signer | None) -> None:
    """Give no further pods the candidate; podgraft policy rollout step continues."""
    stored, fields, _ = _read_running(storage)
    _write_rollout(storage, stored, {**fields, "mode": "paused"}, signer)


@command.command("promote")
@log_option
@force_options
@sign_options
@storage_options
def _promote(
    storage: RolloutStorage,
    *,
    log: Path | None,
    force: bool,
    reason: str | None,
    signer: Signer | None,
) -> None:
    """Put the candidate in force for all workloads, and end the rollout."""
    stored, _, rollout = _read_running(storage)
    _check_brakes(storage, rollout)
    _check_needs(rollout, stored, log, force=force, reason=reason)
    promoted = text.promote(stored.document)
    check_document(storage, promoted)
    label = storage.write(promoted, stored, signer)
    click.secho(f"policy     {label} is in force: the candidate, in all clusters", fg="green")
    click.echo(f"effect     {storage.delay}")
    if stored.version is not None:
        number = stored.version.number
        click.echo(f"to undo:   podgraft policy rollback {number} {storage.options}")


@command.command("abort")
@click.option("--reason", required=True, help="Reason, for the brake and for status.")
@click.option("--all", "for_all", is_flag=True, help="Stop the rollouts of all injectors.")
@click.option("--id", "id_", help="Rollout to stop, if the policy is unreadable.")
@sign_options
@storage_options
def _abort(
    storage: RolloutStorage, *, reason: str, for_all: bool, id_: str | None, signer: Signer | None
) -> None:
    """Stop the candidate at once: write the brake first, then end the rollout.

    Pods that got the candidate do not change. To list them, run podgraft policy rollout who --got.
    """
    stored, problem = _try_read(storage)
    fields = None if stored is None else text.read_rollout(stored.document)
    running = None if fields is None else fields.get("id")
    target = id_ or (running if isinstance(running, str) else None)
    if target is None and fields is None and problem is None and not for_all:
        raise CommandError("the policy has no rollout; use --id, or --all for other injectors")
    stopped = ALL if for_all or target is None else target
    brake: Object = {
        "id": stopped,
        "at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "by": getuser(),
        "reason": " ".join(reason.split()),
    }
    storage.write_brake(yaml.dump(brake), for_all=for_all)
    name = storage.brake_name(for_all=for_all)
    named = "all rollouts" if stopped == ALL else stopped
    click.secho(f"brake      {name} stops {named} {storage.delay}", fg="green")
    if problem is not None:
        raise problem
    if stored is not None and fields is not None:
        label = storage.write(text.remove_rollout(stored.document), stored, signer)
        click.secho(f"policy     {label} is in force, without the rollout", fg="green")
    click.echo("Pods that got the candidate keep it until you restart their workloads. To list:")
    id_option = f"--id {target} " if target else ""
    click.echo(f"  podgraft policy rollout who --got {id_option}--log FILE {storage.options}")


def _try_read(storage: RolloutStorage) -> tuple[StoredPolicy | None, CommandError | None]:
    """Return the policy, or the error: an invalid policy must not prevent the brake."""
    try:
        stored = storage.read()
        text.load_mapping(stored.document)
    except CommandError as error:
        return None, error
    return stored, None


@command.command("release")
@click.option("--all", "for_all", is_flag=True, help="Release the brake of all injectors.")
@storage_options
def _release(storage: RolloutStorage, *, for_all: bool) -> None:
    """Print the author and the reason of a brake, and delete it."""
    name = storage.brake_name(for_all=for_all)
    brake = storage.read_brake(for_all=for_all)
    if brake is None:
        raise CommandError(f"brake {name}: not found; status prints the brakes")
    click.echo(f"brake      {name}: {describe_brake(brake)}")
    storage.delete_brake(for_all=for_all)
    click.secho("released   rollouts can use their candidates again", fg="green")
    fields = text.read_rollout(storage.read().document)
    if fields is not None:
        click.echo(f"rollout    {fields.get('id')} continues {storage.delay}")


def _read_running(storage: RolloutStorage) -> tuple[StoredPolicy, Object, Rollout]:
    """Return the policy with its valid rollout; raises ``CommandError`` without one."""
    stored = storage.read()
    fields = text.read_rollout(stored.document)
    if fields is None:
        raise CommandError("the policy has no rollout; start one: podgraft policy rollout start")
    rollout = parse_valid(stored.document).rollout
    if rollout is None:
        raise CommandError("the policy has no rollout; start one: podgraft policy rollout start")
    return stored, fields, rollout


def _write_rollout(
    storage: RolloutStorage, stored: StoredPolicy, fields: Object, signer: Signer | None
) -> None:
    check_signer(stored, signer)
    changed = text.set_rollout(stored.document, fields)
    storage.check_denied(find_digests(parse_valid(changed)))
    label = storage.write(changed, stored, signer)
    click.secho(f"policy     {label} is in force: {_describe_share(fields)}", fg="green")
    click.echo(f"effect     {storage.delay}")


def _check_brakes(storage: RolloutStorage, rollout: Rollout) -> None:
    for for_all in (True, False):
        brake = storage.read_brake(for_all=for_all)
        if brake is not None and is_stopped(rollout.id, parse_brakes([brake])):
            name = storage.brake_name(for_all=for_all)
            raise CommandError(
                f"brake {name} stops {rollout.id}: {describe_brake(brake)}; "
                "run podgraft policy rollout abort, and start again with another --id"
            )


def _check_needs(
    rollout: Rollout, stored: StoredPolicy, log: Path | None, *, force: bool, reason: str | None
) -> None:
    """Exit with status 3 if evidence is missing, unless --force and --reason are set."""
    evidence = read_log(log, rollout.id) if log is not None else None
    missing = find_missing(rollout.needs, evidence, stored.date)
    if not missing:
        return
    if force and reason:
        click.echo(f"forced     {'; '.join(missing)}; reason: {reason}")
        return
    click.secho("error: ", fg="red", bold=True, nl=False, err=True)
    click.echo(f'needs: {"; ".join(missing)}; wait, or use --force --reason "…"', err=True)
    click.get_current_context().exit(MISSING_EVIDENCE)
