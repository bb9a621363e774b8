"""How every operator program ends: a status and a sentence, never a traceback for a known fault."""

from collections.abc import Sequence

import click

FAILED = 1
INTERRUPTED = 130  # 128 + SIGINT, as shells say it


def run(
    command: click.Command,
    argv: Sequence[str] | None,
    *,
    faults: tuple[type[Exception], ...],
) -> int:
    """Run *command* on *argv* (default: the process's own) and return the exit status.

    *faults* are the exceptions whose text is written for the operator.
    """
    name = command.name or "program"
    try:
        arguments = None if argv is None else list(argv)
        status = command.main(args=arguments, prog_name=name, standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        click.echo(f"{name}: interrupted", err=True)
        return INTERRUPTED
    except faults as error:
        click.echo(f"{name}: {error}", err=True)
        return FAILED
    return status if isinstance(status, int) else 0


def print_next_steps(*steps: str) -> None:
    """Tell the operator what to do next, one step a line."""
    click.echo("next:", err=True)
    for step in steps:
        click.echo(f"  {step}", err=True)
