"""``make bench``: measurements of the function and the server, each against a baseline."""

from collections.abc import Sequence

from podgraft.cli import program


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command on *argv* (default: the arguments of the process); return the exit status."""
    from .command import command

    return program.run(command, argv, "bench")
