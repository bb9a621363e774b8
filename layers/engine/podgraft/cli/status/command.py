"""``podgraft status``: the injection of each namespace of a cluster."""

from collections.abc import Iterator, Sequence
from typing import Any

import click

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import Object
from podgraft.cli import command_help, configuration
from podgraft.cli.compare.configurations import ConfigurationSource
from podgraft.cli.failure import print_warnings
from podgraft.cli.live.cluster import LiveCluster
from podgraft.cli.live.options import (
    SELECTION_OPTIONS,
    PodSelection,
    add_options,
    check_selection,
)
from podgraft.cli.live.registrations import InjectorKind, parse_webhooks
from podgraft.cli.live.webhook_matching import WebhookMatcher, select_injecting

from . import report
from .survey import Survey, find_overlaps
from .webhooks import WebhookStatus, check_webhooks


@command_help.command("status")
@add_options(*SELECTION_OPTIONS)
@configuration.inject_options
@click.option(
    "--test",
    "is_tested",
    is_flag=True,
    help="Send a review to the URL of each webhook, with its CAs and its token.",
)
@click.option("--url", help="Endpoint of podgraft, to find webhooks that call another one.")
@click.option(
    "-o", "--output", type=click.Choice(["text", "json"]), default="text", help="Output format."
)
def command(
    *,
    namespace: str | None,
    all_namespaces: bool,
    selector: str | None,
    is_tested: bool,
    url: str | None,
    output: str,
    **given: Any,
) -> int:
    """Show which webhook injects each namespace, and which pods need a restart.

    MISSING counts the pods without their sidecar: a webhook receives them, and the configuration
    injects them. OUTDATED counts the pods with other sidecars than a new pod would have; it is a
    comparison, as of podgraft compare. A question mark shows that pods were not checked. Without
    --config, the configuration is that of Istio in the cluster. The command only reads.

    --test sends a synthetic review, which counts in no metric, to each URL of the registered
    webhooks: with the CAs of its caBundle and the token in its path, as kube-apiserver does. The
    exit status is 1 if such a review fails.
    """
    selection = check_selection(
        PodSelection(namespace=namespace, all_namespaces=all_namespaces, selector=selector)
    )
    options = configuration.parse_options(given)
    cluster = options.access.open_cluster()
    webhooks = parse_webhooks(cluster.read_webhook_configurations())
    namespaces = _read_namespaces(cluster, selection)
    source = ConfigurationSource(cluster, options)
    survey = Survey(WebhookMatcher(select_injecting(webhooks), namespaces), source)
    for name in namespaces:
        survey.add_namespace(name)
    for pod in cluster.list_pods(selection):
        survey.add_pod(pod)
    survey.add_empty_namespaces()
    relevant = [each for each in webhooks if each.kind is not InjectorKind.OTHER]
    checked = check_webhooks(cluster, relevant, url, is_tested=is_tested)
    _print_statuses(survey, checked, output)
    print_warnings([*source.problems, *find_overlaps(survey), *_find_problems(checked)])
    return 1 if any(each.fails for each in checked) else 0


def _print_statuses(survey: Survey, checked: Sequence[WebhookStatus], output: str) -> None:
    statuses = sorted(survey.namespaces.values(), key=lambda status: status.name)
    if output == "json":
        click.echo(jsonvalue.dump(report.to_json(statuses, checked)))
        return
    for line in report.format_lines(statuses, checked):
        click.echo(line)


def _find_problems(checked: Sequence[WebhookStatus]) -> Iterator[str]:
    for each in checked:
        for problem in each.problems:
            yield f"{each.webhook.configuration}: webhook {each.webhook.name}: {problem}"


def _read_namespaces(cluster: LiveCluster, selection: PodSelection) -> dict[str, Object]:
    if selection.namespace is None:
        return cluster.read_namespaces()
    return {selection.namespace: cluster.read_namespace(selection.namespace)}
