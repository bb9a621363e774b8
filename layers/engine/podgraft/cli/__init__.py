"""The ``podgraft`` command.

Each subcommand is a module of this package. It is imported when it is called, so ``podgraft
inject`` imports neither boto3 nor cryptography. Exit status: 0 done, 1 failed with a message on
standard error, 2 wrong command line. ``explain``, ``apply``, and ``validate`` add 3 for unchanged
objects and 4 for a denied one; ``policy diff`` has 1 for a difference, ``policy bench`` has 1 for a
slower row, and both have 2 for errors;
``certs inspect`` has statuses for monitoring.
"""

from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import click

from podgraft.cli import program
from podgraft.cli import project as project_file

__all__ = ["main"]

# name: (module, the line that --help shows without importing the module)
_COMMANDS = {
    "apply": ("apply", "Change objects of any kind in files, as the webhooks do."),
    "certs": ("certs.commands", "Create, renew, rotate, and inspect certificates."),
    "compare": ("compare.command", "Compare the sidecars of a cluster with those of podgraft."),
    "completion": ("completion", "Print the completion script of a shell."),
    "demo": ("demo.command", "Inject a pod over HTTPS on this machine, and print each step."),
    "explain": ("explain", "Show each step of the reviews of an object, and their result."),
    "import": ("imports", "Import the injection configuration of Istio from a cluster."),
    "init": ("init", "Write the files of a deployment, or the samples, into a folder."),
    "inject": ("inject", "Add sidecars to the workloads of files, as kube-inject does."),
    "playground": ("playground", "Serve the web playground on this machine."),
    "policy": ("policy", "Preview, push, edit, and roll back a policy and its bundle."),
    "register": ("register.command", "Check settings, and print webhook configurations."),
    "serve": ("serve", "Serve admission reviews over HTTPS, without AWS."),
    "status": ("status.command", "Show the injection of each namespace of a cluster."),
    "test": ("test", "Run the tests of policies and bundles."),
    "tokens": ("tokens.commands", "Issue, rotate, revoke, and list the tokens of clusters."),
    "uninject": ("uninject", "Remove injected sidecars from the workloads of files."),
    "validate": ("validate", "Evaluate ValidatingAdmissionPolicies on objects in files."),
}


class _Commands(click.Group):
    """A group that lists its commands by name and imports only the command that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all subcommands, sorted."""
        del ctx
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a subcommand and return its click command."""
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        return import_module(f"podgraft.cli.{_COMMANDS[cmd_name][0]}").command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of the arguments; click suggests only commands that are imported."""
        name = args[0]
        is_unknown = name not in _COMMANDS and not name.startswith("-")
        if is_unknown and not ctx.resilient_parsing:  # completion accepts everything
            from podgraft.cli.usage_hints import find_command  # an error only

            similar = find_command(name, _COMMANDS, self._load_groups(ctx))
            hint = f" Did you mean {similar!r}?" if similar else ""
            ctx.fail(f"No such command {name!r}.{hint}")
        return super().resolve_command(ctx, args)

    def _load_groups(self, ctx: click.Context) -> dict[str, click.Group]:
        """Return the groups of which this installation has the packages."""
        groups: dict[str, click.Group] = {}
        for name in ("policy", "tokens", "certs"):
            with suppress(ModuleNotFoundError):
                group = self.get_command(ctx, name)
                if isinstance(group, click.Group):
                    groups[name] = group
        return groups

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the command list without importing a command."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in sorted(_COMMANDS.items())])


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="podgraft")
@click.option(
    "--project",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    envvar="PODGRAFT_PROJECT",
    show_envvar=True,
    help="Project file with defaults; default: podgraft.toml in this folder or a parent.",
)
@click.pass_context
def podgraft(context: click.Context, project: Path | None) -> None:
    """Inject sidecars into Kubernetes pods: offline, from AWS, or from your own server."""
    if context.invoked_subcommand in project_file.COMMANDS:
        context.default_map = project_file.load_defaults(project)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line *argv* (default: the arguments of the process); return the status."""
    return program.run(podgraft, argv, "podgraft")
