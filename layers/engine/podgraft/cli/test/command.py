"""``podgraft test``: run the tests of policies and bundles."""

from collections.abc import Sequence
from pathlib import Path

import click
from msgspec import Struct

from podgraft.cli import command_help, documents, terminal
from podgraft.cli.config_source import ConfigSource, ConfigSourceType, config_option, find_files
from podgraft.cli.failure import CommandError
from podgraft.cli.identifier_options import check_release_option
from podgraft.cli.shared_options import NonEmptyPath

from .files import find_test_files, read_test_file
from .report import format_json, format_junit, format_text
from .runner import CaseResult, Runner

_PATH = NonEmptyPath(exists=True)
_FORMATS = ("text", "json", "junit")


class _Report(Struct, frozen=True):
    name: str
    path: Path | None

    def write(self, results: Sequence[CaseResult], *, verbose: bool) -> None:
        match self.name:
            case "json":
                text = format_json(results)
            case "junit":
                text = format_junit(results)
            case _:
                text = "\n".join(format_text(results, verbose=verbose)) + "\n"
        if self.path is None:
            click.echo(text, nl=False)
        else:
            plain = terminal.unstyle(text) if self.name == "text" else text
            documents.write_text(self.path, plain)


def _parse_reports(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[_Report, ...]:
    """Parse the reports; without one for standard output, the text goes there."""
    reports: list[_Report] = []
    for value in values:
        name, equals, path = value.partition("=")
        if name not in _FORMATS or (equals and not path):
            message = f"got {value!r}; use {', '.join(_FORMATS)}, or one of them with =FILE"
            raise click.BadParameter(message, context, parameter)
        reports.append(_Report(name, Path(path) if equals else None))
    if all(report.path for report in reports):
        reports.append(_Report("text", None))
    return tuple(reports)


@command_help.command("test")
@click.argument("paths", nargs=-1, type=_PATH, metavar="[PATH]...")
@config_option(
    ConfigSourceType(stack=False, cluster=False),
    "Folder with policy.yaml and bundle/, for all test files.",
)
@click.option(
    "--istio-release",
    "releases",
    multiple=True,
    callback=check_release_option,
    help="Istio release, for all tests.",
)
@click.option(
    "-k",
    "--filter",
    "filters",
    multiple=True,
    metavar="TEXT",
    help="Part of the names of the tests to run.",
)
@click.option(
    "-o",
    "--output",
    "reports",
    multiple=True,
    callback=_parse_reports,
    metavar="FORMAT[=FILE]",
    help="Report: text, json, or junit; with =FILE, in a file.",
)
@click.option("--update", is_flag=True, help="Write the files of expected values that differ.")
@click.option("-v", "--verbose", is_flag=True, help="Print the tests that pass.")
def command(  # noqa: PLR0913 - one parameter per option
    *,
    paths: tuple[Path, ...],
    source: ConfigSource | None,
    releases: tuple[str, ...],
    filters: tuple[str, ...],
    reports: tuple[_Report, ...],
    update: bool,
    verbose: bool,
) -> int:
    """Run the tests of policies and bundles, with the reviews of the webhook.

    PATH is a test file, or a folder with files named podgraft-test.yaml or NAME.podgraft-test.yaml;
    default: the working folder. The exit status is 0 if all tests pass, and 1 if not.
    """
    folder = source and source.folder and find_files(source.folder)
    runner = Runner(folder, updates=update)
    results = [
        result
        for path in find_test_files(paths or (Path(),))
        for document in read_test_file(path)
        for result in runner.run(
            document,
            releases,
            lambda case: not filters or any(text in case.id for text in filters),
        )
    ]
    if not results:
        raise CommandError(f"no test has a name with {' or '.join(filters)}; use another filter")
    for report in reports:
        report.write(results, verbose=verbose)
    for path in dict.fromkeys(runner.updated):
        click.echo(f"wrote {path}", err=True)
    return 0 if all(result.has_passed for result in results) else 1
