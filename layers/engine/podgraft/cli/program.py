"""Run a command as a program: an exit status and a message, never a traceback for a known error."""

import os
import signal
import sys
import traceback
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import click

from podgraft.cli.command_help import Command
from podgraft.cli.failure import CommandError, convert_errors
from podgraft.cli.terminal import escape_output

FAILED = 1
ERROR = 2  # of a command that compares, as kubectl diff
SIGNALED = 128  # plus the number of the signal, as shells report it
INTERRUPTED = SIGNALED + signal.SIGINT
_END_SIGNALS = (signal.SIGTERM, signal.SIGHUP)  # of a job that is canceled, of a closed terminal


def run(command: click.Command, argv: Sequence[str] | None, name: str) -> int:
    """Run *command* on *argv* (default: the arguments of the process); return the exit status."""
    _open_closed_streams()
    try:
        with escape_output(), _clean_up_at_signals():
            return _run(command, argv, name)
    finally:
        _discard_unwritten_output()


def _discard_unwritten_output() -> None:
    """Do not write the rest again after an error: Python would report it, with status 120.

    A reader such as ``head`` or ``grep -q`` ends early; the command has its status already.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError), Path(os.devnull).open("w") as null:
                os.dup2(null.fileno(), stream.fileno())


def _open_closed_streams() -> None:
    """Replace a standard stream that the caller of the process closed, which Python reads as None.

    Otherwise, a file or a socket of the command could get its number.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = Path(os.devnull).open(mode)  # noqa: SIM115 - until the process ends
            setattr(sys, name, stream)


@contextmanager
def _clean_up_at_signals() -> Generator[None]:
    """Let a signal that ends the process release locks and stop servers first, as Ctrl+C does."""
    # One that is ignored remains so, as nohup requests.
    numbers = [each for each in _END_SIGNALS if signal.getsignal(each) is signal.SIG_DFL]
    try:
        for number in numbers:
            signal.signal(number, _exit)
    except ValueError:  # not in the main thread: the program around it has the signals
        numbers = []
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)


def _exit(number: int, _: FrameType | None) -> NoReturn:
    raise SystemExit(SIGNALED + number)


_INPUT_ENDED = (
    "standard input: ended before an answer; run the command on a terminal, or without its "
    "question: with --yes, or push without --confirm"
)


def _run(command: click.Command, argv: Sequence[str] | None, name: str) -> int:
    arguments = None if argv is None else list(argv)
    # The stream decides whether styles are printed.
    words = [name, *(sys.argv[1:] if arguments is None else arguments)]
    try:
        with convert_errors():
            status = command.main(
                args=arguments, prog_name=name, standalone_mode=False, color=True, obj=words
            )
    except click.Abort as error:
        if isinstance(error.__context__, EOFError):  # at a question; click hides it
            click.echo(err=True)
            CommandError(_INPUT_ENDED).show()
            return FAILED
        click.echo(f"{name}: interrupted", err=True)
        return INTERRUPTED
    except Exception as error:
        if _show_known_error(error, _find_command(command, argv, name)):
            return FAILED
        if not isinstance(error, click.ClickException):
            raise
        from podgraft.cli.usage_hints import add_hint  # an error only

        add_hint(error)
        error.show()
        return error.exit_code
    return status if isinstance(status, int) else 0


def _show_known_error(error: Exception, name: str) -> bool:
    """Print an error that is no usage error, and no bug of the command *name*."""
    if isinstance(error, ModuleNotFoundError):
        from podgraft.cli.extras import make_missing_package_error  # an error only

        error = make_missing_package_error(name, error)
    if isinstance(error, CommandError):
        error.show()
    return isinstance(error, CommandError)


class ComparingCommand(Command):
    """A command with exit status 1 for a difference: errors, also internal ones, have status 2."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Parse the command line."""
        with _exit_for_errors(self.name or ""):
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with _exit_for_errors(self.name or ""):
            return super().invoke(ctx)


@contextmanager
def _exit_for_errors(name: str) -> Generator[None]:
    try:
        with convert_errors():
            yield
    except (click.Abort, click.exceptions.Exit):
        raise
    except Exception as error:
        if not _show_known_error(error, name):
            if isinstance(error, click.ClickException):
                raise
            traceback.print_exc()  # an internal error must not look like a difference
        raise click.exceptions.Exit(ERROR) from error


def _find_command(command: click.Command, argv: Sequence[str] | None, name: str) -> str:
    """Return the name of the program with the subcommand of the arguments."""
    names = (
        command.list_commands(click.Context(command)) if isinstance(command, click.Group) else ()
    )
    words = sys.argv[1:] if argv is None else argv
    return " ".join((name, *[word for word in words if word in names][:1]))


def print_next_steps(*steps: str) -> None:
    """Print the next steps for the operator, if there are any, to standard error, one per line."""
    if steps:
        click.echo("next:", err=True)
    for step in steps:
        click.echo(f"  {step}", err=True)
