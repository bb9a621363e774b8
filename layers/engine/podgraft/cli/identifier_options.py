"""Callbacks of options with names of injectors, clusters, and releases: one rule for all."""

import click

from podgraft.cli.failure import CommandError
from podgraft.core.identifiers import IdentifierError, check_cluster, check_injector
from podgraft.core.policy import RELEASE_REMEDY, is_release
from podgraft.kube.document_reader import format_value


def check_injector_option(
    _context: click.Context, _option: click.Parameter, name: str | None
) -> str | None:
    """Return the name of an injector, or ``None``; raises ``CommandError`` for an invalid name."""
    try:
        return None if name is None else check_injector(name)
    except IdentifierError as error:
        raise CommandError(str(error)) from error


def check_cluster_option(
    _context: click.Context, _option: click.Parameter, name: str | None
) -> str | None:
    """Return the id of a cluster, or ``None``; raises ``CommandError`` for an invalid id."""
    try:
        return None if name is None else check_cluster(name)
    except IdentifierError as error:
        raise CommandError(str(error)) from error


def check_release_option(
    _context: click.Context, option: click.Parameter, value: str | tuple[str, ...] | None
) -> str | tuple[str, ...] | None:
    """Return the Istio releases of an option; raises ``CommandError`` as the policy's key does."""
    names = (value,) if isinstance(value, str) else value or ()
    for name in names:
        if not is_release(name):
            place = max(option.opts, key=len)
            raise CommandError(f"{place}: got {format_value(name)}; {RELEASE_REMEDY}")
    return value
