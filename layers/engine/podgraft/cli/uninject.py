"""``podgraft uninject``: remove sidecars from the workloads of files."""

from pathlib import Path

import click

from podgraft.cli import command_help, documents
from podgraft.cli.failure import convert_errors
from podgraft.cli.manifest_files import FileSelection, ManifestFile, join_streams, make_file_options
from podgraft.cli.shared_options import output_file_option
from podgraft.core.injectors.errors import UserError
from podgraft.core.injectors.istio import uninject as uninjection


@command_help.command("uninject")
@make_file_options()
@output_file_option
def command(*, manifests: FileSelection, output: Path | None) -> None:
    """Remove sidecars from the workloads of files, and restore the original values.

    The command recognizes the sidecars of every Istio release. It copies documents without a
    sidecar byte for byte, and prints the number of changed workloads on standard error.
    """
    results = [_uninject_file(file) for file in manifests.read()]
    documents.write_text(output, join_streams(result.text for result in results))
    changed = sum(result.uninjected for result in results)
    workloads = sum(result.workloads for result in results)
    click.echo(f"removed sidecars from {changed} of {workloads} workloads", err=True)


def _uninject_file(file: ManifestFile) -> uninjection.UninjectResult:
    with documents.convert_yaml_errors(file.path), convert_errors(UserError, place=file.path):
        return uninjection.uninject(file.text)
