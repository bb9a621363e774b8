"""The registrations of a cluster: their addresses, and problems with them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from podgraft.base.jsonvalue import object_at, string_at
from podgraft.cli.live.cluster import LiveCluster
from podgraft.cli.live.registrations import InjectorKind, LiveWebhook

from .certificates import CaStatus, check_ca_bundle, count_days

if TYPE_CHECKING:
    from podgraft.cli.endpoint_probe import ProbeReport

_SOON_DAYS = 30


@dataclass(frozen=True, slots=True)
class WebhookStatus:
    """A webhook with the status of its CA, and its problems; ``probe`` is None without a probe."""

    webhook: LiveWebhook
    ca: CaStatus
    probe: "ProbeReport | None"
    problems: tuple[str, ...]

    @property
    def certificate_days(self) -> int | None:
        """The days that are left of the certificate of the endpoint, if a probe received it."""
        certificate = self.probe and self.probe.certificate
        return None if certificate is None else count_days(certificate)

    @property
    def fails(self) -> bool:
        """Whether a probe found that reviews fail."""
        return self.probe is not None and bool(self.probe.problems)


def check_webhooks(
    cluster: LiveCluster, webhooks: Sequence[LiveWebhook], url: str | None, *, probes: bool
) -> list[WebhookStatus]:
    """Return the status of each webhook; ``url`` is the endpoint that podgraft's must call.

    With *probes*, send a review to each URL, as kube-apiserver does.
    """
    host = _find_host(webhooks, url)
    prober = _Prober()
    statuses: list[WebhookStatus] = []
    for webhook in webhooks:
        ca = check_ca_bundle(webhook.manifest)
        probe = prober.probe(webhook, ca) if probes else None
        problems = dict.fromkeys(
            (
                *_check_address(webhook, host),
                *_check_service(cluster, webhook),
                *_check_ca(ca),
                *(_check_probe(probe) if probe is not None else ()),
            )
        )
        statuses.append(WebhookStatus(webhook, ca, probe, (*problems,)))
    return statuses


@dataclass(slots=True)
class _Prober:
    """Probes each endpoint once: the webhooks of a revision share one."""

    _reports: "dict[tuple[str, CaStatus], ProbeReport]" = field(
        default_factory=dict["tuple[str, CaStatus]", "ProbeReport"]
    )

    def probe(self, webhook: LiveWebhook, ca: CaStatus) -> "ProbeReport | None":
        """Return the report for a URL; None for a Service, which only the cluster can call."""
        from podgraft.cli.endpoint_probe import (  # slow imports
            DEFAULT_TIMEOUT_SECONDS,
            ProbeReport,
            ProbeTarget,
            probe_endpoint,
        )

        url = string_at(object_at(webhook.manifest, "clientConfig"), "url")
        if not url:
            return None
        if ca.problem:
            return ProbeReport(problems=(*_check_ca(ca),))
        timeout = webhook.manifest.get("timeoutSeconds")
        seconds = timeout if isinstance(timeout, int) else DEFAULT_TIMEOUT_SECONDS
        if (url, ca) not in self._reports:
            target = ProbeTarget(url=url, roots=ca.certificates, timeout_seconds=seconds)
            self._reports[url, ca] = probe_endpoint(target)
        return self._reports[url, ca]


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


def _check_probe(report: "ProbeReport") -> Iterator[str]:
    yield from report.problems
    yield from report.warnings
    days = None if report.certificate is None else count_days(report.certificate)
    if days is not None and 0 <= days < _SOON_DAYS:
        yield f"endpoint: its certificate expires in {days} days; renew it (podgraft certs renew)"


def _check_service(cluster: LiveCluster, webhook: LiveWebhook) -> Iterator[str]:
    service = object_at(webhook.manifest, "clientConfig", "service")
    namespace, name = string_at(service, "namespace"), string_at(service, "name")
    if name and not cluster.has_service(namespace, name):
        yield (
            f"service {namespace}/{name}: not found, so kube-apiserver cannot call the "
            "webhook; delete or correct the registration"
        )
