"""The options that several subcommands of ``podgraft policy`` have."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

import click

P = ParamSpec("P")
R = TypeVar("R")

# The command itself reports missing and unreadable files, together with all other errors.
_PATH = click.Path(path_type=Path)
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


def local_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a local bundle and a local policy, or of a folder with both."""

    @wraps(function)
    def call_with_files(
        *values: object,
        folder: Path | None,
        bundle: Path | None,
        document: Path | None,
        **others: object,
    ) -> None:
        if folder is not None:
            if bundle is not None or document is not None:
                raise click.UsageError("FOLDER replaces --bundle and --policy; use one of them")
            bundle, document = folder / "bundle", folder / "policy.yaml"
            document = document if document.exists() else None
        if bundle is None:
            raise click.UsageError("Missing argument 'FOLDER' or option '--bundle'.")
        function(*values, bundle=bundle, document=document, **others)

    for decorate in (
        click.option("--policy", "document", type=_PATH, help="Policy document."),
        click.option("--bundle", type=_PATH, help="Folder of manifests."),
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
