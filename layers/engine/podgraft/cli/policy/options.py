"""The options that several subcommands of ``podgraft policy`` have."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

import click

from podgraft.cli.identifier_options import check_cluster_option

P = ParamSpec("P")
R = TypeVar("R")

MAX_MESSAGE_CHARACTERS = 1024  # of a description in Parameter Store

# The command itself reports missing and unreadable files, together with all other errors.
_PATH = click.Path(path_type=Path)
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


def local_options(function: Callable[..., R]) -> Callable[..., R]:
    """Add the options of a local bundle and a local policy, or of a folder with both."""

    @wraps(function)
    def call_with_files(
        *values: object,
        folder: Path | None,
        bundle: Path | None,
        document: Path | None,
        **others: object,
    ) -> R:
        if folder is not None:
            if bundle is not None or document is not None:
                raise click.UsageError("FOLDER replaces --bundle and --policy; use one of them")
            bundle, document = folder / "bundle", folder / "policy.yaml"
            document = document if document.exists() else None
        if bundle is None:
            raise click.UsageError("Missing argument 'FOLDER'.")
        return function(*values, bundle=bundle, document=document, **others)

    for decorate in (
        click.option("--policy", "document", type=_PATH, hidden=True, help="Policy document."),
        click.option("--bundle", type=_PATH, hidden=True, help="Folder of manifests."),
        click.argument("folder", type=_PATH, required=False),
    ):
        call_with_files = decorate(call_with_files)
    return call_with_files


def expect_version_option(function: Callable[P, R]) -> Callable[P, R]:
    """Add the option that prevents the replacement of an unexpected version."""
    return click.option(
        "--expect-version",
        type=click.IntRange(min=0),
        help="Version that must be in force, 0 for none. Otherwise, the command changes nothing.",
    )(function)


def warning_options(function: Callable[P, R]) -> Callable[P, R]:
    """Add the options about warnings."""
    function = click.option("--strict", is_flag=True, help="Treat warnings as errors.")(function)
    return click.option(
        "--webhook-config",
        type=FILE,
        help="File of webhook configurations, to compare their URL paths with the mesh.",
    )(function)


def message_option(function: Callable[P, R]) -> Callable[P, R]:
    """Add the option with the message of a version."""
    return click.option(
        "-m",
        "--message",
        default="",
        callback=_check_message,
        help="Message for podgraft history, in one line. It must not contain secrets.",
    )(function)


def _check_message(_context: click.Context, _option: click.Parameter, value: str) -> str:
    """Return a message that Parameter Store accepts as a description."""
    if len(value) > MAX_MESSAGE_CHARACTERS:
        raise click.UsageError(
            f"--message: got {len(value)} characters; use at most {MAX_MESSAGE_CHARACTERS}"
        )
    if not value.isprintable():
        raise click.UsageError("--message: must be one line without control characters")
    return value


def cluster_option(text: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Add the option of a calling cluster."""
    return click.option("--cluster", callback=check_cluster_option, help=text)


def list_output_option(function: Callable[P, R]) -> Callable[P, R]:
    """Add the output format of a command that lists."""
    return click.option(
        "-o",
        "--output",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help="Output format.",
    )(function)


def yes_option(text: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Add the option that replaces the confirmation."""
    return click.option("--yes", is_flag=True, help=text)
