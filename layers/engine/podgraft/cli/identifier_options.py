"""Callbacks of options with names of injectors and clusters: one rule for all commands."""

import click

from podgraft.cli.failure import CommandError
from podgraft.identifiers import IdentifierError, check_cluster, check_injector


def check_injector_option(_context: click.Context, _option: click.Parameter, name: str) -> str:
    """Return the name of an injector; raises ``CommandError`` for an invalid name."""
    try:
        return check_injector(name)
    except IdentifierError as error:
        raise CommandError(str(error)) from error


def check_optional_injector(
    context: click.Context, option: click.Parameter, name: str | None
) -> str | None:
    """Return the name of an injector, or ``None``; raises ``CommandError`` for an invalid name."""
    return None if name is None else check_injector_option(context, option, name)


def check_cluster_option(
    _context: click.Context, _option: click.Parameter, name: str | None
) -> str | None:
    """Return the id of a cluster, or ``None``; raises ``CommandError`` for an invalid id."""
    try:
        return None if name is None else check_cluster(name)
    except IdentifierError as error:
        raise CommandError(str(error)) from error
