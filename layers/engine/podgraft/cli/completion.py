"""``podgraft completion``: the completion script of a shell.

The script calls podgraft itself, so it completes the commands and options of the installed version.
"""

import click
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

from podgraft.cli import command_help

PROGRAM = "podgraft"
VARIABLE = "_PODGRAFT_COMPLETE"


class _Bash(BashComplete):
    """bash on the machine that completes can differ from that of this one."""

    @staticmethod
    def _check_version() -> None:
        """Accept every release: the script needs bash 4.4."""


SHELLS: dict[str, type[ShellComplete]] = {"bash": _Bash, "fish": FishComplete, "zsh": ZshComplete}


@command_help.command("completion")
@click.argument("shell", type=click.Choice([*SHELLS]))
def command(shell: str) -> None:
    """Print the completion script of SHELL.

    \b
    bash  eval "$(podgraft completion bash)"           in ~/.bashrc; bash 4.4 or later
    zsh   eval "$(podgraft completion zsh)"            in ~/.zshrc, after compinit
    fish  podgraft completion fish | source            in ~/.config/fish/config.fish
    """  # noqa: D301  not raw: click reads the character
    click.echo(make_script(shell))


def make_script(shell: str) -> str:
    """Return the script of a shell."""
    from podgraft.cli import podgraft

    return SHELLS[shell](podgraft, {}, PROGRAM, VARIABLE).source().strip()
