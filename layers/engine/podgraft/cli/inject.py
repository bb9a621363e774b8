"""``podgraft inject``: sidecars for the workloads of a file, without a cluster."""

from pathlib import Path

import click

from podgraft import kubeyaml
from podgraft.cli import configuration, documents, offline
from podgraft.cli.failure import CommandError
from podgraft.injection import OperatorError, UserError, discreet, kubeinject

_FILE = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)


@click.command("inject")
@click.option("-f", "--filename", type=_FILE, required=True, help="YAML or JSON; - reads stdin.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Written to; - is stdout.")
@configuration.options
@click.option("--webhook", is_flag=True, help="Treat each Pod as the webhook would.")
@click.option("--namespace", default="default", show_default=True, help="With --webhook.")
def command(
    *,
    filename: Path,
    output: Path | None,
    webhook: bool,
    namespace: str,
    **given: Path | str | None,
) -> None:
    """Put sidecars into the workloads of a file, as istioctl kube-inject does.

    Documents of other kinds are copied byte for byte. With --webhook only Pods are looked at, by
    the whole policy; without it every workload is injected that does not decline.
    """
    snapshot = configuration.load(configuration.given(given))
    text = documents.read(filename)
    try:
        if webhook:
            result = offline.inject_stream(text, namespace, snapshot)
        elif snapshot.bundle.istio is not None:
            result = kubeinject.inject(snapshot.bundle.istio, text)
        else:
            raise CommandError("the bundle has no Istio configuration; use --webhook for Pods")
    except (UserError, OperatorError, kubeyaml.NotYAMLError) as error:
        raise CommandError(f"{filename}: {discreet(error)}") from error
    for warning in result.warnings:
        click.secho(warning, fg="yellow", err=True)
    documents.write(output, result.text)
