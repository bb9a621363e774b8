"""``podgraft compare``: the sidecars of a cluster, and those that podgraft injects."""

from typing import Any

import click

from podgraft.base import jsonvalue
from podgraft.cli import command_help, configuration
from podgraft.cli.failure import print_warnings
from podgraft.cli.live.cluster import PodSelection
from podgraft.cli.live.options import selection_options
from podgraft.cli.shared_options import format_option

from .configurations import ConfigurationSource
from .report import Report


@command_help.command("compare")
@selection_options
@configuration.inject_options
@format_option(("text", "json"))
def command(*, selection: PodSelection, output: str, **given: Any) -> int:
    """Compare the injected pods of a cluster with the result of podgraft for the same pods.

    The command removes the injection from each running pod, injects the pod again, and compares
    both pods, with the defaults of the API server. Without --config, it uses Istio's configuration
    in the cluster, of the revision that injected each pod, or of --revision. It only reads, and
    prints only values of injected parts.

    The exit status is 0 if all pods are identical, and 1 if a pod is different.
    """
    options = configuration.parse_options(given)
    cluster = options.access.open_cluster()
    source = ConfigurationSource(cluster, options)
    report = Report()
    for pod in cluster.list_pods(selection):
        report.add(source.compare(pod))
    print_warnings(source.problems)
    if output == "json":
        click.echo(jsonvalue.dump(report.to_json()))
    else:
        for line in report.format_lines():
            click.echo(line)
    if not report.pod_count:
        print_warnings(["no injected pod is selected; check -n, -l, and --revision"])
    return 1 if report.has_differences else 0
