"""The types and decorators of options that commands of several packages have."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar

import click

P = ParamSpec("P")
R = TypeVar("R")

FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
FOLDER: Final = click.Path(exists=True, file_okay=False, path_type=Path)
NEW_FOLDER: Final = click.Path(file_okay=False, path_type=Path)
PATH: Final = click.Path(path_type=Path)


def add_options(*options: Callable[..., Any]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that adds click options in this order."""

    def add(function: Callable[P, R]) -> Callable[P, R]:
        for option in reversed(options):
            function = option(function)
        return function

    return add


def format_option(
    formats: Iterable[str], text: str = "Output format."
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return the decorator that adds ``--output``; the default is the first of the formats."""
    choices = [str(each) for each in formats]
    return click.option(
        "-o",
        "--output",
        type=click.Choice(choices),
        default=choices[0],
        show_default=True,
        help=text,
    )


def output_file_option(function: Callable[P, R]) -> Callable[P, R]:
    """Add ``--output`` of a command that writes manifests."""
    help_text = "Output file; - writes to standard output."
    return click.option("-o", "--output", type=PATH, help=help_text)(function)
