"""``podgraft policy preview``."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import click

from podgraft.cli import command_help
from podgraft.cli.config_source import ConfigFolder, optional_folder_argument
from podgraft.cli.failure import CommandError, print_warnings
from podgraft.cli.identifier_options import cluster_option
from podgraft.cli.policy.census.commands import census_option
from podgraft.cli.policy.census.storage import open_records, read_newest
from podgraft.cli.policy.diff.unified import format_diff
from podgraft.cli.policy.local import check_bundle
from podgraft.cli.policy.storage import open_storage
from podgraft.cli.policy.stored_version import StoredInjector, load_injector, read_local_document
from podgraft.cli.policy.target import TargetOptions, target_or_store_options
from podgraft.cli.shared_options import format_option
from podgraft.core.census.record import Record
from podgraft.core.versions.snapshot import Snapshot
from podgraft.kube import yaml

from .replay import PreviewOutcome, PreviewResult, find_groups, preview_record, replay
from .report import GroupBy, PreviewReport, render_json, render_markdown, render_text

# The exit status if --fail-on matches.
MATCHED = 3
_FORMATS = {"text": render_text, "json": render_json, "markdown": render_markdown}
_FAILING = (PreviewOutcome.CHANGED, PreviewOutcome.FAILED, PreviewOutcome.UNKNOWN)
FindSnapshot = Callable[[str | None], Snapshot]


def _parse_outcomes(
    context: click.Context, option: click.Parameter, value: str
) -> tuple[PreviewOutcome, ...]:
    names = [name.strip() for name in value.split(",")] if value else []
    for name in names:
        if name not in tuple(_FAILING):
            raise click.BadParameter(f"got {name!r}; use {', '.join(_FAILING)}", context, option)
    return tuple(map(PreviewOutcome, names))


@command_help.command("preview")
@optional_folder_argument
@census_option
@cluster_option("Only this cluster.")
@click.option("--group", help="Only clusters in this group.")
@click.option("--namespace", help="Only this namespace.")
@click.option(
    "--by",
    type=click.Choice([each.value for each in GroupBy]),
    default=GroupBy.CLUSTER.value,
    help="Rows of the table.",
)
@click.option(
    "--sample",
    metavar="[CLUSTER/]NAMESPACE/KIND/NAME",
    help="Print both results of a workload as a diff, without values.",
)
@click.option(
    "--fail-on",
    metavar="OUTCOME[,OUTCOME…]",
    default="",
    callback=_parse_outcomes,
    help="Exit with status 3 for these outcomes: changed, failed, unknown.",
)
@format_option(_FORMATS)
@target_or_store_options
@click.pass_context
def preview_policy(  # noqa: PLR0913 — one parameter per option
    context: click.Context,
    options: TargetOptions,
    folder: ConfigFolder | None,
    place: str | None,
    *,
    cluster: str | None,
    group: str | None,
    namespace: str | None,
    by: str,
    sample: str | None,
    fail_on: tuple[PreviewOutcome, ...],
    output: str,
) -> None:
    """Review the recorded workloads with the policy in force and with a candidate.

    FOLDER contains policy.yaml and bundle/ of the candidate. Without FOLDER, it is the candidate of
    the current rollout. The workloads are those of podgraft policy census.

    Each workload is same, changed, failed, or unknown: its result depends on a value that the
    census omits. The exit status is 1 for errors, 2 for invalid options, 3 if --fail-on matches.
    """
    stored = _open_stored(options)
    name, candidate = _open_candidate(stored, folder)
    stable = partial(stored.find_snapshot, stored.current)
    records = _read_records(options, place, cluster, namespace)
    records = _select_group(records, group, stable, candidate)
    if sample is not None:
        click.echo(_render_sample(records, sample, stable, candidate), nl=False)
        return
    results = tuple(_preview_records(records, stable, candidate))
    report = PreviewReport(
        stable=stored.current.name, candidate=name, by=GroupBy(by), results=results
    )
    click.echo(_FORMATS[output](report), nl=False)
    if any(report.counts[outcome] for outcome in fail_on):
        context.exit(MATCHED)


def _preview_records(
    records: Iterable[Record], stable: FindSnapshot, candidate: FindSnapshot
) -> Iterator[PreviewResult]:
    for record in sorted(records, key=lambda each: (each.identity, each.route)):
        cluster = record.cluster or None
        yield preview_record(record, stable(cluster), candidate(cluster))


def _open_stored(options: TargetOptions) -> StoredInjector:
    stored = load_injector(open_storage(options, writes=False))
    if stored.current.snapshots is None:
        raise CommandError(f"injector {options.injector} has no policy; push one first")
    return stored


def _read_records(
    options: TargetOptions, place: str | None, cluster: str | None, namespace: str | None
) -> list[Record]:
    records = [
        record
        for record in read_newest(open_records(options, place), options.injector)
        if cluster in {None, record.cluster} and namespace in {None, record.namespace}
    ]
    if not records:
        raise CommandError(
            "the census has no workload; record some with podgraft policy census on, and check "
            "--census, --injector, --cluster, and --namespace"
        )
    return records


def _select_group(
    records: list[Record], group: str | None, stable: FindSnapshot, candidate: FindSnapshot
) -> list[Record]:
    if group is None:
        return records
    clusters = {each.cluster for each in records}
    found = {each: find_groups(stable(each or None), candidate(each or None)) for each in clusters}
    selected = [each for each in records if group in found[each.cluster]]
    if not selected:
        raise CommandError(
            f"--group: no recorded workload is of a cluster in {group}; podgraft explain --cluster "
            "prints the groups of a cluster"
        )
    return selected


def _open_candidate(
    stored: StoredInjector, folder: ConfigFolder | None
) -> tuple[str, FindSnapshot]:
    """Return the name of the configuration under test, and its snapshot for a cluster."""
    if folder is None:
        return _open_rollout(stored)
    checked = check_bundle(folder)
    print_warnings(checked.warnings)
    text = read_local_document(checked, folder, stored.current)
    version = stored.load_local(checked, text)
    return str(folder.bundle.parent), partial(stored.find_snapshot, version)


def _open_rollout(stored: StoredInjector) -> tuple[str, FindSnapshot]:
    candidate = stored.find_snapshot(stored.current, None).candidate
    if candidate is None:
        raise CommandError("the policy has no rollout; name a candidate with FOLDER")
    if candidate.rollout is None or candidate.snapshot is None:
        raise CommandError(f"the candidate of the rollout does not load: {candidate.problem}")

    def find(cluster: str | None) -> Snapshot:
        own = stored.find_snapshot(stored.current, cluster).candidate
        if own is None or own.snapshot is None:
            raise CommandError(f"cluster {cluster}: the candidate does not load")
        return own.snapshot

    return f"rollout {candidate.rollout.id}", find


def _render_sample(
    records: Sequence[Record], sample: str, stable: FindSnapshot, candidate: FindSnapshot
) -> str:
    matches = [
        record
        for record in records
        if sample
        in {
            f"{record.namespace}/{record.workload}",
            f"{record.cluster}/{record.namespace}/{record.workload}",
        }
    ]
    if not matches:
        raise CommandError(f"--sample: workload {sample} not found in the census")
    return "".join(_render_difference(record, stable, candidate) for record in matches)


def _render_difference(record: Record, stable: FindSnapshot, candidate: FindSnapshot) -> str:
    cluster = record.cluster or None
    result = preview_record(record, stable(cluster), candidate(cluster))
    before = yaml.dump(replay(record, stable(cluster)).object)
    after = yaml.dump(replay(record, candidate(cluster), is_candidate=True).object)
    reason = f": {result.reason}" if result.reason else ""
    path = f"{record.namespace}/{record.workload}.yaml"
    return f"# {record.identity} {record.route} {result.outcome}{reason}\n" + format_diff(
        before, after, path
    )
