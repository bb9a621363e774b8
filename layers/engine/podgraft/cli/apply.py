"""``podgraft apply``: objects of any kind after the webhooks that change them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

import click

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, Object, object_at
from podgraft.cli import configuration, terminal
from podgraft.cli.explain.decision_trace import Verdict
from podgraft.cli.explain.flow import Cluster
from podgraft.cli.explain.webhooks import Webhook, select_routes
from podgraft.cli.failure import CommandError
from podgraft.cli.object_options import (
    ObjectFile,
    ObjectOptions,
    object_options,
    read_object_files,
)
from podgraft.cli.object_reviews import ReviewedObject, run_reviews
from podgraft.core.injectors.istio import yaml_stream
from podgraft.kube import yaml
from podgraft.service.store import Snapshot

_FORMATS = ("yaml", "diff", "json")
# The exit status is that of the first verdict that an object has.
_STATUSES = (
    (Verdict.FAILED, 1),
    (Verdict.DENIED, 4),
    (Verdict.INJECTED, 0),
    (Verdict.CHANGED, 0),
)
_UNCHANGED = 3


@click.command("apply")
@object_options
@configuration.inject_options
@click.option("--pods", is_flag=True, help="Include the pods that the workloads create.")
@click.option(
    "-o",
    "--output",
    type=click.Choice(_FORMATS),
    default="yaml",
    show_default=True,
    help="Output: the resulting objects, the changes, or both as JSON.",
)
def command(
    *,
    objects: ObjectOptions,
    pods: bool,
    output: str,
    **given: Path | str | tuple[str, ...] | None,
) -> int:
    """Change objects of any kind as the webhooks do: overlays, and the injection of Pods.

    Standard output has the resulting objects, and standard error the result of each. If an object
    is denied or a review fails, the command prints no objects. It does not evaluate rules: use
    podgraft validate, or podgraft explain for all steps.

    The exit status is 0 if an object is injected or changed, 3 if none is, 4 if one is denied, and
    1 if a review or the command fails.
    """
    options = configuration.parse_options(given)
    snapshot = configuration.load_snapshot(options)
    configuration.warn_of_unused(options, snapshot)
    cluster = Cluster(
        snapshot=snapshot,
        caller=configuration.caller(options),
        webhooks=_select_webhooks(snapshot),
        creates_pods=pods,
    )
    results = [
        _FileResult(file, [run_reviews(cluster, each).objects for each in file.subjects])
        for file in read_object_files(objects)
    ]
    all_objects = [each for result in results for each in result.all_objects]
    _print_results(all_objects)
    if _has_hidden_pods(cluster, results):
        click.echo("the pods of workloads are reviewed separately; use --pods for them", err=True)
    if output == "json":
        click.echo(jsonvalue.dump([each for result in results for each in result.encode()]))
    elif all(each.is_created for each in all_objects):
        for result in results:
            if output == "yaml":
                terminal.write_document(result.format_yaml())
            else:
                click.echo("".join(result.format_diffs()), nl=False)
    verdicts = {each.verdict for each in all_objects}
    return next((status for verdict, status in _STATUSES if verdict in verdicts), _UNCHANGED)


def _select_webhooks(snapshot: Snapshot) -> tuple[Webhook, ...]:
    webhooks = tuple(each for each in select_routes(snapshot.bundle) if each.route != "validate")
    if not webhooks:
        raise CommandError(
            "the bundle changes no object: it contains no overlay, mesh, or Istio configuration; "
            "use podgraft validate for its rules"
        )
    return webhooks


def _print_results(all_objects: Sequence[ReviewedObject]) -> None:
    """Print each result, its warnings, and the number of changed objects."""
    for each in all_objects:
        terminal.secho(each.describe(), fg=None if each.is_created else "red", err=True)
        for warning in each.warnings:
            terminal.secho(f"  warning: {warning}", fg="yellow", err=True)
    changed = sum(each.verdict in {Verdict.INJECTED, Verdict.CHANGED} for each in all_objects)
    click.echo(f"changed {changed} of {len(all_objects)} objects", err=True)


def _has_hidden_pods(cluster: Cluster, results: Sequence["_FileResult"]) -> bool:
    """Whether the bundle can inject pods of the workloads, and the output has none of them."""
    if cluster.creates_pods or cluster.snapshot is None:
        return False
    if not cluster.snapshot.bundle.pod_mutators:
        return False
    subjects = (subject for result in results for subject in result.file.subjects)
    return any(subject.pod_path is not None and not subject.is_pod for subject in subjects)


@dataclass(frozen=True, slots=True)
class _FileResult:
    """The reviews of the objects of a file: for each, the object, and the pod of a workload."""

    file: ObjectFile
    objects: Sequence[Sequence[ReviewedObject]]

    @property
    def all_objects(self) -> list[ReviewedObject]:
        """All objects and pods."""
        return [each for objects in self.objects for each in objects]

    def format_yaml(self) -> str:
        """The text of the file with the results, then the pods; other documents are copied."""
        own = iter([objects[0] for objects in self.objects])
        text = yaml_stream.rewrite_objects(
            self.file.text, lambda document: _find_result(document, next(own))
        )
        pods = [each.after for objects in self.objects for each in objects[1:]]
        return text + "".join(f"{yaml.dump(pod, sort_keys=False)}---\n" for pod in pods)

    def format_diffs(self) -> Iterator[str]:
        """Yield the lines of a unified diff for each changed object."""
        for each in self.all_objects:
            before, after = (
                yaml.dump(value, sort_keys=False).splitlines()
                for value in (each.before.object, each.after)
            )
            names = (each.name, f"{each.name}, changed")
            for line in unified_diff(before, after, *names, lineterm=""):
                color = {"+": "green", "-": "red"}.get(line[:1])
                yield terminal.style(line, fg=color) + "\n"

    def encode(self) -> Iterator[JSON]:
        """Yield each result as JSON; an object that is not created has no result."""
        for each in self.all_objects:
            operations = [operation for call in each.calls for operation in call.operations]
            yield {
                **each.encode(str(self.file.path)),
                "operations": operations,
                "result": each.after if each.is_created else None,
            }


def _find_result(document: Object, result: ReviewedObject) -> Object:
    """The object after its reviews; the document itself, if they do not change it.

    The reviews receive the namespace of an object that names none, as from kube-apiserver. The
    result does not have it, so that kubectl selects the namespace.
    """
    if not any(call.operations for call in result.calls):
        return document
    metadata = object_at(result.after, "metadata")
    if "namespace" in object_at(document, "metadata"):
        return result.after
    own: Object = {key: value for key, value in metadata.items() if key != "namespace"}
    return {**result.after, "metadata": own}
