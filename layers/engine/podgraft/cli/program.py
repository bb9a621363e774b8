"""Run a command as a program: an exit status and a message, never a traceback for a known error."""

from __future__ import annotations

import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from podgraft.cli.failure import CommandError

FAILED = 1
INTERRUPTED = 130  # 128 + SIGINT, as shells report it


def run(command: click.Command, argv: Sequence[str] | None, name: str) -> int:
    """Run *command* on *argv* (default: the arguments of the process); return the exit status."""
    try:
        arguments = None if argv is None else list(argv)
        status = command.main(args=arguments, prog_name=name, standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        click.echo(f"{name}: interrupted", err=True)
        return INTERRUPTED
    except CommandError as failure:
        failure.show()
        return FAILED
    except ModuleNotFoundError as error:
        from podgraft.cli.extras import make_missing_package_error

        make_missing_package_error(_find_command(command, argv, name), error).show()
        return FAILED
    return status if isinstance(status, int) else 0


def _find_command(command: click.Command, argv: Sequence[str] | None, name: str) -> str:
    """Return the name of the program with the subcommand of the arguments."""
    names = (
        command.list_commands(click.Context(command)) if isinstance(command, click.Group) else ()
    )
    words = sys.argv[1:] if argv is None else argv
    return " ".join((name, *[word for word in words if word in names][:1]))


@contextmanager
def convert_errors(*types: type[Exception]) -> Generator[None]:
    """Raise errors of *types*, and of the operating system, as ``CommandError``.

    The text of *types* is written for operators. Their warnings are printed first.
    """
    try:
        yield
    except CommandError:
        raise
    except types as error:
        raise CommandError(str(error), warnings=getattr(error, "warnings", ())) from error
    except OSError as error:
        raise CommandError(describe_os_error(error)) from error


def describe_os_error(error: OSError) -> str:
    """Return place, problem, and remedy of an error of the operating system."""
    match error:
        case FileNotFoundError():
            problem = "not found; check the path"
        case FileExistsError():
            problem = "exists already; remove it, or use another path"
        case IsADirectoryError():
            problem = "is a folder; use the path of a file"
        case NotADirectoryError():
            problem = "has a parent that is not a folder; use another path"
        case PermissionError():
            problem = "permission denied; change its permissions"
        case _:
            problem = f"{error.strerror or error}; correct this, then run the command again"
    path = error.filename2 or error.filename
    return f"{path}: {problem}" if path else problem


class ReportingGroup(click.Group):
    """A group whose commands report the errors of ``reported`` as ``CommandError``."""

    reported: tuple[type[Exception], ...] = ()

    def invoke(self, ctx: click.Context) -> Any:
        """Run the chosen command."""
        with convert_errors(*self.reported):
            return super().invoke(ctx)


def print_next_steps(*steps: str) -> None:
    """Print the next steps for the operator to standard error, one per line."""
    click.echo("next:", err=True)
    for step in steps:
        click.echo(f"  {step}", err=True)
