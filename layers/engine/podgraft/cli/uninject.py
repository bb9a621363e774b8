"""``podgraft uninject``: remove sidecars from the workloads of a file."""

from pathlib import Path

import click

from podgraft import yaml
from podgraft.cli import documents
from podgraft.cli.failure import CommandError
from podgraft.injectors import UserError
from podgraft.injectors.istio import uninject as uninjection

_FILE = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)


@click.command("uninject")
@click.option(
    "-f", "--filename", type=_FILE, required=True, help="YAML or JSON file; - reads standard input."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Output file; - writes to standard output.",
)
def command(*, filename: Path, output: Path | None) -> None:
    """Remove sidecars from the workloads of a file, and restore the original values.

    The command recognizes the sidecars of every Istio release. It copies documents without a
    sidecar byte for byte.
    """
    text = documents.read_text(filename)
    try:
        result = uninjection.uninject(text)
    except (UserError, yaml.NotYAMLError) as error:
        raise CommandError(f"{filename}: {error}") from error
    documents.write_text(output, result)
