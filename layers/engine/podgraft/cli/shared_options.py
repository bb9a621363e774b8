"""The types and decorators of options that commands of several packages have."""

import os
from collections.abc import Callable, Iterable
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import Any, Final, TypeAlias

import click

from podgraft.cli.failure import CommandError

# Adds options to the function of a command.
Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]


class NonEmptyPath(click.Path):
    """A path; an empty text, such as that of an unset variable, is not the current folder."""

    def __init__(self, **checks: bool) -> None:
        super().__init__(**checks, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path; raises ``CommandError`` if it must exist and does not."""
        if not os.fspath(value):
            self.fail("is empty; name a path, or . for this folder", param, ctx)
        is_stream = self.allow_dash and str(value) == "-"
        if self.exists and not is_stream and not os.path.exists(value):  # noqa: PTH110 - no error
            raise CommandError(f"{value}: not found; check {_name_parameter(param, ctx)}")
        return super().convert(value, param, ctx)


def _name_parameter(param: click.Parameter | None, ctx: click.Context | None) -> str:
    if isinstance(param, click.Option):
        return max(param.opts, key=len)
    return "the path" if param is None or ctx is None else param.make_metavar(ctx).strip("[].")


FILE: Final = NonEmptyPath(exists=True, dir_okay=False)
FOLDER: Final = NonEmptyPath(exists=True, file_okay=False)
NEW_FOLDER: Final = NonEmptyPath(file_okay=False)
PATH: Final = NonEmptyPath()


def add_options(*options: Callable[..., Any]) -> Decorator:
    """Return a decorator that adds click options in this order."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return add


def gather_options(
    make: Callable[..., object], *options: Callable[..., Any], name: str
) -> Decorator:
    """Return a decorator that adds options; the command gets ``make(**values)`` as *name*.

    *make* has a parameter for each option.
    """
    names = [*signature(make).parameters]

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def call(*positional: Any, **values: Any) -> Any:
            own = {each: values.pop(each) for each in names if each in values}
            return command(*positional, **values, **{name: make(**own)})

        return add_options(*options)(call)

    return add


def choice_option(*names: str, choices: Iterable[str], text: str) -> Decorator:
    """Return the decorator that adds an option with *choices*; the default is the first of them."""
    values = [str(each) for each in choices]
    return click.option(*names, type=click.Choice(values), default=values[0], help=text)


def number_option(
    name: str, *, minimum: int = 1, maximum: int | None = None, default: int, text: str
) -> Decorator:
    """Return the decorator that adds an option with a number from *minimum* to *maximum*."""
    kind = click.IntRange(minimum, maximum)
    return click.option(name, type=kind, default=default, help=text)


def format_option(formats: Iterable[str], text: str = "Output format.") -> Decorator:
    """Return the decorator that adds ``--output``; the default is the first of the formats."""
    return choice_option("-o", "--output", choices=formats, text=text)


# Of a command that writes manifests.
output_file_option = click.option(
    "-o", "--output", type=PATH, help="Output file; - writes to standard output."
)
