"""``/metrics`` of ``podgraft serve``: the counters of all workers, and the current state.

The state is read from the store, the callers, and the certificates when Prometheus requests the
page, so each worker returns the same page.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from importlib import metadata
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication

import prometheus_client
from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from podgraft.core.versions.errors import StoreError
from podgraft.core.versions.snapshot import Store
from podgraft.service.serve.metrics import WorkerMetrics
from podgraft.service.serve.tls import ReloadingContext
from podgraft.service.store import Callers, CallerStore

PATH = "/metrics"


class StateCollector(Collector):
    """The injectors, clusters, and certificates of the server, as gauges."""

    def __init__(self, store: Store, callers: CallerStore, tls: ReloadingContext) -> None:
        self._store = store
        self._callers = callers
        self._tls = tls

    def collect(self) -> Iterator[Metric]:
        """Read the state. Nothing that does not load hides the rest."""
        yield _gauge("podgraft_build_info", "Version of podgraft.", {"version": _version()}, 1)
        yield from self._injectors()
        yield from self._clusters()
        family = GaugeMetricFamily(
            "podgraft_certificate_expiration_timestamp_seconds",
            "End of the validity of a certificate.",
            labels=("use", "name"),
        )
        for certificate in self._tls.certificates():
            labels = (certificate.use, certificate.name)
            family.add_metric(labels, certificate.ends.timestamp())
        yield family

    def _injectors(self) -> Iterator[Metric]:
        ready = GaugeMetricFamily(
            "podgraft_injector_ready", "Whether a version is in force.", labels=("injector",)
        )
        stale = GaugeMetricFamily(
            "podgraft_injector_stale",
            "Whether the version in force is not the stored one.",
            labels=("injector",),
        )
        info = GaugeMetricFamily(
            "podgraft_policy_info",
            "Version in force.",
            labels=("injector", "policy_version", "bundle"),
        )
        for injector in self._injector_names():
            try:
                snapshot = self._store.snapshot(injector, None)
            except StoreError:
                ready.add_metric((injector,), 0)
                continue
            ready.add_metric((injector,), 1)
            stale.add_metric((injector,), 0 if snapshot.stale is None else 1)
            info.add_metric((injector, snapshot.policy_version, snapshot.bundle.digest), 1)
        yield from (ready, stale, info)

    def _injector_names(self) -> tuple[str, ...]:
        try:
            return self._store.injectors()
        except StoreError:
            return ()

    def _clusters(self) -> Iterator[Metric]:
        credentials = GaugeMetricFamily(
            "podgraft_cluster_credentials",
            "Active tokens and certificate subjects of a cluster.",
            labels=("cluster",),
        )
        created = GaugeMetricFamily(
            "podgraft_token_created_timestamp_seconds",
            "Creation of the oldest active token of a cluster.",
            labels=("cluster",),
        )
        for cluster, callers in self._read_callers().items():
            credentials.add_metric((cluster,), len(callers.tokens) + len(callers.subjects))
            oldest = oldest_token(callers)
            if oldest is not None:
                created.add_metric((cluster,), oldest.timestamp())
        yield from (credentials, created)

    def _read_callers(self) -> dict[str, Callers]:
        try:
            return dict(self._callers.callers().callers)
        except StoreError:
            return {}


def oldest_token(callers: Callers) -> datetime | None:
    """Return when the oldest active token of a cluster was created; ``None`` if unknown."""
    moments: list[datetime] = []
    for token in callers.tokens:
        try:
            moment = datetime.fromisoformat(token.created)
        except ValueError:  # the field is free text
            continue
        moments.append(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    return min(moments, default=None)


def make_metrics_app(metrics: WorkerMetrics, state: StateCollector) -> WSGIApplication:
    """Return the application of the metrics port, which serves only ``/metrics``."""
    registry = CollectorRegistry()
    metrics.register_total(registry)
    registry.register(state)
    library: Any = prometheus_client  # its types are incomplete
    page = library.make_wsgi_app(registry)

    def serve(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        if environ["PATH_INFO"] != PATH:
            return _refuse(start_response, "404 Not Found", f"use {PATH}")
        if environ["REQUEST_METHOD"] not in {"GET", "HEAD"}:
            return _refuse(start_response, "405 Method Not Allowed", "use GET")
        return page(environ, start_response)

    return serve


def _refuse(start_response: StartResponse, status: str, remedy: str) -> Iterable[bytes]:
    body = f"{remedy}\n".encode()
    start_response(status, [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
    return [body]


def _gauge(name: str, text: str, labels: dict[str, str], value: float) -> Metric:
    family = GaugeMetricFamily(name, text, labels=tuple(labels))
    family.add_metric(tuple(labels.values()), value)
    return family


def _version() -> str:
    try:
        return metadata.version("podgraft")
    except metadata.PackageNotFoundError:  # a checkout that is not installed
        return "unknown"
