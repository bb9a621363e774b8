"""Options with names of injectors, clusters, and releases: one rule for all."""

from collections.abc import Callable
from typing import Any

import click

from podgraft.cli.failure import CommandError, convert_errors
from podgraft.core.identifiers import (
    DEFAULT_INJECTOR,
    IdentifierError,
    check_cluster,
    check_injector,
)
from podgraft.core.policy import RELEASE_REMEDY, is_release
from podgraft.kube.document_reader import format_value

from .shared_options import Decorator


def _make_callback(check: Callable[[str], str]) -> Callable[..., str | None]:
    """Return the callback that raises ``CommandError`` for an invalid name."""

    def call(_context: click.Context, _option: click.Parameter, name: str | None) -> str | None:
        with convert_errors(IdentifierError):
            return None if name is None else check(name)

    return call


check_cluster_option = _make_callback(check_cluster)
check_injector_option = _make_callback(check_injector)


def cluster_option(text: str) -> Decorator:
    """Return the decorator that adds the option of a calling cluster."""
    return click.option("--cluster", callback=check_cluster_option, help=text)


def injector_option(
    text: str, *, default: str | None = DEFAULT_INJECTOR, **settings: Any
) -> Decorator:
    """Return the decorator that adds the option of an injector; *settings* are those of click."""
    return click.option(
        "--injector", default=default, callback=check_injector_option, help=text, **settings
    )


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
