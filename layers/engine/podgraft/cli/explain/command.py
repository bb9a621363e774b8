"""``podgraft explain``: each step of the reviews of an object, and their result."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from podgraft.cli import command_help, configuration
from podgraft.cli.failure import print_warnings, raise_findings
from podgraft.cli.live.cluster import PodSelection
from podgraft.cli.live.options import select_pods
from podgraft.cli.live.resources import parse_targets
from podgraft.cli.object_reviews import run_reviews
from podgraft.cli.shared_options import NonEmptyPath, format_option
from podgraft.core.bundle.retired_registries import image_warning

from .decision_trace import DecisionTrace, Verdict, exit_status
from .flow import Cluster
from .live_objects import LiveExplainer
from .object_files import ObjectOptions, object_options, read_object_files
from .results import ExplainedFile, OutputFormat, print_results
from .webhooks import find_webhooks

_FILE = NonEmptyPath(exists=True, dir_okay=False, allow_dash=True)


@command_help.command("explain")
@click.argument("target", nargs=-1)
@object_options
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
@click.option("--pods", is_flag=True, help="With yaml and patch, add the pods of the workloads.")
@format_option(
    OutputFormat, "Steps (text, json, svg), resulting objects, their changes, or findings."
)
def command(  # noqa: PLR0913 — one parameter per option
    *,
    target: tuple[str, ...],
    objects: ObjectOptions,
    namespace: str | None,
    all_namespaces: bool,
    selector: str | None,
    namespace_labels: str,
    webhook_config: Path | None,
    pods: bool,
    output: str,
    options: configuration.InjectOptions,
) -> int:
    """Show each step of the admission reviews of an object, and their result.

    TARGET is an object of the cluster of the context: TYPE/NAME, TYPE NAME, or TYPE. The webhooks
    and namespaces are those of the cluster, and without --config, so is Istio's configuration. The
    command explains the creation of the object, without its present sidecars. With -f, it needs no
    cluster.

    A workload is reviewed first, then the pod that its controller creates. With --webhook-config,
    the webhooks in that file are called; without it, every route that the bundle serves.

    The exit status is 0 if the object is injected or changed, 3 if it is left as it is, 4 if it is
    denied, and 1 if a review or the command fails. For several documents it is the worst, in the
    order 1, 4, 3, 0; with -o yaml and -o patch, it is 0 if any is changed.
    """
    form = OutputFormat(output)
    if bool(target) == bool(objects.manifests.paths):
        raise click.UsageError("give either TARGET or -f; use -f once for each file")
    if target:
        _reject_file_options(webhook_config, namespace_labels)
        selection = select_pods(namespace, all_namespaces, selector)
        return _explain_live(target, selection, options, form)
    if all_namespaces or selector:
        raise click.UsageError("-A and -l: only with TARGET; -f reads all objects of the files")
    labels, creates_pods = _parse_labels(namespace_labels), pods or not form.is_result
    cluster = _make_cluster(options, webhook_config, labels, creates_pods=creates_pods)
    return _print_files(_explain_objects(cluster, objects, namespace), form)


def _reject_file_options(webhook_config: Path | None, namespace_labels: str) -> None:
    for_files = {"--webhook-config": webhook_config, "--namespace-labels": namespace_labels}
    if names := ", ".join(name for name, value in for_files.items() if value):
        raise click.UsageError(f"{names}: only with -f; for TARGET, the cluster is read")


def _print_files(files: Sequence[ExplainedFile], form: OutputFormat) -> int:
    traces = [each.trace for file in files for each in file.reviews]
    _warn_of_images(traces)
    print_results(files, form)
    return _select_status(traces, form)


def _explain_objects(
    cluster: Cluster, objects: ObjectOptions, namespace: str | None
) -> list[ExplainedFile]:
    files = [
        ExplainedFile(str(file.path), [run_reviews(cluster, each) for each in subjects], file.text)
        for file, subjects in read_object_files(objects, namespace)
    ]
    if _has_hidden_pods(cluster, files):
        click.echo("the pods of workloads are not reviewed; use --pods for them", err=True)
    return files


def _has_hidden_pods(cluster: Cluster, files: Sequence[ExplainedFile]) -> bool:
    """Whether the bundle can inject pods of the workloads, and the output has none of them."""
    if cluster.creates_pods or cluster.snapshot is None:
        return False
    subjects = (reviews.subject for file in files for reviews in file.reviews)
    has_workload = any(each.pod_path is not None and not each.is_pod for each in subjects)
    return has_workload and bool(cluster.snapshot.bundle.pod_mutators)


def _warn_of_images(traces: Sequence[DecisionTrace]) -> None:
    images = dict.fromkeys(each.sidecars.image for each in traces if each.sidecars)
    print_warnings(filter(None, map(image_warning, images)))


def _select_status(traces: Sequence[DecisionTrace], form: OutputFormat) -> int:
    verdicts = {trace.verdict for trace in traces}
    is_stopped = bool(verdicts & {Verdict.FAILED, Verdict.DENIED})
    if form.is_result and not is_stopped and verdicts & {Verdict.INJECTED, Verdict.CHANGED}:
        return 0
    return exit_status(traces)


def _explain_live(
    words: tuple[str, ...],
    selection: PodSelection,
    options: configuration.InjectOptions,
    form: OutputFormat,
) -> int:
    explainer = LiveExplainer(options.access.open_cluster(), options)
    reviews = explainer.explain(parse_targets(words), selection)
    status = _print_files([ExplainedFile("cluster", reviews)], form) if reviews else 1
    raise_findings(explainer.findings)
    return status


def _make_cluster(
    options: configuration.InjectOptions,
    webhook_config: Path | None,
    labels: Mapping[str, str],
    *,
    creates_pods: bool,
) -> Cluster:
    loaded = configuration.load(options)
    configuration.warn_of_unused(options, loaded.snapshot)
    return Cluster(
        snapshot=loaded.snapshot,
        caller=loaded.caller,
        webhooks=find_webhooks(loaded.snapshot.bundle, webhook_config, options.injector),
        labels=labels,
        creates_pods=creates_pods,
    )


def _parse_labels(text: str) -> Mapping[str, str]:
    pairs = [pair.partition("=") for pair in text.split(",") if pair]
    for key, equals, _ in pairs:
        if not key or not equals:
            raise click.UsageError(f"--namespace-labels: got {text!r}; use key=value,key=value")
    return {key: value for key, _, value in pairs}
