"""The options that several subcommands of ``podgraft policy`` have."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from podgraft.cli.identifier_options import check_cluster_option
from podgraft.cli.shared_options import FILE, PATH, Decorator, add_options, format_option

MAX_MESSAGE_CHARACTERS = 1024  # of a description in Parameter Store


# A local bundle and a local policy, or a folder with both.
file_options = add_options(
    click.argument("folder", type=PATH, required=False),
    click.option("--bundle", type=PATH, hidden=True, help="Folder of manifests."),
    click.option("--policy", "document", type=PATH, hidden=True, help="Policy document."),
)


def local_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``file_options``; *function* gets the bundle and the policy, if there is one."""

    @wraps(function)
    def call_with_files(
        folder: Path | None, bundle: Path | None, document: Path | None, **others: object
    ) -> Any:
        bundle, document = resolve_files(folder, bundle, document)
        return function(bundle=require_bundle(bundle), document=document, **others)

    return file_options(call_with_files)


def require_bundle(bundle: Path | None) -> Path:
    """Return the bundle; raises ``click.UsageError`` without one."""
    if bundle is None:
        raise click.UsageError("Missing argument 'FOLDER'.")
    return bundle


def resolve_files(
    folder: Path | None, bundle: Path | None, document: Path | None
) -> tuple[Path | None, Path | None]:
    """Return the bundle and the policy of *folder*, or else those of their own options."""
    if folder is None:
        return bundle, document
    if bundle is not None or document is not None:
        raise click.UsageError("FOLDER replaces --bundle and --policy; use one of them")
    policy = folder / "policy.yaml"
    return folder / "bundle", policy if policy.exists() else None


# Prevents the replacement of an unexpected version.
expect_version_option = click.option(
    "--expect-version",
    type=click.IntRange(min=0),
    help="Version that must be in force, 0 for none. Otherwise, the command changes nothing.",
)
warning_options = add_options(
    click.option(
        "--webhook-config",
        type=FILE,
        help="File of webhook configurations, to compare their URL paths with the mesh.",
    ),
    click.option("--strict", is_flag=True, help="Treat warnings as errors."),
)


def _check_message(_context: click.Context, _option: click.Parameter, value: str) -> str:
    """Return a message that Parameter Store accepts as a description."""
    if len(value) > MAX_MESSAGE_CHARACTERS:
        raise click.UsageError(
            f"--message: got {len(value)} characters; use at most {MAX_MESSAGE_CHARACTERS}"
        )
    if not value.isprintable():
        raise click.UsageError("--message: must be one line without control characters")
    return value


# The message of a version.
message_option = click.option(
    "-m",
    "--message",
    default="",
    callback=_check_message,
    help="Message for podgraft history, in one line. It must not contain secrets.",
)


def cluster_option(text: str) -> Decorator:
    """Add the option of a calling cluster."""
    return click.option("--cluster", callback=check_cluster_option, help=text)


list_output_option = format_option(("text", "json"))


def yes_option(text: str) -> Decorator:
    """Add the option that replaces the confirmation."""
    return click.option("--yes", is_flag=True, help=text)
