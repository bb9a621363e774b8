"""The subcommands of ``podgraft policy`` that read only files: check and allows."""

from collections.abc import Iterable
from pathlib import Path

import click

from podgraft.base.diagnostics import Diagnostic
from podgraft.base.jsonvalue import JSON
from podgraft.cli import command_help, folders, outputs, sarif, source_lines, terminal
from podgraft.cli.client_config import read_url_paths
from podgraft.cli.config_source import ConfigFolder, folder_argument
from podgraft.cli.documents import render_json
from podgraft.cli.failure import CommandError, print_warnings
from podgraft.cli.folders import UnreadableError
from podgraft.cli.parameter_values import STANDARD_BYTES
from podgraft.cli.program import FAILED
from podgraft.cli.shared_options import format_option
from podgraft.cli.wording import format_count
from podgraft.core.trial import modes
from podgraft.kube.privileges.pod_security import Level

from .local import CheckedBundle, InvalidBundleError, check_bundle
from .options import warning_options
from .privileges import make_block

_FORMATS = ("text", "json", "sarif")


@command_help.command("check")
@folder_argument
@warning_options
@click.option(
    "--pss",
    type=click.Choice([level.value for level in Level]),
    help="Level of the Pod Security Standards. Each violation that the bundle adds is an error.",
)
@format_option(_FORMATS, "Output format. sarif is for code scanning.")
def check_policy(
    folder: ConfigFolder,
    *,
    strict: bool,
    webhook_config: Path | None,
    pss: str | None,
    output: str,
) -> int:
    """Validate a bundle and a policy, and report every error.

    FOLDER contains policy.yaml and bundle/. With errors, the exit status is 1. Warnings go to
    standard error and do not change the exit status.
    """
    paths = read_url_paths(webhook_config) if webhook_config else ()
    level = Level(pss) if pss else None
    try:
        checked = check_bundle(folder, strict=strict, url_paths=paths, level=level)
    except InvalidBundleError as error:
        if output == "text":
            raise
        click.echo(_render_findings(folder.bundle, error.findings, output), nl=False)
        return FAILED
    if output == "text":
        _print_summary(checked)
    else:
        click.echo(_render_findings(folder.bundle, checked.warnings, output), nl=False)
    return 0


def _print_summary(checked: CheckedBundle) -> None:
    print_warnings(checked.warnings)
    size = len(checked.document.encode())
    click.echo(f"bundle   {checked.digest}, {format_count(len(checked.files), 'file')}")
    click.echo(f"policy   {size} of {STANDARD_BYTES} bytes")
    for difference in modes.find_mode_differences(checked.bundle, checked.policy):
        click.echo(f"mode     {difference}")
    if checked.warnings:
        terminal.secho(f"no errors, {format_count(len(checked.warnings), 'warning')}", fg="yellow")
    else:
        terminal.secho("no errors or warnings", fg="green")


@command_help.command("allows")
@folder_argument
@click.option("--write", is_flag=True, help="Write the key to the policy document.")
def print_allows(folder: ConfigFolder, *, write: bool) -> None:
    """Print the key allows of the policy: the privileges that the bundle adds to pods.

    podgraft renders the templates for sample pods. The key has the privileges that the policy lists
    already, and all missing ones.
    """
    block, text = make_block(folder)
    if not write:
        click.echo(block, nl=False)
        return
    if folder.policy is None:
        raise CommandError(f"{folder.bundle.parent}: has no policy.yaml to write to; create it")
    outputs.replace_file(folder.policy, text.encode())
    click.echo(f"wrote allows to {folder.policy}; review the change before you push it")


def _render_findings(bundle: Path, findings: Iterable[Diagnostic], output: str) -> str:
    """Return the report of the findings about a bundle and its policy."""
    located = [(each, *_locate(bundle, each)) for each in findings]
    if output == "sarif":
        return sarif.render_report([_to_sarif(*each) for each in located])
    encoded: list[JSON] = [
        {
            "level": _find_level(each),
            "file": file,
            "line": line,
            "pointer": each.pointer,
            "problem": each.problem,
            "remedy": each.remedy,
        }
        for each, file, line in located
    ]
    return render_json({"findings": encoded})


def _find_level(finding: Diagnostic) -> str:
    return "warning" if finding.is_warning else "error"


def _to_sarif(finding: Diagnostic, file: str, line: int) -> sarif.Finding:
    """Return the finding without the file in its text, which the location has."""
    level = _find_level(finding)
    message = str(finding).removeprefix(f"{finding.document} ").removeprefix("/: ")
    return sarif.Finding(rule=f"check/{level}", level=level, message=message, file=file, line=line)


def _locate(bundle: Path, finding: Diagnostic) -> tuple[str, int]:
    path = bundle / finding.document if finding.document else bundle
    if not path.is_file():  # the policy, or a file that is missing
        path = Path(finding.document or bundle)
    return path.as_posix(), _find_line(path, finding.pointer)


def _find_line(path: Path, pointer: str) -> int:
    try:
        text = folders.read_text(path)
    except UnreadableError:
        return 1
    return source_lines.find_pointer_line(text, pointer)
