"""The registrations of a cluster: their addresses, and problems with them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from podgraft.cli.live.cluster import LiveCluster
from podgraft.cli.live.registrations import InjectorKind, LiveWebhook
from podgraft.jsonvalue import object_at, string_at

from .certificates import CaStatus, ServerStatus, check_ca_bundle, probe_server

_SOON_DAYS = 30


@dataclass(frozen=True, slots=True)
class WebhookStatus:
    """A webhook with the status of its CA, and its problems."""

    webhook: LiveWebhook
    ca: CaStatus
    server: ServerStatus
    problems: tuple[str, ...]


def check_webhooks(
    cluster: LiveCluster, webhooks: Sequence[LiveWebhook], url: str | None, *, probes: bool
) -> list[WebhookStatus]:
    """Return the status of each webhook; ``url`` is the endpoint that podgraft's must call.

    With *probes*, connect to the endpoints to read their certificates.
    """
    host = _find_host(webhooks, url)
    statuses: list[WebhookStatus] = []
    for webhook in webhooks:
        ca = check_ca_bundle(webhook.manifest)
        server = probe_server(webhook.manifest) if probes else ServerStatus()
        problems = (
            *_check_address(webhook, host),
            *_check_service(cluster, webhook),
            *_check_ca(ca),
            *_check_server(server),
        )
        statuses.append(WebhookStatus(webhook, ca, server, problems))
    return statuses


def _find_host(webhooks: Sequence[LiveWebhook], url: str | None) -> str:
    """Return the host of the URL, or that of most webhooks of podgraft."""
    if url is not None:
        return urlsplit(url if "//" in url else f"//{url}").netloc
    hosts = Counter(each.address for each in webhooks if each.kind is InjectorKind.PODGRAFT)
    return hosts.most_common(1)[0][0] if hosts else ""


def _check_address(webhook: LiveWebhook, host: str) -> Iterator[str]:
    if webhook.kind is InjectorKind.PODGRAFT and webhook.address != host:
        yield f"calls {webhook.address} instead of {host}; register it again"


def _check_ca(ca: CaStatus) -> Iterator[str]:
    if ca.problem:
        yield f"caBundle: {ca.problem}; register it again"
    elif ca.days is not None and ca.days < 0:
        yield "caBundle: has expired; rotate the CA (podgraft certs rotate-ca)"
    elif ca.days is not None and ca.days < _SOON_DAYS:
        yield f"caBundle: expires in {ca.days} days; rotate the CA (podgraft certs rotate-ca)"


def _check_server(server: ServerStatus) -> Iterator[str]:
    if server.problem:
        yield f"endpoint: {server.problem}"
    elif server.days is not None and server.days < 0:
        yield "endpoint: its certificate has expired; renew it (podgraft certs renew)"
    elif server.days is not None and server.days < _SOON_DAYS:
        yield f"endpoint: its certificate expires in {server.days} days; renew it"


def _check_service(cluster: LiveCluster, webhook: LiveWebhook) -> Iterator[str]:
    service = object_at(webhook.manifest, "clientConfig", "service")
    namespace, name = string_at(service, "namespace"), string_at(service, "name")
    if name and not cluster.has_service(namespace, name):
        yield (
            f"service {namespace}/{name}: not found, so kube-apiserver cannot call the "
            "webhook; delete or correct the registration"
        )
