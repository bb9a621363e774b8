"""``register --test``: a review with the credential, to each URL of the manifests."""

from collections.abc import Iterable, Iterator

import click

from podgraft.base.jsonvalue import Object, objects_at, string_at
from podgraft.cli.endpoint_check.endpoint import EndpointTarget, check_endpoint
from podgraft.cli.endpoint_check.readiness import find_other_cluster, read_readiness
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
        if report.problems:
            raise CommandError(*(f"--test: {problem}" for problem in report.problems))
        cluster = options["cluster"]
        if cluster and (other := find_other_cluster(target, read_readiness(target), cluster)):
            raise CommandError(f"--test: {other}")
        click.echo(f"test: {target.place}: {report.describe()}", err=True)
        print_warnings(f"{target.place}: {warning}" for warning in report.warnings)


def find_urls(manifests: Iterable[Object]) -> Iterator[str]:
    """Yield the URL of each webhook that has one; it can contain a token."""
    for manifest in manifests:
        for webhook in objects_at(manifest, "webhooks"):
            if url := string_at(webhook, "clientConfig", "url"):
                yield url
