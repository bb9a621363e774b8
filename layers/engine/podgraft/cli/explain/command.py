"""``podgraft explain``: does this pod get sidecars, and why, station by station."""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

import click

from podgraft import jsonvalue, policy
from podgraft.cli import configuration, documents
from podgraft.cli.failure import CommandError
from podgraft.injection import OperatorError, UserError, istio
from podgraft.jsonvalue import JSON, Object
from podgraft.policy import Inject
from podgraft.store import Snapshot

from .chart import chart
from .journey import Journey, Sidecars, Stage, as_json, decision_stage
from .registration import sending
from .subject import Subject, subjects
from .tree import tree

NOT_INJECTED = 3

_FILE = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)


class Output(StrEnum):
    """How the answer is written."""

    TEXT = "text"
    JSON = "json"
    SVG = "svg"


@click.command("explain")
@click.option("-f", "--filename", type=_FILE, required=True, help="Pod or workload; - reads stdin.")
@configuration.options
@click.option("--namespace", help="Namespace of objects that name none.")
@click.option("--namespace-labels", default="", help="Labels of the namespace: key=value,…")
@click.option("--webhook-config", type=_FILE, help="MutatingWebhookConfiguration of the cluster.")
@click.option(
    "--output", type=click.Choice([each.value for each in Output]), default=Output.TEXT.value
)
def command(
    *,
    filename: Path,
    namespace: str | None,
    namespace_labels: str,
    webhook_config: Path | None,
    output: str,
    **given: Path | str | None,
) -> int:
    """Say step by step whether a pod gets sidecars, and why.

    The exit status is 0 for a pod that is injected, 3 for one that is not.
    """
    snapshot = configuration.load(configuration.given(given))
    webhooks = list(documents.objects(webhook_config)) if webhook_config else []
    labels = _labels(namespace_labels)
    journeys = [
        _journey(subject, snapshot, webhooks, labels) for subject in subjects(filename, namespace)
    ]
    click.echo(_written(journeys, Output(output)), nl=False)
    return 0 if all(journey.injected for journey in journeys) else NOT_INJECTED


def _journey(
    subject: Subject, snapshot: Snapshot, webhooks: list[Object], labels: Mapping[str, str]
) -> Journey:
    stages: list[Stage] = []
    arrives = True
    if webhooks:
        namespaces = _namespaces(subject, snapshot, labels)
        sent = sending(webhooks, subject.request, namespaces)
        stages.append(sent.stage)
        arrives = sent.passes
    decision = policy.decide(snapshot.bundle.rules, subject.pod, subject.namespace)
    stage = decision_stage(decision)
    if not arrives:
        stage = replace(stage, stations=tuple(replace(s, decides=False) for s in stage.stations))
    journey = Journey(subject=subject.name, stages=(*stages, stage), warnings=decision.warnings)
    if not arrives or not isinstance(decision, Inject):
        return journey
    return _with_sidecars(journey, subject, snapshot)


def _with_sidecars(journey: Journey, subject: Subject, snapshot: Snapshot) -> Journey:
    """What would come with the injection: a bundle without Istio's brings no list of it."""
    injector = snapshot.bundle.istio
    if injector is None:
        return replace(journey, sidecars=Sidecars())
    try:
        injection = injector.inject(subject.pod, istio.Request(namespace=subject.namespace))
    except (UserError, OperatorError) as error:
        raise CommandError(f"{subject.name}: is to be injected and cannot be: {error}") from error
    sidecars = Sidecars(
        templates=injection.templates,
        image=injection.image,
        init_containers=injection.init_containers,
        containers=injection.containers,
        volumes=injection.volumes,
    )
    warnings = (*journey.warnings, *injection.warnings)
    return replace(journey, sidecars=sidecars, warnings=warnings)


def _namespaces(
    subject: Subject, snapshot: Snapshot, labels: Mapping[str, str]
) -> Mapping[str, Object]:
    """The bundle's Namespaces; labels given on the command line replace those of the pod's own."""
    if not labels:
        return snapshot.bundle.namespaces
    own: Object = {"metadata": {"name": subject.namespace, "labels": dict(labels)}}
    return {**snapshot.bundle.namespaces, subject.namespace: own}


def _labels(text: str) -> Mapping[str, str]:
    pairs = [pair.partition("=") for pair in text.split(",") if pair]
    for key, equals, _ in pairs:
        if not key or not equals:
            raise click.UsageError(f"--namespace-labels: got {text!r}; use key=value,key=value")
    return {key: value for key, _, value in pairs}


def _written(journeys: list[Journey], output: Output) -> str:
    match output:
        case Output.TEXT:
            return "\n".join(map(tree, journeys))
        case Output.JSON:
            answers: list[JSON] = [as_json(journey) for journey in journeys]
            return jsonvalue.dump(answers[0] if len(answers) == 1 else answers) + "\n"
        case Output.SVG:
            if len(journeys) != 1:
                raise CommandError(f"--output svg draws one pod, and the file has {len(journeys)}")
            return chart(journeys[0])
