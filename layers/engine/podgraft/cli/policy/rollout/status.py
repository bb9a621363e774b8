"""The subcommands of ``podgraft rollout`` that only read: ``status`` and ``who``."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import click

from podgraft.base.jsonvalue import JSON, equal
from podgraft.cli import command_help, terminal
from podgraft.cli.documents import render_json
from podgraft.cli.failure import CommandError, print_warnings
from podgraft.cli.policy.document_text import load_mapping
from podgraft.cli.policy.options import list_output_option
from podgraft.cli.policy.storage import PolicyStorage, storage_options
from podgraft.cli.policy.version_loading import find_registered_groups
from podgraft.cli.policy.versions import StoredPolicy
from podgraft.cli.program import FAILED
from podgraft.cli.regions import Steps, is_in_several, run_in_regions, share
from podgraft.core.policy.rollout import Rollout, RolloutMode

from . import text
from .brakes import Brake, read_brakes
from .candidate import parse_valid
from .evidence import Evidence, TrackEvidence, Workload, read_log
from .health import Health, collect_health
from .insights import Alarm
from .options import log_option
from .status_json import encode_status, is_complete

_WIDTH = 40
_MAX_KINDS = 10
# The parts of a workload: cluster, namespace, kind, and name.
_PARTS = 4


@command_help.command("status")
@run_in_regions(needs_all=False)
@log_option
@list_output_option
@storage_options
def show_status(storage: PolicyStorage, *, log: Path | None, output: str) -> Steps:
    """Show the rollout, its brakes, and the evidence for both tracks.

    With --regions, the exit status is 1 if the rollouts or what the brakes stop differ.
    """
    if output == "json" and is_in_several():
        raise click.UsageError("-o json: shows one region; use --region")
    stored = storage.read()
    rollout, brakes = _read_rollout(stored), tuple(read_brakes(storage))
    health = None if rollout is None else collect_health(storage, rollout, stored, log)
    if output == "json":
        click.echo(render_json(encode_status(stored, brakes, health)), nl=False)
        return None
    is_stopped = _print_brakes(brakes, rollout)
    if health is None:
        click.echo("rollout    none: stable serves all workloads")
    else:
        _print_health(storage, stored, health, is_stopped=is_stopped)
    states = share("states", list[JSON])
    stopped: list[JSON] = [*sorted({each.target for each in brakes})]
    states.append([text.read_rollout(stored.document), stopped])
    yield
    if any(not equal(each, states[0]) for each in states):
        states.clear()  # reported once
        print_warnings(["the rollouts differ; repeat the last change with the same --regions"])
        return FAILED
    return None


def _print_health(
    storage: PolicyStorage, stored: StoredPolicy, health: Health, *, is_stopped: bool
) -> None:
    rollout = health.rollout
    since = f", since {stored.date:%Y-%m-%d %H:%M} UTC" if stored.date else ""
    click.echo(f"rollout    {rollout.id} ({stored.label}{since})")
    _print_shares(rollout, is_stopped=is_stopped)
    _print_alarms(health.alarms)
    if health.evidence is not None:
        _print_evidence(rollout, health.evidence)
    _print_result(storage, rollout, health.find_missing(), is_stopped=is_stopped)


def _read_rollout(stored: StoredPolicy) -> Rollout | None:
    if load_mapping(stored.document).get(text.KEY) is None:
        return None
    return parse_valid(stored.document).rollout


def _print_brakes(brakes: Sequence[Brake], rollout: Rollout | None) -> bool:
    """Print the brakes; return whether one stops the rollout."""
    is_stopped = False
    for brake in brakes:
        stops = rollout is not None and brake.stops(rollout.id)
        is_stopped = is_stopped or stops
        effect = f"does not stop the rollout, but {brake.target}"
        if stops or rollout is None:
            effect = "STOPS THE ROLLOUT" if stops else f"stops {brake.target}"
        terminal.secho(
            f"brake      {brake.location} {effect}: {brake.describe()}", fg="red" if stops else None
        )
    if not brakes:
        click.echo("brakes     none")
    return is_stopped


def _print_shares(rollout: Rollout, *, is_stopped: bool) -> None:
    """Print a bar for the percentage of all clusters, and of single ones."""
    meaning = {
        RolloutMode.SHADOW: "shadow: stable serves all workloads, # is compared",
        RolloutMode.SHARE: "share: the candidate serves #, stable serves .",
        RolloutMode.PAUSED: "paused: no further pods get the candidate",
    }[rollout.mode]
    click.echo(f"mode       {'STOPPED BY A BRAKE (was ' * is_stopped}{meaning}{')' * is_stopped}")
    others = {f"group {name}": each for name, each in rollout.groups.items()}
    others.update(rollout.clusters)
    rows = {"all others" if others else "all": rollout.share, **others}
    width = max(map(len, rows))
    for name, percentage in rows.items():
        click.echo(f"           {name:<{width}}  {format_bar(percentage)} {percentage:g} %")


def format_bar(share: float) -> str:
    """Draw a percentage; a small one is visible, and a bar is full only for 100 percent."""
    filled = max(int(share * _WIDTH / 100), 1 if share else 0)
    return f"[{'#' * filled}{'.' * (_WIDTH - filled)}]"


def _print_alarms(alarms: tuple[Alarm, ...] | None) -> None:
    if alarms is not None and not alarms:
        click.echo("alarms     none has the guard as its action, so no alarm stops the rollout")
    for number, alarm in enumerate(alarms or ()):
        label = "" if number else "alarms"
        reason = f": {alarm.reason}" if alarm.is_active else ""
        line = f"{label:<11}{alarm.name} {alarm.state}{reason}"
        terminal.secho(line, fg="red" if alarm.is_active else None)


def _print_evidence(rollout: Rollout, evidence: Evidence) -> None:
    needs = rollout.needs
    stable, candidate = evidence.stable, evidence.candidate
    click.echo(f"           {'':<10}{'stable':>10}{'candidate':>12}{'needed':>10}")
    rows = (
        ("reviews", stable.reviews, candidate.reviews, needs.reviews),
        ("workloads", len(stable.workloads), len(candidate.workloads), needs.workloads),
        ("failures", stable.failures, candidate.failures, 0),
    )
    for name, left, right, needed in rows:
        click.echo(f"           {name:<10}{left:>10,}{right:>12,}{needed or '':>10}".rstrip())
    click.echo(f"           {'p99 ms':<10}{_format(stable):>10}{_format(candidate):>12}")
    for reason, count in evidence.reasons.most_common():
        click.echo(f"reason     {reason}: {count:,} reviews")
    kinds = sorted(evidence.kinds.items(), key=lambda item: (-len(item[1]), item[0]))
    for kind, workloads in kinds[:_MAX_KINDS]:
        example = " ".join(min(workloads))
        click.echo(f"kind       {kind}: {len(workloads):,} workloads, for example {example}")
        for line in evidence.paths[kind].split("; "):
            click.echo(f"             {line}")
    if len(kinds) > _MAX_KINDS:
        click.echo(f"           and {len(kinds) - _MAX_KINDS} more kinds")


def _format(track: TrackEvidence) -> str:
    value = track.p99_milliseconds
    return "-" if value is None else f"{value:.2f}"


def _print_result(
    storage: PolicyStorage, rollout: Rollout, missing: list[str], *, is_stopped: bool
) -> None:
    if is_stopped:
        terminal.secho("result     stopped: stable serves all workloads", fg="red")
        click.echo(f"next:      podgraft rollout abort {storage.options} --reason …")
    elif missing:
        terminal.secho(f"result     inconclusive: {'; '.join(missing)}", fg="yellow")
        click.echo(f"to stop:   podgraft rollout abort {storage.options} --reason …")
    else:
        terminal.secho("result     the needed evidence is complete", fg="green")
        action = "promote" if is_complete(rollout) else "step PERCENTAGE"
        click.echo(f"next:      podgraft rollout {action} {storage.options}")
        click.echo(f"to stop:   podgraft rollout abort {storage.options} --reason …")


@command_help.command("who")
@click.option(
    "--workload",
    "workloads",
    multiple=True,
    metavar="CLUSTER/NAMESPACE/KIND/NAME",
    help="Workload to look up.",
)
@click.option("--id", "id_", help="Rollout; default: the one of the policy.")
@click.option("--got", is_flag=True, help="List only workloads that got the candidate.")
@log_option
@storage_options
def list_workloads(
    storage: PolicyStorage,
    *,
    workloads: tuple[str, ...],
    id_: str | None,
    got: bool,
    log: Path | None,
) -> None:
    """List workloads with the percentage from which they get the candidate.

    The list is exact before the rollout starts. The workloads are those of --workload, or those in
    the log of the stack or in --log. With --got, it prints the commands that restart them.
    """
    has_log = log is not None or storage.has_log
    if not workloads and not has_log:
        raise click.UsageError("Missing option '--workload' or '--log'.")
    if got and not has_log:
        raise click.UsageError("Missing option '--log': --got lists the workloads in it.")
    stored = storage.read()
    rollout = _read_rollout(stored)
    id_ = id_ or (None if rollout is None else rollout.id)
    if id_ is None:
        raise CommandError("the policy has no rollout; use --id")
    # With workloads on the command line, only a file adds those of a log.
    evidence = None if workloads and log is None and not got else _read_all(storage, id_, log)
    if got and evidence is not None:
        _print_received(evidence.received)
        return
    found = [_parse_workload(each) for each in workloads]
    if evidence is not None:
        found += sorted(evidence.stable.workloads | evidence.candidate.workloads)
    if rollout is None or rollout.id != id_:
        rollout = Rollout(id=id_, mode=RolloutMode.PAUSED, candidate=parse_valid(""))
    groups = _read_groups(storage, stored, rollout, {cluster for cluster, *_ in found})
    for workload in found:
        click.echo(_describe_workload(rollout, workload, groups.get(workload[0], ())))


def _read_groups(
    storage: PolicyStorage, stored: StoredPolicy, rollout: Rollout, clusters: Iterable[str]
) -> Mapping[str, Sequence[str]]:
    """Return the groups by cluster, also those of the callers, if groups have own shares."""
    if not rollout.groups:
        return {}
    read = parse_valid(stored.document)
    return {
        each: read.find_groups(each, find_registered_groups(storage, read.groups, each))
        for each in clusters
    }


def _read_all(storage: PolicyStorage, id_: str, log: Path | None) -> Evidence | None:
    """Return the evidence since the start of a rollout."""
    if log is not None:
        return read_log(log, storage.injector, id_)
    evidence = storage.read_evidence(id_, None)
    if evidence is not None and not evidence.is_complete:
        problem = "CloudWatch returned only some of the workloads; export the log, and use --log"
        print_warnings([f"log group: {problem}"])
    return evidence


def _parse_workload(name: str) -> Workload:
    parts = name.split("/", _PARTS - 1)
    if len(parts) != _PARTS:
        raise CommandError(f"--workload: got {name!r}; use CLUSTER/NAMESPACE/KIND/NAME")
    cluster, namespace, kind, own = parts
    return cluster, namespace, f"{kind}/{own}"


def _describe_workload(rollout: Rollout, workload: Workload, groups: Sequence[str]) -> str:
    cluster, namespace, name = workload
    bucket = rollout.find_bucket(cluster or None, namespace, name)
    percentage = (bucket + 1) / 100
    member = f" ({', '.join(groups)})" if groups else ""
    line = f"{cluster or '-'}{member} {namespace} {name}   bucket {bucket}: "
    is_selected = rollout.selects(bucket, cluster or None, groups)
    if is_selected and rollout.mode is RolloutMode.SHARE:
        return f"{line}gets the candidate, from {percentage:g} %"
    return f"{line}gets the candidate from {percentage:g} %"


# The kinds that kubectl can restart.
_RESTARTABLE = frozenset({"Deployment", "StatefulSet", "DaemonSet"})


def _print_received(workloads: set[Workload]) -> None:
    if not workloads:
        click.echo("no workload in the log got the candidate")
    for cluster, namespace, name in sorted(workloads):
        kind, _, own = name.partition("/")
        context = shlex.join(["--context", cluster]) + " " if cluster else ""
        target = shlex.quote(f"{kind.lower()}/{own}")
        options = f"kubectl {context}--namespace {shlex.quote(namespace)}"
        if kind in _RESTARTABLE:
            click.echo(f"{options} rollout restart {target}")
        else:
            click.echo(f"{options} get {target}  # restart it: kubectl cannot")
