"""The subcommand of ``podgraft rollout`` that starts a rollout."""

import click

from podgraft.base.jsonvalue import JSON, Object, string_at
from podgraft.cli import command_help, terminal
from podgraft.cli.failure import CommandError, print_warnings
from podgraft.cli.policy.signing import Signer, sign_options
from podgraft.cli.policy.storage import PolicyStorage, storage_options
from podgraft.cli.policy.versions import StoredPolicy
from podgraft.cli.regions import Steps, is_in_several, run_in_regions, share
from podgraft.cli.shared_options import Decorator, choice_option, gather_options
from podgraft.core.versions.brake import ALL

from . import text
from .brakes import read_brakes
from .candidate import check_document, make_candidate
from .commands import describe_share, skip_written
from .health import check_alarms
from .options import Percentage
from .source import CandidateSource, source_options


def _share_option(part: str, description: str) -> Decorator:
    """Return the decorator that adds the option of the share of one *part*: cluster, or group."""
    return click.option(
        f"--{part}-share",
        f"{part}s",
        type=(str, Percentage()),
        multiple=True,
        metavar=f"{part.upper()} PERCENT",
        help=f"Percentage for {description}, instead of --share.",
    )


def _make_fields(  # noqa: PLR0913 — one parameter per option
    *,
    id_: str,
    shadow: bool,
    share: float | None,
    clusters: tuple[tuple[str, float], ...],
    groups: tuple[tuple[str, float], ...],
    by: str,
    needs: tuple[int, int, int] | None,
    reason: str,
) -> Object:
    """Return the rollout that the options describe, without its candidate."""
    mode, default = ("shadow", 100) if shadow else ("share", 1)
    counts = zip(("reviews", "workloads", "minutes"), needs or (), strict=False)
    fields: Object = {"id": id_, "mode": mode, "share": default if share is None else share}
    others: Object = {
        "clusters": dict(clusters),
        "groups": dict(groups),
        "by": "" if by == "workload" else by,
        "needs": dict(counts),
        "reason": reason,
    }
    return fields | {key: value for key, value in others.items() if value}


_rollout_options = gather_options(
    _make_fields,
    click.option("--id", "id_", required=True, help="Name of this attempt, used once."),
    click.option(
        "--shadow", is_flag=True, help="Only compare: stable responds to all reviews, until step."
    ),
    click.option(
        "--share",
        type=Percentage(),
        help="Percentage of workloads; default: 1, with --shadow 100.",
    ),
    _share_option("cluster", "one cluster"),
    _share_option("group", "a group of clusters"),
    choice_option("--by", choices=("workload", "namespace"), text="Unit of the selection."),
    click.option(
        "--needs",
        type=(int, int, int),
        metavar="REVIEWS WORKLOADS MINUTES",
        help="Evidence that step and promote require.",
    ),
    click.option("--reason", default="", help="Reason for the rollout, in one line."),
    name="fields",
)


@command_help.command("start")
@run_in_regions()
@source_options
@_rollout_options
@sign_options
@storage_options
def start_rollout(
    storage: PolicyStorage, *, origin: CandidateSource, fields: Object, signer: Signer | None
) -> Steps:
    """Start a rollout: the candidate responds for a share of the workloads.

    FOLDER contains policy.yaml and bundle/ of the candidate. With --from-stack, the candidate is
    the policy in force of the same injector in another stack.
    """
    loaded, stored, id_ = origin(storage), storage.read(), string_at(fields, "id")
    print_warnings(loaded.warnings)
    storage.check_origin(signer, stored)
    if is_in_several() and text.find_id(stored.document) == id_:
        return (yield from skip_written(stored, _describe_active(id_)))
    _check_can_start(storage, stored, id_)
    specified = loaded.find_document(stored.document)
    candidate = make_candidate(stored.document, specified, loaded.digest, loaded.name)
    rollout: Object = {**fields, "candidate": candidate}
    changed = text.set_rollout(stored.document, rollout)
    check_document(storage, changed, loaded.files)
    storage.upload(loaded.digest, loaded.files, click.echo)
    share("written", set[str]).add(changed)
    yield
    words = (f"bundle {value}" if key == "bundle" else key for key, value in candidate.items())
    click.echo(f"candidate  {', '.join(words)}")
    message = text.describe_change(rollout, describe_share(rollout), string_at(fields, "reason"))
    label = storage.write(changed, stored, signer, message)
    storage.upload(loaded.digest, loaded.files)  # if a prune deleted files at the same time
    return _report_start(storage, label, rollout)


def _describe_active(id_: JSON) -> str:
    return f"rollout {id_} is active; end it with podgraft rollout promote or abort"


def _report_start(storage: PolicyStorage, label: str, rollout: Object) -> None:
    terminal.secho(f"policy     {label} is in force: {describe_share(rollout)}", fg="green")
    click.echo(f"effect     {storage.delay}")
    click.echo(f"to stop:   podgraft rollout abort {storage.all_options} --reason …")


def _check_can_start(storage: PolicyStorage, stored: StoredPolicy, id_: str) -> None:
    running = text.read_rollout(stored.document)
    if running is not None:
        raise CommandError(_describe_active(running.get("id")))
    for brake in read_brakes(storage):
        if brake.stops(id_):
            flag = " --all" if brake.for_all else ""
            release = f"podgraft rollout release{flag} {storage.all_options}"
            remedy = "remove the reason, then" if ALL in brake.ids else "use another --id, or"
            raise CommandError(
                f"brake {brake.location} stops {id_}: {brake.describe()}; {remedy} release it: "
                f"{release}"
            )
    check_alarms(storage)
    storage.check_alias()
