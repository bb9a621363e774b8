"""Restoration of annotations and labels.

A value is removed only if it is exactly the value that injection writes. Other values were set by a
user, and stay.
"""

from collections.abc import Iterator, Mapping

from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at, string_at

from . import status
from .pod_builder import PROXY, VALIDATION
from .postprocess import cluster, overrides, prometheus
from .recover import InjectionRecord

# The last one is podgraft's own, of a rollout in mode share.
_INJECTED_ANNOTATIONS = (status.ANNOTATION, overrides.ANNOTATION, "podgraft.dev/rollout")
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
# The defaults that Istio writes for the CNI plugin.
_REDIRECTION = {
    "sidecar.istio.io/interceptionMode": "REDIRECT",
    "traffic.sidecar.istio.io/includeOutboundIPRanges": "*",
    "traffic.sidecar.istio.io/includeInboundPorts": "*",
}
_REWRITE_PROBES = "sidecar.istio.io/rewriteAppHTTPProbers"
_TARGETS = "prometheus.istio.io/scrape-targets"
_MAX_NAME_LENGTH = 63


def restore_metadata(metadata: Object, spec: Object, record: InjectionRecord, owner: str) -> Object:
    """Restore the metadata of a pod; ``spec`` is its restored spec."""
    annotations, labels = object_at(metadata, "annotations"), object_at(metadata, "labels")
    after = {key: value for key, value in annotations.items() if key not in _INJECTED_ANNOTATIONS}
    after = _remove_derived(after, dict(_derived_annotations(after, spec, record)))
    _restore_networks(after)
    _restore_excluded_ports(after, record)
    _restore_prometheus(after, record)
    maps: Object = {
        "annotations": after,
        "labels": _remove_derived(labels, dict(_derived_labels(labels, record, owner))),
    }
    restored: Object = {key: maps.get(key, value) for key, value in metadata.items()}
    return {key: value for key, value in restored.items() if value or key not in maps}


def _remove_derived(values: Object, derived: Mapping[str, JSON]) -> Object:
    return {
        key: value for key, value in values.items() if key not in derived or value != derived[key]
    }


def _derived_annotations(
    annotations: Object, spec: Object, record: InjectionRecord
) -> Iterator[tuple[str, JSON]]:
    """Yield each annotation that injection adds, with its value."""
    if record.revision:
        yield _REVISION, record.revision
    names = [container.get("name") for container in objects_at(spec, "containers")]
    for name in [name for name in names if name != PROXY][:1]:
        for key in _DEFAULT_CONTAINERS:
            yield key, name
    if _uses_cni(record):
        yield from _REDIRECTION.items()
    if _is_proxyless(record):
        yield _REWRITE_PROBES, "false"
    if port := record.sidecar_env(prometheus.SECURE_PORT_ENV):
        yield prometheus.SECURE_PORT, port
    if record.scrape is not None or _scrapes_agent(annotations):
        yield from ((key, annotations.get(key)) for key in prometheus.agent_annotations(""))


def _derived_labels(
    labels: Object, record: InjectionRecord, owner: str
) -> Iterator[tuple[str, JSON]]:
    """Yield each label that injection adds, with its value."""
    yield "security.istio.io/tlsMode", "istio"
    service = string_at(labels, "app.kubernetes.io/name") or string_at(labels, "app") or owner
    yield "service.istio.io/canonical-name", _match_service_name(labels, service)
    version = string_at(labels, "app.kubernetes.io/version") or string_at(labels, "version")
    yield "service.istio.io/canonical-revision", version or "latest"
    yield "networking.istio.io/tunnel", "http"
    if network := record.sidecar_env(cluster.NETWORK):
        yield cluster.NETWORK_LABEL, network
    if record.is_gateway:
        yield _REVISION, record.revision
    if not record.revision and labels.get(_REVISION) == status.DEFAULT_REVISION:
        yield _REVISION, status.DEFAULT_REVISION  # of 1.9 and 1.10, which record no revision
    elif not record.revision:
        yield _REVISION, ""


def _match_service_name(labels: Object, service: str) -> str:
    """Return the canonical name in the label, if it is a short form of the service's name."""
    label_value = string_at(labels, "service.istio.io/canonical-name")
    short = service[:_MAX_NAME_LENGTH]
    return (
        label_value
        if label_value in (short, short.removesuffix("-"), short.strip("-_."))
        else service
    )


def _uses_cni(record: InjectionRecord) -> bool:
    return VALIDATION in record.status.init_containers


def _is_proxyless(record: InjectionRecord) -> bool:
    """Whether the application uses proxyless gRPC; such templates do not rewrite probes."""
    by_agent = record.sidecar_env("ISTIO_META_GENERATOR") == "grpc"
    return by_agent or "grpc-bootstrap-init" in record.status.init_containers


def _scrapes_agent(annotations: Object) -> bool:
    """Whether the annotations send Prometheus to the agent, on any port."""
    agent = prometheus.agent_annotations(string_at(annotations, "prometheus.io/port"))
    return bool(annotations.get("prometheus.io/port")) and agent.items() <= annotations.items()


def _restore_networks(annotations: Object) -> None:
    """Remove the network of the CNI plugin, which is always the last one."""
    networks = string_at(annotations, _NETWORKS)
    for name in _CNI:
        if networks == name:
            del annotations[_NETWORKS]
            return
        if networks.endswith(f", {name}"):
            annotations[_NETWORKS] = networks.removesuffix(f", {name}")
            return
    for entry in _CNI_ENTRIES:
        before, separator, after = networks.rpartition(entry)
        if separator and after.lstrip().startswith("]"):
            annotations[_NETWORKS] = before + after
            return


def _restore_excluded_ports(annotations: Object, record: InjectionRecord) -> None:
    """Remove the port of the agent, which injection adds last, from the excluded ports."""
    if not _uses_cni(record) or _EXCLUDED not in annotations:
        return
    others, _, port = string_at(annotations, _EXCLUDED).rpartition(",")
    if port != (string_at(annotations, "status.sidecar.istio.io/port") or "15020"):
        return
    if others:
        annotations[_EXCLUDED] = others
    else:
        del annotations[_EXCLUDED]


def _restore_prometheus(annotations: Object, record: InjectionRecord) -> None:
    """Restore the Prometheus annotations from the environment of the sidecar."""
    scrape = record.scrape or {}
    targets = [
        f"{string_at(target, 'port')}:{string_at(target, 'path')}"
        for target in objects_at(scrape, "targets")
    ]
    if targets:
        annotations[_TARGETS] = ",".join(targets)
    # With targets, port and path are those of the first target, not the original annotations.
    for key in ("scrape",) if targets else ("scrape", "path", "port"):
        if text := string_at(scrape, key):
            annotations[f"prometheus.io/{key}"] = text
