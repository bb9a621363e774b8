"""``podgraft uninject``: the workloads of a file as they were before injection."""

from pathlib import Path

import click

from podgraft import yaml
from podgraft.cli import documents
from podgraft.cli.failure import CommandError
from podgraft.injectors import UserError
from podgraft.injectors.istio import uninject as undoing

_FILE = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)


@click.command("uninject")
@click.option("-f", "--filename", type=_FILE, required=True, help="YAML or JSON; - reads stdin.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Written to; - is stdout.")
def command(*, filename: Path, output: Path | None) -> None:
    """Take sidecars out of the workloads of a file, and put back what was there before.

    Sidecars of every Istio release are found by the traces that injection leaves; documents
    without any are copied byte for byte.
    """
    text = documents.read_text(filename)
    try:
        result = undoing.uninject(text)
    except (UserError, yaml.NotYAMLError) as error:
        raise CommandError(f"{filename}: {error}") from error
    documents.write_text(output, result)
