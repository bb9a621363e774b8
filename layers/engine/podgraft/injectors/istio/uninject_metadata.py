"""Annotations and labels without those that injection derived.

A value is only taken out where it is exactly what injection would have written; what people have
set to something else stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from podgraft.jsonvalue import JSON, Object, object_at, objects_at, string_at

from . import status
from .pod_builder import PROXY, VALIDATION
from .postprocess import cluster, overrides, prometheus
from .recover import InjectionRecord

_INJECTED_ANNOTATIONS = (status.ANNOTATION, overrides.ANNOTATION)
_REVISION = "istio.io/rev"
_NETWORKS = "k8s.v1.cni.cncf.io/networks"
_CNI = ("default/istio-cni", "istio-cni")
_CNI_ENTRIES = (
    ', {"name": "istio-cni", "namespace": "default"}',
    ', {"name": "default/istio-cni"}',
    ', {"name": "istio-cni"}',
)
_EXCLUDED = "traffic.sidecar.istio.io/excludeInboundPorts"
_DEFAULT_CONTAINERS = (
    "kubectl.kubernetes.io/default-container",
    "kubectl.kubernetes.io/default-logs-container",
)
# What the CNI plugin is told, where neither the mesh nor the pod says otherwise.
_REDIRECTION = {
    "sidecar.istio.io/interceptionMode": "REDIRECT",
    "traffic.sidecar.istio.io/includeOutboundIPRanges": "*",
    "traffic.sidecar.istio.io/includeInboundPorts": "*",
}
_PROBES_KEPT = "sidecar.istio.io/rewriteAppHTTPProbers"
_TARGETS = "prometheus.istio.io/scrape-targets"
_LONGEST_NAME = 63


def restore_metadata(metadata: Object, spec: Object, traces: InjectionRecord, owner: str) -> Object:
    """The metadata as it was, for the pod whose ``spec`` is as it was."""
    said, labels = object_at(metadata, "annotations"), object_at(metadata, "labels")
    after = {key: each for key, each in said.items() if key not in _INJECTED_ANNOTATIONS}
    after = _remove_derived(after, dict(_derived_annotations(after, spec, traces)))
    _restore_networks(after)
    _restore_excluded_ports(after, traces)
    _restore_prometheus(after, traces)
    maps: Object = {
        "annotations": after,
        "labels": _remove_derived(labels, dict(_derived_labels(labels, traces, owner))),
    }
    kept: Object = {key: maps.get(key, each) for key, each in metadata.items()}
    return {key: each for key, each in kept.items() if each or key not in maps}


def _remove_derived(values: Object, derived: Mapping[str, JSON]) -> Object:
    return {key: each for key, each in values.items() if key not in derived or each != derived[key]}


def _derived_annotations(
    said: Object, spec: Object, traces: InjectionRecord
) -> Iterator[tuple[str, JSON]]:
    """Each annotation that injection adds, with the value it gives it."""
    if traces.revision:
        yield _REVISION, traces.revision
    names = [each.get("name") for each in objects_at(spec, "containers")]
    for name in [name for name in names if name != PROXY][:1]:
        for key in _DEFAULT_CONTAINERS:
            yield key, name
    if _uses_cni(traces):
        yield from _REDIRECTION.items()
    if _is_proxyless(traces):
        yield _PROBES_KEPT, "false"
    if port := traces.sidecar_env(prometheus.SECURE_PORT_ENV):
        yield prometheus.SECURE_PORT, port
    if traces.scrape is not None or _scrapes_agent(said):
        yield from ((key, said.get(key)) for key in prometheus.agent_annotations(""))


def _derived_labels(
    labels: Object, traces: InjectionRecord, owner: str
) -> Iterator[tuple[str, JSON]]:
    """Each label that injection adds, with the value it gives it."""
    yield "security.istio.io/tlsMode", "istio"
    service = string_at(labels, "app.kubernetes.io/name") or string_at(labels, "app") or owner
    yield "service.istio.io/canonical-name", _match_service_name(labels, service)
    version = string_at(labels, "app.kubernetes.io/version") or string_at(labels, "version")
    yield "service.istio.io/canonical-revision", version or "latest"
    yield "networking.istio.io/tunnel", "http"
    if network := traces.sidecar_env(cluster.NETWORK):
        yield cluster.NETWORK_LABEL, network
    if traces.is_gateway or not traces.revision:
        yield _REVISION, traces.revision


def _match_service_name(labels: Object, service: str) -> str:
    """The canonical name as it is written, if it is the service's in one of the short forms."""
    written = string_at(labels, "service.istio.io/canonical-name")
    short = service[:_LONGEST_NAME]
    return written if written in (short, short.removesuffix("-"), short.strip("-_.")) else service


def _uses_cni(traces: InjectionRecord) -> bool:
    return VALIDATION in traces.status.init_containers


def _is_proxyless(traces: InjectionRecord) -> bool:
    """Whether the application speaks gRPC to the mesh itself: such templates keep its probes."""
    by_agent = traces.sidecar_env("ISTIO_META_GENERATOR") == "grpc"
    return by_agent or "grpc-bootstrap-init" in traces.status.init_containers


def _scrapes_agent(said: Object) -> bool:
    """Whether the annotations are the agent's, whose port may be any."""
    agent = prometheus.agent_annotations(string_at(said, "prometheus.io/port"))
    return bool(said.get("prometheus.io/port")) and agent.items() <= said.items()


def _restore_networks(said: Object) -> None:
    """Take the plugin's network, which is always the last, out of the list of networks."""
    networks = string_at(said, _NETWORKS)
    for name in _CNI:
        if networks == name:
            del said[_NETWORKS]
            return
        if networks.endswith(f", {name}"):
            said[_NETWORKS] = networks.removesuffix(f", {name}")
            return
    for entry in _CNI_ENTRIES:
        before, found, after = networks.rpartition(entry)
        if found and after.lstrip().startswith("]"):
            said[_NETWORKS] = before + after
            return


def _restore_excluded_ports(said: Object, traces: InjectionRecord) -> None:
    """Take the agent's port, which is added last, out of the ports that are not redirected."""
    if not _uses_cni(traces) or _EXCLUDED not in said:
        return
    others, _, port = string_at(said, _EXCLUDED).rpartition(",")
    if port != _agent_port(said):
        return
    if others:
        said[_EXCLUDED] = others
    else:
        del said[_EXCLUDED]


def _agent_port(said: Object) -> str:
    return string_at(said, "status.sidecar.istio.io/port") or "15020"


def _restore_prometheus(said: Object, traces: InjectionRecord) -> None:
    """Say to Prometheus what the pod said: its sidecar was told."""
    scrape = traces.scrape or {}
    targets = [
        f"{string_at(each, 'port')}:{string_at(each, 'path')}"
        for each in objects_at(scrape, "targets")
    ]
    if targets:
        said[_TARGETS] = ",".join(targets)
    # With targets, port and path are the first target's and not what the annotations said.
    for key in ("scrape",) if targets else ("scrape", "path", "port"):
        if text := string_at(scrape, key):
            said[f"prometheus.io/{key}"] = text
