"""The results of explain in each output format: steps, objects, changes, or findings."""

from collections.abc import Iterator, Sequence
from difflib import unified_diff
from enum import StrEnum

import click
from msgspec import Struct

from podgraft.base.jsonvalue import JSON, Object, object_at, without_keys
from podgraft.cli import sarif, source_lines, terminal
from podgraft.cli.documents import object_name, render_json
from podgraft.cli.failure import CommandError
from podgraft.cli.object_reviews import ObjectReviews, ReviewedObject
from podgraft.core.injectors.istio import yaml_stream
from podgraft.kube import yaml

from .chart import render_chart
from .decision_trace import DecisionTrace, Verdict, to_json
from .tree import render_tree


class OutputFormat(StrEnum):
    """The output format."""

    TEXT = "text"
    YAML = "yaml"
    PATCH = "patch"
    JSON = "json"
    SARIF = "sarif"
    SVG = "svg"

    @property
    def is_result(self) -> bool:
        """Whether the output has the resulting objects, and not the steps to them."""
        return self in {OutputFormat.YAML, OutputFormat.PATCH}


class ExplainedFile(Struct, frozen=True):
    """The reviews of the objects of a file, or of objects of a cluster, which have no text."""

    name: str
    reviews: Sequence[ObjectReviews]
    text: str | None = None

    @property
    def all_objects(self) -> list[ReviewedObject]:
        """The objects, each followed by the pod of its workload."""
        return [each for reviews in self.reviews for each in reviews.objects]

    def format_yaml(self) -> str:
        """The text of the file with the results, then the pods; other documents are copied."""
        own = [reviews.objects[0] for reviews in self.reviews]
        pods = [pod.after for reviews in self.reviews for pod in reviews.objects[1:]]
        if self.text is None:
            return _format_stream([each.after for each in own] + pods)
        remaining = iter(own)
        text = yaml_stream.rewrite_objects(
            self.text, lambda document: _find_result(document, next(remaining))
        )
        return text + _format_stream(pods)

    def find_findings(self) -> Iterator[sarif.Finding]:
        """Yield each denial, failure, warning, and audited failure."""
        for each in self.all_objects:
            line = source_lines.find_object_line(self.text or "", each.before.object)
            level = "error" if not each.is_created else "warning"
            rule = str(each.verdict)
            messages = [
                *((rule, level, message) for message in each.messages),
                *(("warning", "warning", message) for message in each.warnings),
                *(("audit", "note", message) for message in each.audit_failures),
            ]
            for name, severity, message in messages:
                text = f"{each.name}: {message}"
                yield sarif.Finding(
                    rule=name, level=severity, message=text, file=self.name, line=line
                )


def print_results(files: Sequence[ExplainedFile], output: OutputFormat) -> None:
    """Print the results; objects that are not created have no YAML and no changes."""
    if output.is_result:
        _print_objects(files, output)
        return
    traces = [reviews.trace for file in files for reviews in file.reviews]
    click.echo(_format_steps(files, traces, output), nl=False)


def _format_steps(
    files: Sequence[ExplainedFile], traces: Sequence[DecisionTrace], output: OutputFormat
) -> str:
    match output:
        case OutputFormat.JSON:
            documents = [each for file in files for each in _encode_file(file)]
            return render_json(documents[0] if len(documents) == 1 else documents)
        case OutputFormat.SARIF:
            return sarif.render_report([each for file in files for each in file.find_findings()])
        case OutputFormat.SVG:
            if len(traces) != 1:
                raise CommandError(f"--output svg draws one object, and -f has {len(traces)}")
            return render_chart(traces[0])
        case _:
            return "\n".join(map(render_tree, traces))


def _encode_file(file: ExplainedFile) -> Iterator[JSON]:
    for reviews in file.reviews:
        objects: list[JSON] = [_encode_object(each, file) for each in reviews.objects]
        yield {**to_json(reviews.trace), "objects": objects}


def _encode_object(each: ReviewedObject, file: ExplainedFile) -> JSON:
    encoded: Object = {
        "file": file.name,
        "object": object_name(each.before.object),
        "namespace": each.before.namespace,
        "verdict": str(each.verdict),
        "messages": [*each.messages],
        "warnings": [*each.warnings],
        "rules": [*each.evaluated_rules],
        "audit": {**each.audit},
        "auditFailures": [*each.audit_failures],
    }
    if file.text is None:  # an object of a cluster, whose values are not printed unasked
        return encoded
    result = each.after if each.is_created else None
    return {**encoded, "operations": each.operations, "result": result}


def _print_objects(files: Sequence[ExplainedFile], output: OutputFormat) -> None:
    all_objects = [each for file in files for each in file.all_objects]
    for each in all_objects:
        terminal.secho(each.describe(), fg=None if each.is_created else "red", err=True)
        for warning in each.warnings:
            terminal.secho(f"  warning: {warning}", fg="yellow", err=True)
    changed = sum(each.verdict in {Verdict.INJECTED, Verdict.CHANGED} for each in all_objects)
    click.echo(f"changed {changed} of {len(all_objects)} objects", err=True)
    if not all(each.is_created for each in all_objects):
        return
    for file in files:
        if output is OutputFormat.YAML:
            terminal.write_document(file.format_yaml())
        else:
            click.echo("".join(_format_changes(file)), nl=False)


def _format_changes(file: ExplainedFile) -> Iterator[str]:
    """Yield the lines of a unified diff for each changed object."""
    for each in file.all_objects:
        before, after = (
            yaml.dump(value, sort_keys=False).splitlines()
            for value in (each.before.object, each.after)
        )
        names = (each.name, f"{each.name}, changed")
        for line in unified_diff(before, after, *names, lineterm=""):
            yield terminal.style_diff_line(line) + "\n"


def _format_stream(objects: Sequence[Object]) -> str:
    return "".join(f"{yaml.dump(each, sort_keys=False)}---\n" for each in objects)


def _find_result(document: Object, result: ReviewedObject) -> Object:
    """The object after its reviews; the document itself, if they do not change it.

    The reviews receive the namespace of an object that names none, as from kube-apiserver. The
    result does not have it, so that kubectl selects the namespace.
    """
    if not result.operations:
        return document
    metadata = object_at(result.after, "metadata")
    if "namespace" in object_at(document, "metadata"):
        return result.after
    return {**result.after, "metadata": without_keys(metadata, "namespace")}
