"""A failure that the person at the terminal can act on: a message instead of a traceback."""

from collections.abc import Iterable

import click

from podgraft.cli import terminal


class CommandError(Exception):
    """The command failed; each argument is an error, printed on a separate line.

    ``warnings`` are printed before the findings.
    """

    def __init__(self, *findings: str, warnings: Iterable[object] = ()) -> None:
        super().__init__(*findings)
        self.warnings = tuple(warnings)

    def show(self) -> None:
        """Write warnings and findings to standard error."""
        print_warnings(self.warnings)
        for finding in self.args:
            terminal.secho("error: ", fg="red", bold=True, nl=False, err=True)
            click.echo(finding, err=True)


def print_warnings(warnings: Iterable[object]) -> None:
    """Print each warning on its own line of standard error, as ``warning: place: problem``."""
    for warning in warnings:
        terminal.secho("warning: ", fg="yellow", bold=True, nl=False, err=True)
        click.echo(str(warning), err=True)
