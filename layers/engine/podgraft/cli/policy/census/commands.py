"""The subcommands of ``podgraft policy census``."""

from base64 import b64encode
from collections import Counter
from pathlib import Path

import click

from podgraft.base import system
from podgraft.cli import command_help, stacks, terminal
from podgraft.cli.documents import render_json
from podgraft.cli.failure import print_warnings
from podgraft.cli.identifier_options import cluster_option
from podgraft.cli.policy.options import list_output_option, yes_option
from podgraft.cli.policy.storage import open_storage
from podgraft.cli.policy.target import TargetOptions, target_or_store_options
from podgraft.cli.regions import refuse_regions
from podgraft.cli.storage import ChangedError, Documents, StoredDocument
from podgraft.service.store.names import census_key_name

from .storage import find_cluster, find_workload, open_records

_KEY_BYTES = 32
census_option = click.option(
    "--census",
    "place",
    metavar="FOLDER|s3://BUCKET",
    help="Records; default: census/ of the folder, or output CensusBucket of the stack.",
)


@command_help.group("census")
def command() -> None:
    """Record distinct workloads without their values, for podgraft policy preview."""


@command.command("on")
@target_or_store_options
def _enable(options: TargetOptions) -> None:
    """Create the key of the tokens, which permits the recording.

    The function records the workloads of an injector only with this key, the key census in its
    policy, and a storage: the stack parameter Census, or serve --census.
    """
    refuse_regions("podgraft policy census on")
    keys = open_storage(options).documents
    existed = _create_key(keys, options.injector)
    location = keys.locate(census_key_name(options.injector))
    terminal.secho(f"key        {location} {'exists' if existed else 'created'}", fg="green")
    click.echo("next       add to the policy: census: {}")
    click.echo("           register the webhook again with podgraft register --census")
    if options.stack_name is not None and not stacks.lookup_stack(options.stack_name).census:
        problem = f"stack {options.stack_name} has no storage for records"
        print_warnings([f"{problem}; deploy it with Census=true"])


def _create_key(documents: Documents, injector: str) -> bool:
    """Create a random key; an existing one remains. Return whether it existed."""
    name = census_key_name(injector)
    key = b64encode(system.random_bytes(_KEY_BYTES)).decode()
    try:
        documents.write(name, key, StoredDocument(), is_secret=True)
    except ChangedError:
        return True
    return False


@command.command("off")
@target_or_store_options
def _disable(options: TargetOptions) -> None:
    """Delete the key of the tokens, which stops the recording within 5 minutes.

    Records remain until they expire; podgraft policy census purge deletes them. Without the key,
    no one can compare a guess with a token.
    """
    refuse_regions("podgraft policy census off")
    keys, name = open_storage(options).documents, census_key_name(options.injector)
    keys.delete(name)
    terminal.secho(f"key        {keys.locate(name)} deleted", fg="green")


@command.command("stats")
@census_option
@list_output_option
@target_or_store_options
def _print_statistics(options: TargetOptions, place: str | None, output: str) -> None:
    """Print how many workloads are recorded, by cluster and week."""
    storage = open_records(options, place)
    files = storage.list_files(options.injector)
    size = sum(files.values())
    by_workload = {find_workload(path): find_cluster(path) for path in files}
    clusters = dict(sorted(Counter(by_workload.values()).items()))
    weeks = dict(sorted(Counter(Path(path).name.partition(".")[0] for path in files).items()))
    if output == "json":
        counts = {"records": len(files), "bytes": size, "workloads": len(by_workload)}
        click.echo(render_json({**counts, "clusters": clusters, "weeks": weeks}), nl=False)
        return
    click.echo(f"records    {len(files)} in {storage.name}, {size:,} bytes")
    click.echo(f"workloads  {len(by_workload)}")
    for cluster, count in clusters.items():
        click.echo(f"           {count:>6} in {cluster or 'requests without a cluster'}")
    for week, count in weeks.items():
        click.echo(f"{week:<11}{count:>6}")
    if files:
        click.echo(
            "Recording is a side effect: the webhooks need sideEffects NoneOnDryRun "
            "(podgraft register --census)."
        )


@command.command("purge")
@census_option
@cluster_option("Delete only the records of this cluster.")
@yes_option("Delete the records. Without this option, the command only counts them.")
@target_or_store_options
def _purge(options: TargetOptions, place: str | None, *, cluster: str | None, yes: bool) -> None:
    """Count the records of an injector, and delete them with --yes."""
    refuse_regions("podgraft policy census purge")
    storage = open_records(options, place)
    files = storage.list_files(options.injector)
    files = [path for path in files if cluster in {None, find_cluster(path)}]
    summary = f"{len(files)} records of injector {options.injector} in {storage.name}"
    if not yes:
        click.echo(f"would delete {summary}; to delete them, use --yes")
        return
    storage.delete(files)
    terminal.secho(f"deleted    {summary}", fg="green")
