"""The registrations of a cluster: their addresses, and problems with them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

import click
from msgspec import Struct

from podgraft.base.jsonvalue import object_at, string_at
from podgraft.cli.client_config import redact_url
from podgraft.cli.endpoint_check.certificates import CaStatus, check_ca_bundle, count_days
from podgraft.cli.endpoint_check.endpoint import EndpointReport, check_endpoint, make_target
from podgraft.cli.endpoint_check.faults import Fault, Finding
from podgraft.cli.live.cluster import LiveCluster
from podgraft.cli.live.registrations import InjectorKind, Webhook


class WebhookStatus(Struct, frozen=True):
    """A webhook, its CA, and its problems; ``endpoint`` is None without a review."""

    webhook: Webhook
    ca: CaStatus
    endpoint: EndpointReport | None
    problems: tuple[str, ...]

    @property
    def certificate_days(self) -> int | None:
        """The days that are left of the certificate of the endpoint, if a review received it."""
        certificate = self.endpoint and self.endpoint.certificate
        return None if certificate is None else count_days(certificate)

    @property
    def fails(self) -> bool:
        """Whether a review showed that reviews fail."""
        return self.endpoint is not None and bool(self.endpoint.problems)


def check_webhooks(
    cluster: LiveCluster, webhooks: Sequence[Webhook], url: str | None, *, is_tested: bool
) -> list[WebhookStatus]:
    """Return the status of each webhook; ``url`` is the endpoint that podgraft's must call.

    With *is_tested*, send a review to each URL, as kube-apiserver does.
    """
    host = _find_host(webhooks, url)
    reports: dict[tuple[str, CaStatus], EndpointReport] = {}
    statuses: list[WebhookStatus] = []
    for webhook in webhooks:
        ca = check_ca_bundle(webhook.manifest)
        endpoint = _review(webhook, ca, reports) if is_tested else None
        problems = dict.fromkeys(
            (
                *_check_address(webhook, host),
                *map(str, check_service(cluster, webhook)),
                *map(str, ca.find_problems()),
                *(() if endpoint is None else (*map(str, endpoint.findings), *endpoint.warnings)),
            )
        )
        statuses.append(WebhookStatus(webhook, ca, endpoint, (*problems,)))
    return statuses


def _review(
    webhook: Webhook, ca: CaStatus, reports: dict[tuple[str, CaStatus], EndpointReport]
) -> EndpointReport | None:
    """Return the report for a URL; None for a Service, which only the cluster can call.

    The webhooks of a revision share an endpoint, which gets one review.
    """
    target = make_target(webhook, ca)
    if target is None:
        return None
    if ca.problem:
        return EndpointReport(findings=(*ca.find_problems(),))
    if (target.url, ca) not in reports:
        reports[target.url, ca] = check_endpoint(target)
    return reports[target.url, ca]


def _find_host(webhooks: Sequence[Webhook], url: str | None) -> str:
    """Return the host of the URL, or that of most webhooks of podgraft."""
    if url is not None:
        try:
            return urlsplit(url if "//" in url else f"//{url}").netloc.rpartition("@")[2]
        except ValueError as error:
            raise click.UsageError(
                f"--url: got {redact_url(url)!r}; use https://HOST[:PORT]"
            ) from error
    hosts = Counter(each.address for each in webhooks if each.kind is InjectorKind.PODGRAFT)
    return hosts.most_common(1)[0][0] if hosts else ""


def _check_address(webhook: Webhook, host: str) -> Iterator[str]:
    if webhook.kind is InjectorKind.PODGRAFT and webhook.address != host:
        yield f"calls {webhook.address} instead of {host}; register it again"


def check_service(cluster: LiveCluster, webhook: Webhook) -> Iterator[Finding]:
    """Yield that the Service of a webhook does not exist."""
    service = object_at(webhook.manifest, "clientConfig", "service")
    namespace, name = string_at(service, "namespace"), string_at(service, "name")
    if name and not cluster.has_service(namespace, name):
        yield Finding(
            Fault.DNS,
            f"service {namespace}/{name}",
            "not found, so kube-apiserver cannot call the webhook",
            "delete or correct the registration",
        )
