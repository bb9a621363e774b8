"""A failure that the person at the terminal can act on: a message instead of a traceback."""

import click


class CommandError(Exception):
    """The command could not do its work; each argument is a finding, shown on its own line."""

    def show(self) -> None:
        """Write the findings to standard error."""
        for finding in self.args:
            click.secho("error: ", fg="red", bold=True, nl=False, err=True)
            click.echo(finding, err=True)
