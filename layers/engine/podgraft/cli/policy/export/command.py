"""``podgraft policy export``: policies for kube-apiserver itself."""

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from podgraft.base.diagnostics import Diagnostic
from podgraft.base.jsonvalue import Object, string_at
from podgraft.cli import command_help, program
from podgraft.cli.configuration import InjectOptions, inject_options, load
from podgraft.cli.failure import CommandError, print_warnings
from podgraft.cli.outputs import Output, write_files
from podgraft.cli.shared_options import NEW_FOLDER
from podgraft.cli.wording import format_count
from podgraft.core.bundle.interference import find_interferences
from podgraft.core.policy import Diagnostics
from podgraft.core.policy.reader import Cursor
from podgraft.kube import mutation, yaml
from podgraft.kube.structured.schema import OLDEST
from podgraft.kube.types import NEWEST

from .documents import MUTATING, describe_documents, export_bundle

_RELEASE = re.compile(r"v?1\.([0-9]{1,3})")
_RELEASE_REMEDY = f"use --kubernetes 1.{OLDEST} to 1.{NEWEST}"


def _parse_release(
    _context: click.Context, _option: click.Parameter, value: str | None
) -> int | None:
    if value is None:
        return None
    match = _RELEASE.fullmatch(value)
    if match is None:
        raise click.BadParameter(f"got {value}; {_RELEASE_REMEDY}")
    return int(match[1])


@command_help.command("export")
@click.option("--native", is_flag=True, help="Write the policies of Kubernetes. Required.")
@click.option(
    "--kubernetes",
    "minor",
    metavar="RELEASE",
    callback=_parse_release,
    help="Release of the cluster, such as 1.36. Default: kubernetesRelease of the policy.",
)
@click.option("--partial", is_flag=True, help="Write what can be exported, and warn of the rest.")
@click.option(
    "-o",
    "--output",
    "folder",
    type=NEW_FOLDER,
    help="Folder for one file of each document, instead of standard output.",
)
@click.option("--force", is_flag=True, help="Replace existing files of the folder.")
@inject_options
def export_policy(
    *,
    native: bool,
    minor: int | None,
    partial: bool,
    folder: Path | None,
    force: bool,
    options: InjectOptions,
) -> None:
    """Write a bundle as policies that kube-apiserver evaluates itself, for kubectl apply.

    Policies of Kubernetes and their parameters are exported, and overlays as far as CEL can
    express their templates. If something cannot be exported, the command lists it, writes
    nothing, and the exit status is 1.
    """
    if not native:
        raise click.UsageError("Missing option '--native': the output is policies of Kubernetes")
    snapshot = load(options).snapshot
    minor = minor or snapshot.policy.kubernetes_minor
    if minor is None:
        raise click.UsageError("Missing option '--kubernetes': the policy has no kubernetesRelease")
    if not OLDEST <= minor <= NEWEST:
        raise click.UsageError(f"got Kubernetes 1.{minor}; {_RELEASE_REMEDY}")
    export = export_bundle(snapshot.bundle, snapshot.policy, minor)
    if export.refused and not partial:
        raise CommandError(*map(str, export.refused))
    print_warnings((*export.refused, *_find_interferences(export.documents)))
    texts = map(yaml.dump, export.documents)
    if folder is None:
        click.echo("---\n".join(texts), nl=False)
        return
    paths = [folder / f"{name}.yaml" for name in describe_documents(export.documents)]
    outputs = [Output(path, text.encode()) for path, text in zip(paths, texts, strict=True)]
    write_files(outputs, force=force)
    click.echo(f"{folder}: wrote {format_count(len(outputs), 'file')}")
    name = shlex.quote(str(folder))
    program.print_next_steps(
        f"kubectl apply -f {name}",
        f"for the webhook without the mutating policies: podgraft register FOLDER --native {name}",
    )


def _find_interferences(documents: Sequence[Object]) -> Iterator[Diagnostic]:
    """Warnings of policies whose order matters, which kube-apiserver does not define."""

    def read(kind: str) -> Iterator[tuple[Cursor, str]]:
        for each in documents:
            if each["kind"] == kind:
                name = string_at(each, "metadata", "name")
                yield Cursor(each["spec"], "/spec", Diagnostics()), name

    policies = [mutation.parse_policy(*spec) for spec in read(MUTATING)]
    bindings = [mutation.parse_binding(*spec) for spec in read(f"{MUTATING}Binding")]
    return find_interferences(policies, mutation.group_by_policy(bindings))
