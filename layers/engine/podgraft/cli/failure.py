"""A failure that the person at the terminal can act on: a message instead of a traceback."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager

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


def raise_findings(findings: Iterable[object]) -> None:
    """Raise ``CommandError`` with all findings, if there are any."""
    texts = [*map(str, findings)]
    if texts:
        raise CommandError(*texts)


def print_warnings(warnings: Iterable[object]) -> None:
    """Print each warning on its own line of standard error, as ``warning: place: problem``."""
    for warning in warnings:
        terminal.secho("warning: ", fg="yellow", bold=True, nl=False, err=True)
        click.echo(str(warning), err=True)


@contextmanager
def convert_errors(*types: type[Exception], place: object = "") -> Generator[None]:
    """Raise errors of *types*, and of the operating system, as ``CommandError``.

    The text of *types* is written for operators, and follows the *place*. Their warnings are
    printed first.
    """
    try:
        yield
    except CommandError:
        raise
    except types as error:
        text = f"{place}: {error}" if place else str(error)
        raise CommandError(text, warnings=getattr(error, "warnings", ())) from error
    except OSError as error:
        path = error.filename2 or error.filename
        text = "; ".join(describe_os_error(error))
        raise CommandError(f"{path}: {text}" if path else text) from error


def describe_os_error(error: OSError) -> tuple[str, str]:
    """Return problem and remedy of an error of the operating system."""
    match error:
        case FileNotFoundError():
            return "not found", "check the path"
        case FileExistsError():
            return "exists already", "remove it, or use another path"
        case IsADirectoryError():
            return "is a folder", "use the path of a file"
        case NotADirectoryError():
            return "is not a folder, or has a parent that is not one", "use another path"
        case PermissionError():
            return "permission denied", "change its permissions"
        case _:
            return f"{error.strerror or error}", "correct this, then run the command again"
