"""The subcommands of ``podgraft rollout`` that continue a rollout, and what all share."""

from pathlib import Path

import click

from podgraft.base.jsonvalue import Object, object_at
from podgraft.cli import command_help, terminal
from podgraft.cli.failure import CommandError
from podgraft.cli.identifier_options import cluster_option
from podgraft.cli.policy.signing import Signer, sign_options
from podgraft.cli.policy.storage import PolicyStorage, storage_options
from podgraft.cli.policy.versions import StoredPolicy
from podgraft.cli.regions import Steps, is_in_several, run_in_regions, share
from podgraft.core.policy.rollout import Rollout, RolloutMode

from . import text
from .brakes import read_brakes
from .candidate import check_document, parse_valid
from .health import collect_health
from .options import Percentage, force_options, log_option

# The exit status if the needed evidence is missing.
MISSING_EVIDENCE = 3
_NO_ROLLOUT = "the policy has no rollout; start one: podgraft rollout start"


def describe_share(rollout: Object) -> str:
    """The percentages of a rollout, in one line."""
    verb = "compares" if rollout.get("mode") == "shadow" else "serves"
    others = {**object_at(rollout, "groups"), **object_at(rollout, "clusters")}
    listed = "".join(f", {name} {share} %" for name, share in others.items())
    if rollout.get("mode") == "paused":
        return "paused, no further pods get the candidate"
    return f"the candidate {verb} {rollout.get('share', 0)} % of workloads{listed}"


@command_help.command("step")
@run_in_regions()
@click.argument("percentage", type=Percentage())
@cluster_option("Cluster to change; default: the percentage of all others.")
@click.option("--group", help="Group of clusters to change; default: the percentage of all others.")
@log_option
@force_options
@sign_options
@storage_options
def step_rollout(  # noqa: PLR0913 — one parameter per option
    storage: PolicyStorage,
    *,
    percentage: float,
    cluster: str | None,
    group: str | None,
    log: Path | None,
    override: str | None,
    signer: Signer | None,
) -> Steps:
    """Serve PERCENTAGE of the workloads with the candidate.

    After shadow and pause, the mode becomes share. A higher percentage needs the evidence of
    --needs since the last change, and no alarm. A lower or equal one needs none.
    """
    stored, fields, rollout = read_running(storage)
    if cluster is not None and group is not None:
        raise click.UsageError("--cluster, --group: use one of them")
    groups = () if group is None else (group,)
    forced = None
    before = 0 if rollout.mode is RolloutMode.SHADOW else rollout.percentage(cluster, groups)
    if percentage > before:
        _check_brakes(storage, rollout)
        storage.check_alias()
        forced = _check_needs(storage, rollout, stored, log, override)
    changed: Object = {**fields, "mode": "share"}
    if cluster is not None:
        changed["clusters"] = {**object_at(fields, "clusters"), cluster: percentage}
    elif group is not None:
        changed["groups"] = {**object_at(fields, "groups"), group: percentage}
    else:
        changed["share"] = percentage
    return _write_rollout(storage, stored, changed, signer, forced)


@command_help.command("pause")
@run_in_regions(needs_all=False)
@sign_options
@storage_options
def pause_rollout(storage: PolicyStorage, *, signer: Signer | None) -> Steps:
    """Give no further pods the candidate; podgraft rollout step continues."""
    stored, fields, rollout = read_running(storage)
    if rollout.mode is RolloutMode.SHADOW:
        raise CommandError(
            "the rollout is in mode shadow, so no pod gets the candidate; to end it, run "
            "podgraft rollout abort"
        )
    return _write_rollout(storage, stored, {**fields, "mode": "paused"}, signer)


@command_help.command("promote")
@run_in_regions()
@log_option
@force_options
@sign_options
@storage_options
def promote_candidate(
    storage: PolicyStorage, *, log: Path | None, override: str | None, signer: Signer | None
) -> Steps:
    """Put the candidate in force for all workloads, and end the rollout."""
    stored = storage.read()
    if is_in_several() and text.read_rollout(stored.document) is None:
        return (yield from skip_written(stored, _NO_ROLLOUT))
    stored, fields, rollout = read_running(storage)
    storage.check_origin(signer, stored)
    _check_brakes(storage, rollout)
    forced = _check_needs(storage, rollout, stored, log, override)
    promoted = text.promote(stored.document)
    check_document(storage, promoted)
    share("written", set[str]).add(promoted)
    yield
    message = text.describe_change(fields, "promoted", forced)
    label = storage.write(promoted, stored, signer, message)
    terminal.secho(f"policy     {label} is in force: the candidate, in all clusters", fg="green")
    click.echo(f"effect     {storage.delay}")
    if stored.version is not None:
        number = stored.version.number
        click.echo(f"to undo:   podgraft rollback {number} {storage.options}")
    return None


def skip_written(stored: StoredPolicy, problem: str) -> Steps:
    """Wait for the other regions; raise ``CommandError`` unless one writes the document of this."""
    yield
    if stored.document not in share("written", set[str]):
        raise CommandError(problem)
    click.echo(f"policy     {stored.label} is already the same")


def read_running(storage: PolicyStorage) -> tuple[StoredPolicy, Object, Rollout]:
    """Return the policy with its valid rollout; raises ``CommandError`` without one."""
    stored = storage.read()
    fields = text.read_rollout(stored.document)
    rollout = None if fields is None else parse_valid(stored.document).rollout
    if fields is None or rollout is None:
        raise CommandError(_NO_ROLLOUT)
    return stored, fields, rollout


def _write_rollout(
    storage: PolicyStorage,
    stored: StoredPolicy,
    fields: Object,
    signer: Signer | None,
    reason: str | None = None,
) -> Steps:
    """Write the rollout, if it differs: the evidence counts from the newest version on."""
    storage.check_origin(signer, stored)
    changed = text.set_rollout(stored.document, fields)
    storage.check_denied(parse_valid(changed).digests)
    yield
    is_signed = signer is None or is_in_several() or signer.has_signed(stored.text, stored.number)
    if changed == stored.document and is_signed:
        click.echo(f"policy     {stored.label} is already the same")
        return
    words = describe_share(fields)
    label = storage.write(changed, stored, signer, text.describe_change(fields, words, reason))
    terminal.secho(f"policy     {label} is in force: {words}", fg="green")
    click.echo(f"effect     {storage.delay}")


def _check_brakes(storage: PolicyStorage, rollout: Rollout) -> None:
    for brake in read_brakes(storage):
        if brake.stops(rollout.id):
            release = ", after podgraft rollout release --all" if brake.for_all else ""
            raise CommandError(
                f"brake {brake.location} stops {rollout.id}: {brake.describe()}; run podgraft "
                f"rollout abort, and start again with another --id{release}"
            )


def _check_needs(
    storage: PolicyStorage,
    rollout: Rollout,
    stored: StoredPolicy,
    log: Path | None,
    override: str | None,
) -> str | None:
    """Return the reason that replaces missing evidence; exit with status 3 without one."""
    missing = collect_health(storage, rollout, stored, log).find_missing()
    if not missing:
        return None
    if not override:
        terminal.secho("error: ", fg="red", bold=True, nl=False, err=True)
        click.echo(f'needs: {"; ".join(missing)}; wait, or use --force --reason "…"', err=True)
        click.get_current_context().exit(MISSING_EVIDENCE)
    click.echo(f"forced     {'; '.join(missing)}; reason: {' '.join(override.split())}")
    return override
