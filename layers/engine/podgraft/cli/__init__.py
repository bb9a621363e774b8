"""The ``podgraft`` command.

Each subcommand is a module of this package. It is imported when it is called, so ``podgraft
inject`` imports neither boto3 nor cryptography. Exit status: 0 done, 1 failed with a message on
standard error, 2 wrong command line. ``explain`` adds 3 for unchanged objects and 4 for a denied
one; ``diff`` has 1 for a difference and 2 for errors;
``certs inspect`` has statuses for monitoring.
"""

from collections.abc import Sequence
from pathlib import Path

import click

from podgraft.cli import program
from podgraft.cli import project as project_file
from podgraft.cli.lazy_group import Entry, LazyGroup
from podgraft.cli.policy import DAILY
from podgraft.cli.shared_options import FILE

__all__ = ["main"]

_UNDERSTAND, _CONNECT, _RUN = "Understand", "Connect", "Run"
_EXPLAIN = "Show why an object is injected, changed, or denied."
_INJECT = "Add sidecars to the workloads of files, as kube-inject does."


class _Commands(LazyGroup):
    entries = {  # noqa: RUF012 - a constant
        "explain": Entry("explain.command", _EXPLAIN, _UNDERSTAND),
        "inject": Entry("inject", _INJECT, _UNDERSTAND),
        "test": Entry("test.command", "Run the tests of policies and bundles.", _UNDERSTAND),
        "status": Entry(
            "status.command", "Show the injection of each namespace of a cluster.", _UNDERSTAND
        ),
        "doctor": Entry(
            "doctor.command", "Find why sidecars are missing, with the first cause.", _UNDERSTAND
        ),
        **DAILY,
        "register": Entry(
            "register.command", "Print the webhook configuration of a cluster.", _CONNECT
        ),
        "tokens": Entry(
            "tokens.commands", "Issue, rotate, revoke, and list the tokens of clusters.", _CONNECT
        ),
        "fleet": Entry(
            "fleet.commands", "Keep the callers of many clusters in one registry.", _CONNECT
        ),
        "certs": Entry(
            "certs.commands", "Create, renew, rotate, and inspect certificates.", _CONNECT
        ),
        "import": Entry(
            "imports.commands", "Import Istio's configuration from a cluster.", _CONNECT
        ),
        "serve": Entry("serve", "Serve admission reviews over HTTPS, without AWS.", _RUN),
        "demo": Entry("demo.command", "Inject a pod over HTTPS on this machine.", _RUN),
        "init": Entry("init", "Write the files of a deployment into a folder.", _RUN),
        "compare": Entry("compare.command", "Compare the sidecars of a cluster with podgraft's."),
        "completion": Entry("completion", "Print the completion script of a shell."),
        "kube-inject": Entry("inject", _INJECT, is_alias=True),
        "playground": Entry("playground", "Serve the web playground on this machine."),
        "policy": Entry("policy", "All commands that change a policy and its bundle."),
        "rollout": Entry("policy.rollout", "Try a candidate on a share of the workloads."),
        "uninject": Entry("uninject", "Remove injected sidecars from the workloads of files."),
    }
    hinted_groups = ("policy", "tokens", "fleet", "certs")


# Commands inherit the settings; an option shows its default unless it refuses to.
@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@click.version_option(package_name="podgraft")
@click.option(
    "--project",
    type=FILE,
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
