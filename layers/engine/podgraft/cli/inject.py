"""``podgraft inject``: add sidecars to the workloads of files, without a cluster."""

from collections.abc import Iterator
from pathlib import Path

import click

from podgraft.cli import (
    annotation_remedies,
    command_help,
    configuration,
    documents,
    offline,
    terminal,
)
from podgraft.cli.failure import CommandError
from podgraft.cli.manifest_files import FileSelection, ManifestFile, join_streams, make_file_options
from podgraft.cli.shared_options import output_file_option
from podgraft.core.bundle import Bundle
from podgraft.core.injectors.errors import OperatorError, UserError, redact
from podgraft.core.injectors.istio import kubeinject
from podgraft.core.policy import DefaultPolicy
from podgraft.core.review_context import ReviewContext
from podgraft.core.versions.snapshot import Snapshot
from podgraft.kube import yaml

_EXPLAIN = "run podgraft explain for the complete result"


@command_help.command("inject")
@make_file_options()
@output_file_option
@configuration.inject_options
@click.option("--webhook", is_flag=True, help="Inject Pods as the webhook does.")
@click.option(
    "-n",
    "--namespace",
    default="default",
    help="Namespace of Pods without one, with --webhook.",
)
def command(
    *,
    manifests: FileSelection,
    output: Path | None,
    webhook: bool,
    namespace: str,
    options: configuration.InjectOptions,
) -> None:
    """Add sidecars to the workloads of files, as istioctl kube-inject does.

    Documents of other kinds are copied byte for byte. With --webhook, the command injects only
    Pods, with the complete policy. Without it, the command injects every workload that does not
    disable injection. The command lists the workloads without a sidecar on standard error, and the
    number of injected workloads. With --config cluster, the configuration is that of Istio in the
    cluster; the command only reads it.
    """
    loaded = configuration.load(options)
    snapshot, caller = loaded.snapshot, loaded.caller
    configuration.warn_of_unused(options, snapshot)
    results = [
        _inject_file(file, namespace if webhook else None, snapshot, caller)
        for file in manifests.read()
    ]
    warnings = [warning for result in results for warning in result.warnings]
    for warning in (*warnings, *_find_unapplied(snapshot.bundle, webhook=webhook)):
        terminal.secho(warning, fg="yellow", err=True)
    documents.write_text(output, join_streams(result.text for result in results))
    injected = sum(result.injected for result in results)
    workloads = sum(result.workloads for result in results)
    click.echo(f"injected {injected} of {workloads} workloads", err=True)


def _inject_file(
    file: ManifestFile, namespace: str | None, snapshot: Snapshot, caller: ReviewContext
) -> offline.InjectedStream | kubeinject.KubeInjectResult:
    """Inject a file: its Pods as the webhook does, with a namespace, or else its workloads."""
    try:
        if namespace is not None:
            return offline.inject_stream(file.text, namespace, snapshot, caller)
        return _inject_workloads(file.text, snapshot, caller)
    except (UserError, OperatorError, yaml.NotYAMLError) as error:
        problem = redact(error)
        remedy = annotation_remedies.find_template_remedy(problem)
        end = f"; {remedy}" if remedy else ""
        described = annotation_remedies.describe_problem(problem)
        raise CommandError(f"{file.path}: {described}{end}") from error


def _inject_workloads(
    text: str, snapshot: Snapshot, caller: ReviewContext
) -> kubeinject.KubeInjectResult:
    injector = snapshot.bundle.istio
    if injector is None:
        raise CommandError(
            "the bundle contains no Istio configuration, which inject requires for workloads; "
            "use --webhook to inject Pods, or podgraft explain -o yaml for all objects"
        )
    return kubeinject.inject(injector, text, injector.parse_environment(caller.url_path))


def _find_unapplied(bundle: Bundle, *, webhook: bool) -> Iterator[str]:
    """Yield a warning for each part of the bundle that this command does not apply."""
    if not webhook and bundle.rules.policy == DefaultPolicy.DISABLED:
        yield (
            "the policy is disabled: the webhook injects only pods that ask for it, and inject, "
            f"as istioctl kube-inject, every workload; {_EXPLAIN}"
        )
    if not webhook and len(bundle.pod_mutators) > 1:
        yield (
            "the bundle's overlays and meshes are not applied: inject without --webhook renders "
            f"only Istio's templates; {_EXPLAIN}"
        )
    if webhook and bundle.object_mutators:
        yield (
            "the bundle's overlays are applied to Pods only, and not by /mutate; "
            "use podgraft explain -o yaml for other objects"
        )
    if bundle.validators:
        yield (
            "the bundle's rules are not evaluated: inject does not call /validate; "
            "use podgraft explain"
        )
