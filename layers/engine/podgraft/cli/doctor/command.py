"""``podgraft doctor``: what is wrong with the sidecars of one cluster, or of all contexts."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from podgraft.base.jsonvalue import Object, string_at
from podgraft.cli import command_help
from podgraft.cli.aws_options import aws_options, use_region
from podgraft.cli.config_source import ConfigSource, ConfigSourceType, Location, config_option
from podgraft.cli.endpoint_check.faults import ORDER
from podgraft.cli.failure import CommandError
from podgraft.cli.fleet.file import read_fleet
from podgraft.cli.identifier_options import cluster_option
from podgraft.cli.live.contexts import CONTEXTS_OPTION, list_contexts, read_all
from podgraft.cli.live.options import CONTEXT_OPTIONS, ClusterAccess
from podgraft.cli.manifest_files import FileSelection, make_file_options
from podgraft.cli.program import ERROR, FAILED
from podgraft.cli.regions import make_regions_option, select_regions
from podgraft.cli.shared_options import FILE, add_options, format_option
from podgraft.cli.stack_regions import compare_regions
from podgraft.cli.tokens.storage_factory import open_repository
from podgraft.service.store.caller_document import Callers

from . import report
from .diagnosis import Diagnosis, Request, State, examine
from .stores import Stores

_SECONDS = 5
_FORMATS: Mapping[str, Callable[[Sequence[Diagnosis]], str]] = {
    "text": lambda diagnoses: "\n".join(report.format_text(diagnoses)) + "\n",
    "json": report.format_json,
    "junit": report.format_junit,
}


@command_help.command("doctor")
@add_options(*CONTEXT_OPTIONS[:2])
@CONTEXTS_OPTION
@click.option(
    "-n", "--namespace", help="Namespace of the dry run of a pod; default: a selected one."
)
@make_file_options(is_required=False, help_text="Registration to compare with the cluster.")
@cluster_option("Cluster to which the registered token must belong.")
@click.option("--fleet", type=FILE, help="Fleet file to compare with the callers of --config.")
@make_regions_option("Regions of the stack, to compare their policies.")
@click.option("--strict", is_flag=True, help="Exit with 1 also for checks without a result.")
@format_option(_FORMATS)
@aws_options
@config_option(ConfigSourceType(cluster=False), "Stack or folder with the callers, for tokens.")
def command(*, contexts: str | None, strict: bool, output: str, **given: Any) -> int:
    """Find what is wrong with the injection of a cluster, and print the first cause.

    The checks follow the path of a review: registration, DNS, TLS, token, policy, and a dry run of
    a pod. What follows from a fault is marked. Nothing is changed, and no token is printed. Without
    a right, a check is "unknown".

    The exit status is 1 for a fault, and 2 if the command could not run.
    """
    access = ClusterAccess(
        context=given["context"], kubeconfig=given["kubeconfig"], request_timeout=_SECONDS
    )
    try:
        request = Request(
            namespace=given["namespace"],
            cluster=given["cluster"] or "",
            expected=_read_registrations(given["manifests"]),
            stores=_read_stores(given["source"], given["fleet"], select_regions(given["regions"])),
        )
        names = list_contexts(access, contexts)
    except CommandError as error:
        error.show()
        return ERROR
    diagnoses = read_all(access, names, lambda cluster, name: examine(cluster, name, request))
    click.echo(_FORMATS[output](diagnoses), nl=False)
    return _find_status(diagnoses, strict=strict)


def _read_registrations(manifests: FileSelection) -> Mapping[tuple[str, str], Object]:
    return {
        (string_at(each, "kind"), string_at(each, "metadata", "name")): each
        for _, each in (manifests.read_objects() if manifests.paths else ())
        if string_at(each, "kind").endswith("WebhookConfiguration")
    }


def _read_stores(
    source: ConfigSource | None, fleet: Path | None, regions: tuple[str, ...]
) -> Stores:
    stack = source.stack if source is not None else None
    if regions and stack is None:
        raise click.UsageError("--regions: requires --config stack:NAME")
    if fleet and source is None:
        raise click.UsageError("--fleet: requires --config, with the callers to compare")
    return Stores(
        callers=None if source is None else _read_callers(source, regions),
        fleet=None if fleet is None else read_fleet(fleet),
        regions=(*compare_regions(stack, regions),) if regions and stack else None,
    )


def _read_callers(source: ConfigSource, regions: tuple[str, ...]) -> Mapping[str, Callers]:
    """Return the callers; those of the first region, with which the others are compared."""
    location = Location(stack_name=source.stack, folder=source.folder)
    with use_region(*regions[:1]):
        return open_repository(location).read_all()


def _find_status(diagnoses: Sequence[Diagnosis], *, strict: bool) -> int:
    if any(each.count(State.FAULT) for each in diagnoses):
        return FAILED
    if any(each.count(State.UNKNOWN) == len(ORDER) for each in diagnoses):
        return ERROR
    return FAILED if strict and any(each.count(State.UNKNOWN) for each in diagnoses) else 0
