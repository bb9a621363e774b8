"""Options for the labels and names by which istioctl and istiod find a registration."""

import click

from podgraft.cli.register import webhooks
from podgraft.cli.shared_options import add_options

istio_name_options = add_options(
    click.option(
        "--tag-of",
        metavar="REVISION",
        help="Revision of istiod of which --revision is a tag, so istiod serves its Gateways.",
    ),
    click.option(
        "--webhook-name",
        metavar="DOMAIN",
        default=webhooks.DOMAIN,
        help="End of the webhook names, such as podgraft.istio.io; default: podgraft.dev.",
    ),
)
