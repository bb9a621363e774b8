"""The options for the endpoint of a registration: a URL, a stack in AWS, or a Service."""

from pathlib import Path

import click

from podgraft.cli.aws_options import aws_options
from podgraft.cli.config_source import ConfigSourceType, config_option, is_explicit
from podgraft.cli.demo.work_folder import CLUSTER, read_server
from podgraft.cli.register import endpoint, service
from podgraft.cli.register.endpoint import Endpoint
from podgraft.cli.register.options import RegisterOptions
from podgraft.cli.shared_options import add_options
from podgraft.cli.stacks import lookup_endpoint
from podgraft.core.identifiers import DEFAULT_INJECTOR

# The options that ``parse_target`` uses.
target_options = add_options(
    click.option("--url", help="Endpoint, as https://HOST[:PORT]."),
    config_option(
        ConfigSourceType(cluster=False),
        "Stack, or folder of podgraft demo --keep, with the endpoint to use instead of --url.",
    ),
    click.option(
        "--service",
        metavar="NAMESPACE/NAME[:PORT][/INJECTOR]",
        help="Service of podgraft serve in the same cluster, instead of --url.",
    ),
    click.option("--allow-loopback", is_flag=True, help="Allow localhost, for tests."),
    aws_options,
)


def parse_target(options: RegisterOptions) -> Endpoint:
    """Return the endpoint with its injector.

    An option of the command line replaces a stack or an injector of the environment or of the
    project file.
    """
    url, service_name = options["url"], options["service"]
    source = options["source"]
    stack_name = None if source is None else source.stack
    if not is_explicit("source") and (url is not None or service_name is not None):
        stack_name = None
    if sum(each is not None for each in (url, service_name, stack_name)) != 1:
        raise click.UsageError("give one of --config, --url, and --service")
    if service_name is not None:
        target = service.parse_service(service_name)
    else:
        address = url if stack_name is None else lookup_endpoint(stack_name)
        target = endpoint.parse_endpoint(address or "", allow_loopback=options["allow_loopback"])
    if target.injector != DEFAULT_INJECTOR and not is_explicit("injector"):
        return target
    return endpoint.with_injector(target, options["injector"])


def use_demo(options: RegisterOptions, folder: Path) -> RegisterOptions:
    """Return the options with the server of a demo: URL, CA, injector, cluster, and token."""
    server = read_server(folder)
    return {
        **options,
        "source": None,
        "url": server.url,
        "allow_loopback": True,
        "injector": server.injector,
        "cluster": options["cluster"] or CLUSTER,
        "ca_bundle": options["ca_bundle"] or (folder / "certificates" / "ca.pem",),
        "token_file": options["token_file"] or folder / "token",
    }
