"""``podgraft explain``: each step of the reviews of an object, and their result."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

import click

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON
from podgraft.cli import configuration, documents
from podgraft.cli.failure import CommandError
from podgraft.cli.identifier_options import check_optional_injector
from podgraft.cli.live.options import check_selection
from podgraft.cli.live.selection import PodSelection
from podgraft.cli.manifest_files import FileSelection, make_file_options
from podgraft.core.bundle.retired_registries import image_warning
from podgraft.service.store import Snapshot

from .chart import render_chart
from .decision_trace import DecisionTrace, exit_status, to_json
from .flow import Cluster
from .pod_source import find_pods
from .tree import render_tree
from .webhooks import Webhook, read_webhooks, select_routes

_FILE = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)


class OutputFormat(StrEnum):
    """The output format."""

    TEXT = "text"
    JSON = "json"
    SVG = "svg"


@click.command("explain")
@click.argument("target", nargs=-1)
@make_file_options(is_required=False)
@configuration.inject_options
@click.option(
    "-n", "--namespace", help="Namespace of TARGET, and of objects in the file without one."
)
@click.option("-A", "--all-namespaces", is_flag=True, help="All namespaces, for a TYPE.")
@click.option("-l", "--selector", help="Label selector of objects, for a TYPE.")
@click.option("--namespace-labels", default="", help="Labels of the namespace: key=value,…")
@click.option(
    "--webhook-config", type=_FILE, help="File of the webhook configurations of the cluster."
)
@click.option(
    "--injector",
    callback=check_optional_injector,
    help="Injector of the bundle, with --webhook-config.",
)
@click.option(
    "-o",
    "--output",
    type=click.Choice([each.value for each in OutputFormat]),
    default=OutputFormat.TEXT.value,
    help="Output format.",
)
def command(  # noqa: PLR0913 — one parameter per option
    *,
    target: tuple[str, ...],
    manifests: FileSelection,
    namespace: str | None,
    all_namespaces: bool,
    selector: str | None,
    namespace_labels: str,
    webhook_config: Path | None,
    injector: str | None,
    output: str,
    **given: Any,
) -> int:
    """Show each step of the admission reviews of an object, and their result.

    TARGET is an object of the cluster of the context: TYPE/NAME, TYPE NAME, or TYPE. The webhooks
    and namespaces are those of the cluster, and without --bundle, so is Istio's configuration. The
    command explains the creation of the object, without its present sidecars. With -f, it needs no
    cluster.

    A workload is reviewed first, then the pod that its controller creates. With --webhook-config,
    the webhooks in that file are called; without it, every route that the bundle serves.

    The exit status is 0 if the object is injected or changed, 3 if it is left as it is, 4 if it is
    denied, and 1 if a review or the command fails. For several documents it is the worst, in the
    order 1, 4, 3, 0.
    """
    options = configuration.parse_options(given)
    if bool(target) == bool(manifests.paths):
        raise click.UsageError("give either TARGET or -f; use -f once for each file")
    if not manifests.paths:
        for_files = {"--webhook-config": webhook_config, "--namespace-labels": namespace_labels}
        if names := ", ".join(name for name, value in for_files.items() if value):
            raise click.UsageError(f"{names}: only with -f; for TARGET, the cluster is read")
        selection = PodSelection(
            namespace=namespace, all_namespaces=all_namespaces, selector=selector
        )
        journeys = _explain_live(target, check_selection(selection), options, injector)
    else:
        if all_namespaces or selector:
            raise click.UsageError("-A and -l: only with TARGET; -f reads all objects of the files")
        journeys = _explain_file(
            manifests,
            namespace,
            options,
            lambda snapshot: _webhooks(snapshot, webhook_config, injector),
            _parse_labels(namespace_labels),
        )
    for image in dict.fromkeys(each.sidecars.image for each in journeys if each.sidecars):
        if warning := image_warning(image):
            click.echo(f"warning: {warning}", err=True)
    click.echo(_format_output(journeys, OutputFormat(output)), nl=False)
    return exit_status(journeys)


def _explain_live(
    words: tuple[str, ...],
    selection: PodSelection,
    options: configuration.InjectOptions,
    injector: str | None,
) -> list[DecisionTrace]:
    from podgraft.cli.live.resources import parse_targets

    from .live_objects import LiveExplainer

    explainer = LiveExplainer(options.access.open_cluster(), options, injector)
    return [*explainer.explain(parse_targets(words), selection)]


def _explain_file(
    files: FileSelection,
    namespace: str | None,
    options: configuration.InjectOptions,
    find_webhooks: Callable[[Snapshot], tuple[Webhook, ...]],
    labels: Mapping[str, str],
) -> list[DecisionTrace]:
    loaded = configuration.load(options)
    configuration.warn_of_unused(options, loaded.snapshot)
    cluster = Cluster(
        snapshot=loaded.snapshot,
        caller=loaded.caller,
        webhooks=find_webhooks(loaded.snapshot),
        labels=labels,
    )
    return [cluster.explain(subject) for subject in find_pods(files, namespace)]


def _webhooks(
    snapshot: Snapshot, webhook_config: Path | None, injector: str | None
) -> tuple[Webhook, ...]:
    if webhook_config is None:
        return select_routes(snapshot.bundle)
    return read_webhooks([*documents.read_objects(webhook_config)], webhook_config, injector)


def _parse_labels(text: str) -> Mapping[str, str]:
    pairs = [pair.partition("=") for pair in text.split(",") if pair]
    for key, equals, _ in pairs:
        if not key or not equals:
            raise click.UsageError(f"--namespace-labels: got {text!r}; use key=value,key=value")
    return {key: value for key, _, value in pairs}


def _format_output(journeys: list[DecisionTrace], output: OutputFormat) -> str:
    match output:
        case OutputFormat.TEXT:
            return "\n".join(map(render_tree, journeys))
        case OutputFormat.JSON:
            documents: list[JSON] = [to_json(trace) for trace in journeys]
            return jsonvalue.dump(documents[0] if len(documents) == 1 else documents) + "\n"
        case OutputFormat.SVG:
            if len(journeys) != 1:
                raise CommandError(f"--output svg draws one object, and -f has {len(journeys)}")
            return render_chart(journeys[0])
