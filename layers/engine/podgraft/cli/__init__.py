"""The ``podgraft`` command: the same engine without a cluster, and policy for the one in AWS.

Each subcommand is a module of this package that is imported when it is called, so that
``podgraft inject`` never pays for boto3. Exit status: 0 done, 1 failed with a message on standard
error, 2 wrong command line; ``explain`` adds 3 for an object that is left as it is, and 4 for one
that is denied.
"""

import sys
from importlib import import_module

import click

from podgraft.cli.failure import CommandError

__all__ = ["main"]

# name: (module, the line that --help shows without importing the module)
_COMMANDS = {
    "explain": ("explain", "Show each step of the reviews of an object, and their result."),
    "inject": ("inject", "Put sidecars into the workloads of a file, as kube-inject does."),
    "playground": ("playground", "Serve the web playground on this machine."),
    "policy": ("policy", "Check, push, compare and roll back what a deployed podgraft injects."),
    "serve": ("serve.command", "Answer admission reviews over HTTPS, without AWS."),
    "uninject": ("uninject", "Take out of a file what inject put in."),
}


class _Commands(click.Group):
    """A group that knows its commands by name and imports the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every subcommand, sorted."""
        del ctx
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The subcommand's click command, imported now."""
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        module = import_module(f"podgraft.cli.{_COMMANDS[cmd_name][0]}")
        return module.command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the command list without importing anything."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in sorted(_COMMANDS.items())])


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="podgraft")
def podgraft() -> None:
    """Sidecars for Kubernetes pods: inject by hand, explain, publish policy, serve."""


def main(argv: list[str] | None = None) -> int:
    """Run the command line *argv* (default: the process's own); return the exit status."""
    try:
        status = podgraft.main(args=argv, prog_name="podgraft", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        print("podgraft: interrupted", file=sys.stderr)  # noqa: T201 — a command line's last word
        return 130
    except CommandError as failure:
        failure.show()
        return 1
    return status if isinstance(status, int) else 0
