"""The plugin of kubectl: ``kubectl podgraft`` is ``podgraft``, and kubectl completes it.

kubectl finds the programs ``kubectl-podgraft`` and ``kubectl_complete-podgraft`` on PATH. It calls
the second one with the words after ``kubectl podgraft``, of which the last one is incomplete, and
expects one completion per line, then a directive (k8s.io/kubectl/pkg/cmd/plugin_completion.go).
"""

import sys
from collections.abc import Sequence

import click
from click.shell_completion import ShellComplete

from podgraft.cli import podgraft, program

NAME = "kubectl podgraft"
# cobra.ShellCompDirective: complete file names as well, or no file names.
_DEFAULT, _NO_FILES = ":0", ":4"


def main(argv: Sequence[str] | None = None) -> int:
    """Run podgraft as ``kubectl podgraft``; return the exit status."""
    return program.run(podgraft, argv, NAME)


def complete(argv: Sequence[str] | None = None) -> int:
    """Print the completions of the last word, as kubectl expects them; return the exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    arguments, incomplete = words[:-1], words[-1] if words else ""
    items = ShellComplete(podgraft, {}, NAME, "").get_completions(arguments, incomplete)
    has_files = any(item.type in {"file", "dir"} for item in items)
    for item in items:
        if item.type == "plain":
            click.echo(f"{item.value}\t{item.help}" if item.help else item.value)
    click.echo(_DEFAULT if has_files else _NO_FILES)
    return 0
