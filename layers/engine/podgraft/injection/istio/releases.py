"""What each Istio release does outside its templates: the one table of release differences.

``Profile`` has a field for each behaviour that came or went between 1.0 and 1.32; its declaration
says in which minor releases of Istio 1.x it holds. No other module compares release numbers: they
ask the profile. Behaviour is that of a minor's first release; backports to patch releases are not
followed. A release newer than the newest known has the newest profile.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, fields
from functools import cache
from typing import Any, Final, TypeVar

from podgraft.records import dataclass

T = TypeVar("T")

OLDEST, NEWEST = 0, 32
KNOWN: Final = (0, *range(8, NEWEST + 1))  # 1.1 to 1.7 were never compared with their sources


class UnknownReleaseError(ValueError):
    """The text names no release whose behaviour is known."""


def _since(minor: int, until: int = NEWEST + 1) -> Any:
    """A behaviour of the releases from 1.``minor`` to the one before 1.``until``."""
    return field(metadata={"span": range(minor, until)})


def _until(minor: int) -> Any:
    return _since(OLDEST, minor)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Profile:
    """The behaviours of one minor release; ``profile`` makes each once, so identity is equality."""

    minor: int

    # Configuration
    brace_delimiters: bool = _since(2)  # {{ }} in place of [[ ]]
    pod_templates: bool = _since(9)  # `templates`, overlaid; before: one SidecarInjectionSpec
    parsed_at_load: bool = _since(14)  # every template must parse, not only those that run

    # Decision
    selectors: bool = _since(8)
    four_ignored_namespaces: bool = _since(9)  # before: kube-system and kube-public
    inject_label: bool = _since(12)  # the label sidecar.istio.io/inject, over the annotation
    strict_inject_values: bool = _since(27)  # "true" and "false" alone; other text is undecided

    # Request: URL path and who the pod belongs to
    path_environment: bool = _since(8)
    env_paths: bool = _since(10)  # the form :ENV:K=V
    slash_paths: bool = _since(15)  # --slash-- stands for /
    deployment_config_owner: bool = _since(9)
    deployment_config_label_kept: bool = _since(22)
    short_job_suffixes: bool = _since(9)  # 8 to 10 digits mean a CronJob; before: exactly 10
    cron_job_owner_v1: bool = _since(22)  # before: batch/v1beta1
    rollout_owner: bool = _since(22)
    deployment_meta_names_only: bool = _since(22)  # before: a whole ObjectMeta

    # kube-inject
    apps_v1: bool = _since(8)  # before: extensions/v1beta1 and apps/v1beta1
    cron_job_v1: bool = _since(11)  # before: batch/v2alpha1
    by_hand_decides: bool = _since(8)  # before: all but the host's network is injected
    named_by_kind: bool = _since(9)  # warnings say kind and namespace
    by_hand_appends: bool = _until(8)  # and takes nothing out, and adds no pull secrets
    skips_injected: bool = _since(8, 17)
    skips_by_status: bool = _since(9, 17)  # only those that have a status annotation
    bare_pod_owner: bool = _since(21)

    # Template data
    workload_data: bool = _since(8)  # .TypeMeta, .DeploymentMeta and .Values
    revision: bool = _since(9)
    estimated_concurrency: bool = _since(9, 18)
    proxy_image: bool = _since(13)
    proxy_ids: bool = _since(20)
    compliance_policy: bool = _since(21)
    inbound_mode: bool = _since(22)
    native_flag: bool = _since(27)  # .NativeSidecars; before, templates call env
    proxy_init_image: bool = _since(31)

    # Images
    image_variant: bool = _since(22)  # values global.variant
    image_type_falls_back: bool = _since(31)  # an empty imageType leaves the variant

    # Mesh configuration: layers, defaults and checks
    proxy_annotation: bool = _since(8)  # proxy.istio.io/config
    annotation_in_mesh: bool = _since(8, 9)  # it is merged into the mesh, in the webhook too
    remote_services_set: bool = _since(8, 9)  # empty envoyMetricsService, envoyAccessLogService
    parent_shutdown: bool = _until(17)
    concurrency_two: bool = _since(8, 18)
    merge_and_inbound_port_set: bool = _since(18)
    zipkin_by_default: bool = _since(8, 22)
    extension_providers: bool = _since(9)
    empty_collections_kept: bool = _since(8, 9)  # `proxyMetadata: {}` prints as {}
    checks_mesh_names: bool = _since(8)  # trustDomain, its aliases, hosts of serviceSettings
    checks_connection_settings: bool = _since(31)
    checks_inbound_retries: bool = _since(32)

    # Annotation checks
    first_violation_only: bool = _until(8)
    signed_ports: bool = _until(8)  # 16 bits with a sign, blanks not trimmed
    port_text_shown: bool = _since(9)  # before: the parsed number, 0
    enable_core_dump_checked: bool = _since(8, 25)
    netip_cidrs: bool = _since(16)  # before: net.ParseCIDR
    dns_auto_allocate_warned: bool = _since(25)
    quantities_checked: bool = _since(29)
    interfaces_checked: bool = _since(30)

    # What a SidecarInjectionSpec is turned into
    kubernetes_defaults: bool = _until(8)  # what is added has what the API server would fill in
    labels_added: bool = _since(8, 9)
    namespace_filled: bool = _since(8)

    # Native sidecars and OpenShift
    native_sidecars: bool = _since(19)
    native_annotation: bool = _since(24)
    openshift_ids_cleared: bool = _since(24)
    openshift_sees_init_containers: bool = _since(27)

    # Overrides
    injected_names: bool = _since(17)  # what an earlier injection wrote is no override
    adjusts_init_user: bool = _since(23)

    # Multus
    multus_duplicates: bool = _since(9)
    multus_namespaces: bool = _since(26)

    # Probes
    tcp_probes: bool = _since(12)
    tcp_probes_switch: bool = _since(12, 19)  # REWRITE_TCP_PROBES
    grpc_probes: bool = _since(13)
    probers_united: bool = _since(17)
    lifecycle_probes: bool = _since(25)
    missing_probers_added: bool = _since(27)  # also to a pod that was injected without

    # Prometheus
    loose_prometheus_names: bool = _since(13)
    scrape_targets: bool = _since(31)

    # Status
    status_version: bool = _until(9)  # a hash of the template
    status_revision: bool = _since(11)

    @property
    def release(self) -> str:
        """MAJOR.MINOR."""
        return f"1.{self.minor}"

    @property
    def kubernetes(self) -> int:
        """The minor of the Kubernetes types that the release was built with."""
        return _latest(_KUBERNETES, self.minor)

    @property
    def sprig(self) -> str:
        """The release of sprig's functions that templates may call, or ``""`` for none."""
        return _latest(_SPRIG, self.minor)

    def has(self, name: str, table: Mapping[str, range]) -> bool:
        """Whether this release has what ``table`` lists; what it does not list, all have."""
        span = table.get(name)
        return span is None or self.minor in span

    @property
    def behaviours(self) -> frozenset[str]:
        """The names of the behaviours that are on."""
        return frozenset(f.name for f in fields(self) if getattr(self, f.name) is True)


def _span(minor: int, until: int = NEWEST + 1) -> range:
    return range(minor, until)


# Template functions of Istio's own; all others are in every release.
FUNCTIONS: Final[Mapping[str, range]] = {
    "formatDuration": _span(0),
    "isset": _span(0),
    "annotation": _span(8),
    "appendMultusNetwork": _span(8),
    "applicationPorts": _span(8),
    "contains": _span(8),
    "directory": _span(8),
    "env": _span(8),
    "excludeInboundPort": _span(8),
    "fromJSON": _span(8),
    "includeInboundPorts": _span(8),
    "indent": _span(8),
    "kubevirtInterfaces": _span(8),
    "protoToJSON": _span(8),
    "structToJSON": _span(8),
    "toJSON": _span(8),
    "toLower": _span(8),
    "toYaml": _span(8),
    "valueOrDefault": _span(8),
    "render": _span(8, 14),
    "toJson": _span(8, 19),
    "excludeInterfaces": _span(15),
    "omit": _span(18),
    "strdict": _span(18),
    "toJsonMap": _span(18),
    "mergeMaps": _span(21),
    "omitNil": _span(30),
    "otelResourceAttributes": _span(30),
}

# Fields of Istio's mesh messages.
MESH_FIELDS: Final[Mapping[str, range]] = {
    "v1alpha1.ProxyConfig.connect_timeout": _span(0, 8),
    "v1alpha1.ProxyConfig.concurrency int32": _span(0, 8),
    "v1alpha1.ProxyConfig.concurrency wrapperspb.Int32Value": _span(8),
    "v1alpha1.ProxyConfig.parent_shutdown_duration": _span(0, 17),
    "v1alpha1.ProxyConfig.image": _span(13),
    "v1alpha1.ProxyConfig.proxy_headers": _span(20),
    "v1alpha1.Tracing.enable_istio_tags": _span(25),
    "v1alpha1.ProxyConfig_ProxyHeaders.preserve_http1_header_case": _span(25),
    "v1alpha1.ProxyConfig_ProxyHeaders.x_forwarded_host": _span(28),
    "v1alpha1.ProxyConfig_ProxyHeaders.x_forwarded_port": _span(28),
    "v1alpha1.ProxyConfig.file_flush_interval": _span(29),
    "v1alpha1.ProxyConfig.file_flush_min_size_kb": _span(29),
    "v1alpha1.ProxyConfig.stats_compression": _span(29),
    "v1alpha1.ProxyConfig.connection_settings": _span(31),
    "v1alpha1.MeshConfig.zone_aware_lb_setting": _span(31),
    "v1alpha1.MeshConfig.default_traffic_policy": _span(31),
    "v1alpha1.MeshConfig.service_entry_visibility": _span(31),
    "v1alpha1.MeshConfig.default_inbound_http_retry_policy": _span(32),
}

# The Kubernetes types (k8s.io/api 0.N) that an Istio release and those after it were built with;
# what those types do not know is dropped.
_KUBERNETES: Final[Mapping[int, int]] = {
    0: 10,
    8: 19,
    9: 20,
    11: 21,
    12: 22,
    13: 23,
    14: 24,
    16: 25,
    17: 26,
    18: 27,
    19: 28,
    21: 29,
    22: 30,
    24: 31,
    25: 32,
    27: 33,
    28: 34,
    29: 35,
    31: 36,
}

_SPRIG: Final[Mapping[int, str]] = {0: "", 8: "3.1", 9: "3.2", 24: "3.3"}


def _latest(table: Mapping[int, T], minor: int) -> T:
    return table[max(first for first in table if first <= minor)]


@cache
def profile(minor: int) -> Profile:
    """The profile of Istio 1.``minor``; raises ``UnknownReleaseError`` between the known ones."""
    capped = min(minor, NEWEST)
    if capped not in KNOWN:
        raise UnknownReleaseError(
            f"Istio 1.{minor} is not among the known releases: 1.0, 1.8 to 1.{NEWEST} and newer"
        )
    flags = {f.name: capped in f.metadata["span"] for f in fields(Profile) if "span" in f.metadata}
    return Profile(minor=capped, **flags)


def newest() -> Profile:
    """The profile for an unknown release."""
    return profile(NEWEST)


def parse(text: str) -> Profile:
    """The profile of the release that ``text`` says: MAJOR.MINOR, perhaps with more after it."""
    found = re.match(r"v?(\d+)\.(\d+)(?![\d])", text)
    if found is None:
        raise UnknownReleaseError(
            f'"{text}" is no Istio release; write MAJOR.MINOR, such as "1.30"'
        )
    major, minor = int(found[1]), int(found[2])
    if major > 1:
        return newest()
    if major == 0:
        raise UnknownReleaseError(f'"{text}" is older than Istio 1.0')
    return profile(minor)


def is_newer(text: str) -> bool:
    """Whether ``text`` says a release after the newest known one, whose profile it has."""
    found = re.match(r"v?(\d+)\.(\d+)", text)
    return found is not None and (int(found[1]), int(found[2])) > (1, NEWEST)


def is_release(tag: str) -> bool:
    """Whether an image tag starts with MAJOR.MINOR."""
    return re.match(r"v?\d+\.\d+", tag) is not None


def of_tag(tag: str) -> Profile:
    """The profile that an image tag says by its leading MAJOR.MINOR; else the newest."""
    return parse(tag) if is_release(tag) else newest()
