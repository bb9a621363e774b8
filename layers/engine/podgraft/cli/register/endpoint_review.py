"""``register --test``: a review with the credential, to each URL of the manifests."""

from collections.abc import Iterable, Iterator

import click

from podgraft.base.jsonvalue import Object, object_at, objects_at, string_at
from podgraft.cli.endpoint_check.endpoint import EndpointTarget, check_endpoint
from podgraft.cli.endpoint_check.faults import Fault, Finding
from podgraft.cli.endpoint_check.readiness import read_readiness
from podgraft.cli.failure import CommandError, print_warnings
from podgraft.cli.register.authorities import read_roots
from podgraft.cli.register.control_plane import AuthInfo
from podgraft.cli.register.options import RegisterOptions

_START_SECONDS = 5  # podgraft serve in the background of the same script


def review_endpoints(
    manifests: Iterable[Object], identity: AuthInfo | None, options: RegisterOptions
) -> None:
    """Print the outcome for each URL; raise ``CommandError`` if a review fails.

    *identity* are the credentials of a control plane.
    """
    roots = read_roots(options["ca_bundle"])
    certificate, key = options["client_cert"], options["client_key"]
    for url in dict.fromkeys(find_urls(manifests)):
        target = EndpointTarget(
            url=url,
            roots=tuple(roots),
            token=identity.token if identity else None,
            client_files=(certificate, key) if certificate and key else None,
            timeout_seconds=options["timeout"],
            start_seconds=_START_SECONDS,
        )
        report = check_endpoint(target)
        problems = report.problems or [*_find_other_cluster(target, options["cluster"])]
        if problems:
            raise CommandError(*(f"--test: {problem}" for problem in problems))
        click.echo(f"test: {target.place}: {report.describe()}", err=True)
        print_warnings(f"{target.place}: {warning}" for warning in report.warnings)


def _find_other_cluster(target: EndpointTarget, cluster: str | None) -> Iterator[str]:
    """Yield the problem of a credential that identifies another cluster than the option."""
    caller = object_at(read_readiness(target), "caller") if cluster else {}
    known = string_at(caller, "cluster")
    if known and known != cluster:
        credential = "token" if target.path_token or target.token else "client certificate"
        problem = f"the {credential} belongs to {known}"
        remedy = f"register {cluster} with its own {credential}"
        yield str(Finding(Fault.OTHER_CLUSTER, target.place, problem, remedy))


def find_urls(manifests: Iterable[Object]) -> Iterator[str]:
    """Yield the URL of each webhook that has one; it can contain a token."""
    for manifest in manifests:
        for webhook in objects_at(manifest, "webhooks"):
            if url := string_at(object_at(webhook, "clientConfig"), "url"):
                yield url
