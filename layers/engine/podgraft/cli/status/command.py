"""``podgraft status``: the injection of each namespace of a cluster."""

from collections.abc import Iterator, Sequence

import click
from msgspec.structs import replace

from podgraft.base import system
from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli import command_help, configuration
from podgraft.cli.compare.configurations import ConfigurationSource
from podgraft.cli.config_source import Location, is_explicit
from podgraft.cli.configuration import InjectOptions
from podgraft.cli.documents import render_json
from podgraft.cli.failure import print_warnings
from podgraft.cli.live.cluster import LiveCluster, PodSelection
from podgraft.cli.live.contexts import CONTEXTS_OPTION, list_contexts, read_all
from podgraft.cli.live.options import selection_options
from podgraft.cli.live.registrations import InjectorKind, parse_webhooks
from podgraft.cli.live.webhook_matching import WebhookMatcher, select_injecting
from podgraft.cli.regions import make_regions_option, select_regions
from podgraft.cli.shared_options import format_option
from podgraft.cli.stack_regions import compare_regions
from podgraft.cli.tokens.usage import read_last_uses_of_regions
from podgraft.kube import yaml

from . import report
from .clusters import COLUMNS, State, read_status
from .page import render_page
from .policy_report import make_reports
from .survey import Survey, find_overlaps
from .webhooks import WebhookStatus, check_webhooks


@command_help.command("status")
@CONTEXTS_OPTION
@selection_options
@configuration.inject_options
@click.option(
    "--test",
    "is_tested",
    is_flag=True,
    help="Send a review to the URL of each webhook, with its CAs and its token.",
)
@click.option("--url", help="Endpoint of podgraft, to find webhooks that call another one.")
@make_regions_option("Regions to compare; a difference has exit status 1.")
@format_option(("text", "json", "html", "policyreport"), "Output format; html with --contexts.")
def command(  # noqa: PLR0913 - one parameter per option
    *,
    contexts: str | None,
    selection: PodSelection,
    is_tested: bool,
    url: str | None,
    regions: tuple[str, ...],
    output: str,
    options: InjectOptions,
) -> int:
    """Show which webhook injects each namespace, and which pods need a restart.

    MISSING counts the pods without their sidecar: a webhook receives them, and the configuration
    injects them. OUTDATED counts the pods with other sidecars than a new pod would have. A question
    mark shows that pods were not checked. Without --config, the configuration is that of Istio in
    the cluster.

    --test sends a synthetic review to each URL of the registered webhooks: with the CAs of its
    caBundle and the token in its path, as kube-apiserver does. The exit status is 1 if one fails.

    --contexts prints one row for each cluster instead, with the result of --test. With --config
    stack:NAME, it adds the last review of each token, from the log of 30 days.
    """
    if is_explicit("regions") and (contexts is None or options.config_source.stack is None):
        raise click.UsageError("--regions: requires --contexts and --config stack:NAME")
    if contexts is not None:
        if selection != PodSelection() or output == "policyreport":
            raise click.UsageError(
                "--contexts reads no pods; leave out -n, -A, -l, and policyreport"
            )
        return _show_clusters(options, contexts, select_regions(regions), output)
    if output == "html":
        raise click.UsageError("-o html: requires --contexts")
    return _show_namespaces(options, selection, output, url, is_tested=is_tested)


def _show_clusters(
    options: InjectOptions, contexts: str, regions: tuple[str, ...], output: str
) -> int:
    stack = options.config_source.stack
    splits = [*map(str, compare_regions(stack, regions))] if stack and regions else []
    names = list_contexts(options.access, contexts)
    statuses = read_all(options.access, names, read_status)
    if stack is not None:
        uses = read_last_uses_of_regions(Location(stack_name=stack), regions)
        statuses = [replace(each, last_review=uses.get(each.token, "")) for each in statuses]
    if output == "json":
        clusters: list[JSON] = [each.to_json() for each in statuses]
        click.echo(render_json({"clusters": clusters, "splits": [*splits]}), nl=False)
    elif output == "html":
        click.echo(render_page(statuses, system.now()), nl=False)
    else:
        heads = tuple(map(str.upper, COLUMNS))
        for line in report.align([heads, *(each.cells() for each in statuses)]):
            click.echo(line)
    if output != "json":
        problems = (
            f"{each.context}: {problem}" for each in statuses for problem in each.find_problems()
        )
        print_warnings([*splits, *problems])
    return 1 if splits or any(each.state is State.FAILS for each in statuses) else 0


def _show_namespaces(
    options: InjectOptions,
    selection: PodSelection,
    output: str,
    url: str | None,
    *,
    is_tested: bool,
) -> int:
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
        click.echo(render_json(report.to_json(statuses, checked)), nl=False)
    elif output == "policyreport":
        click.echo("---\n".join(map(yaml.dump, make_reports(statuses))), nl=False)
    else:
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
