"""Options for the labels and names by which istioctl and istiod find a registration."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from podgraft.cli.register import webhooks

_Command = TypeVar("_Command", bound=Callable[..., Any])


def istio_name_options(function: _Command) -> _Command:
    """Add the options ``--tag-of`` and ``--webhook-name`` to a command."""
    tag_of = click.option(
        "--tag-of",
        metavar="REVISION",
        help="Revision of istiod of which --revision is a tag, so istiod serves its Gateways.",
    )
    name = click.option(
        "--webhook-name",
        metavar="DOMAIN",
        default=webhooks.DOMAIN,
        help="End of the webhook names, such as podgraft.istio.io; default: podgraft.dev.",
    )
    return tag_of(name(function))
